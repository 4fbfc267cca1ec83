use std::fmt;

/// The hint of a problem that says all else itself.
pub(super) const WHERE_TO_LOOK: &str = "data/rulesets/README.md explains every key and movement";

/// Something wrong with a ruleset file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file's display name.
    pub file: String,
    /// 1-based line of the offending value; for a missing key, of its table.
    pub line: usize,
    /// 1-based column, where the fault is a place within a value.
    pub column: Option<usize>,
    /// What the file says.
    pub found: String,
    /// What it could say.
    pub expected: String,
    /// How to mend it, or where that is explained.
    pub hint: String,
}

impl fmt::Display for Problem {
    /// `file:line: found X, expected Y; hint`, with `:column` after the line where there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        write!(f, ": found {}, expected {}; {}", self.found, self.expected, self.hint)
    }
}

/// Everything wrong with a ruleset file and its parents, in the order of the text. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// `None` if there are no problems.
    #[must_use]
    pub(super) fn of(problems: Vec<Problem>) -> Option<Problems> {
        (!problems.is_empty()).then_some(Problems(problems))
    }

    /// The problems one by one: at least one.
    #[must_use]
    pub fn as_slice(&self) -> &[Problem] {
        &self.0
    }
}

impl fmt::Display for Problems {
    /// One problem a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// The known word nearest to `word`, if one is near enough to be what was meant.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > 64 {
        return None;
    }
    let budget = word.chars().count().div_ceil(3).min(3);
    // A word cut short counts as one slip.
    let distance =
        |known: &str| if word.len() > 2 && known.starts_with(word) { 1 } else { edits(word, known) };
    let scored = known.into_iter().map(|candidate| (distance(candidate), candidate));
    scored.filter(|&(distance, _)| distance <= budget).min().map(|(_, candidate)| candidate)
}

/// `did you mean X?` or, if nothing is near, `known: ...`.
pub(super) fn suggestion(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("known: {}", known.join(", ")),
    }
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["letter", "betza", "first_move"];
        assert_eq!(nearest("leter", known), Some("letter"));
        assert_eq!(nearest("ebtza", known), Some("betza"));
        assert_eq!(nearest("first-move", known), Some("first_move"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("first", known), Some("first_move"));
        assert_eq!(nearest("", known), None);
    }
}
