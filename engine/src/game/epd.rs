use std::sync::Arc;

use super::Position;
use super::fen::{FenError, FenProblem};
use crate::rules::Reading;

/// Most operations of one line.
const MOST: usize = 64;

impl Position {
    /// Reads an EPD line: placement, side to move and first-move rights as in a FEN, then operations, each an opcode,
    /// its operand and a semicolon (`id "mate in 2"; bm c5c6;`). `hmvc` and `fmvn` set the counters. Quotation marks
    /// around an operand are taken off.
    ///
    /// # Errors
    /// Every problem of the position, or the first one of the operations.
    pub fn from_epd(
        reading: &Arc<Reading>,
        line: &str,
    ) -> Result<(Position, Vec<(String, String)>), FenError> {
        let mut rest = line.trim_start();
        let mut fields = Vec::new();
        while fields.len() < 3 && !rest.is_empty() {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            fields.push(&rest[..end]);
            rest = rest[end..].trim_start();
        }
        // An en passant field, as other programs write it.
        if let Some(after) = rest.strip_prefix('-').filter(|after| after.is_empty() || after.starts_with(' '))
        {
            rest = after.trim_start();
        }
        let operations = operations(rest)?;
        let counter = |opcode: &str, default: &str| {
            let found = operations.iter().find(|(name, _)| name == opcode);
            found.map_or_else(|| default.to_owned(), |(_, operand)| operand.clone())
        };
        let fen = format!("{} {} {}", fields.join(" "), counter("hmvc", "0"), counter("fmvn", "1"));
        Ok((Position::from_fen(reading, &fen)?, operations))
    }

    /// Writes an EPD line with these operations; operands with spaces or semicolons are put in quotation marks, and
    /// quotation marks within become apostrophes, since EPD has no way to write them.
    #[must_use]
    pub fn to_epd(&self, operations: &[(&str, &str)]) -> String {
        let mut line = self.epd();
        for (opcode, operand) in operations {
            let plain =
                !operand.is_empty() && !operand.contains(|c: char| c.is_whitespace() || ";\"".contains(c));
            let operand = operand.replace('"', "'");
            line.push_str(&if plain {
                format!(" {opcode} {operand};")
            } else {
                format!(" {opcode} \"{operand}\";")
            });
        }
        line
    }
}

fn operations(text: &str) -> Result<Vec<(String, String)>, FenError> {
    let error = |found: String, expected: &str| FenError {
        problems: vec![FenProblem { place: "operations".to_owned(), found, expected: expected.to_owned() }],
    };
    let short = |text: &str| format!("{:?}", text.chars().take(40).collect::<String>());
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if found.len() == MOST {
            return Err(error(format!("more than {MOST} operations"), "fewer: this is one position"));
        }
        let (mut quoted, mut end) = (false, None);
        for (at, c) in rest.char_indices() {
            match c {
                '"' => quoted = !quoted,
                ';' if !quoted => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let Some(end) = end else {
            return Err(error(
                short(rest),
                "an opcode, its operand and a semicolon, quotation marks in pairs",
            ));
        };
        let operation = rest[..end].trim();
        let (opcode, operand) = operation.split_once(char::is_whitespace).unwrap_or((operation, ""));
        if opcode.is_empty() || !opcode.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(error(short(opcode), "an opcode of letters and digits"));
        }
        let operand = operand.trim();
        let bare = operand.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(operand);
        found.push((opcode.to_owned(), bare.to_owned()));
        rest = rest[end + 1..].trim_start();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::builtin;

    fn reading() -> Arc<Reading> {
        Reading::new(builtin("cazaux-musser").unwrap())
    }

    #[test]
    fn operations_and_counters_are_read_and_written_back() {
        let start = "k11/12/12/12/12/12/12/2R9/12/12/12/11K w -";
        let line = format!("{start} id \"a; b\"; bm c5c6; hmvc 7; fmvn 40;");
        let (position, operations) = Position::from_epd(&reading(), &line).unwrap();
        assert_eq!(position.fen(), format!("{start} 7 40"));
        let pairs: Vec<(&str, &str)> = operations.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(pairs, [("id", "a; b"), ("bm", "c5c6"), ("hmvc", "7"), ("fmvn", "40")]);
        assert_eq!(position.to_epd(&pairs), line);
        assert_eq!(Position::from_epd(&reading(), &format!("{start} -")).unwrap().0.epd(), start);
    }

    #[test]
    fn what_is_no_operation_is_refused() {
        for (tail, word) in
            [("id \"a", "semicolon"), ("id", "semicolon"), ("b! x;", "opcode"), ("hmvc x;", "clock")]
        {
            let line = format!("k11/12/12/12/12/12/12/2R9/12/12/12/11K w - {tail}");
            let error = Position::from_epd(&reading(), &line).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        assert!(Position::from_epd(&reading(), "").is_err());
    }
}
