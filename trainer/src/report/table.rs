//! Tables and numbers as text.

use crate::stats::Interval;

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A table of text cells, printed as Markdown or as plain text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    head: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column heads and no rows.
    #[must_use]
    pub fn new(head: &[(&str, Align)]) -> Self {
        Table { head: head.iter().map(|(h, a)| ((*h).to_string(), *a)).collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty, surplus cells are left out. Line breaks become spaces.
    pub fn row(&mut self, cells: &[impl AsRef<str>]) -> &mut Self {
        let mut row: Vec<String> = cells
            .iter()
            .take(self.head.len())
            .map(|c| c.as_ref().split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        row.resize(self.head.len(), String::new());
        self.rows.push(row);
        self
    }

    /// The table in Markdown, columns aligned, ending in a line break; empty without columns.
    #[must_use]
    pub fn markdown(&self) -> String {
        let escape = |s: &str| s.replace('|', "\\|");
        let head: Vec<String> = self.head.iter().map(|(h, _)| escape(h)).collect();
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|r| r.iter().map(|c| escape(c)).collect()).collect();
        let widths = widths(&head, &rows, 3);
        let line = |cells: &[String]| {
            let cells: Vec<String> =
                cells.iter().enumerate().map(|(c, s)| pad(s, widths[c], self.head[c].1)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        if self.head.is_empty() {
            return String::new();
        }
        let rule: Vec<String> = widths
            .iter()
            .zip(&self.head)
            .map(|(&w, (_, align))| match align {
                Align::Left => "-".repeat(w),
                Align::Right => format!("{}:", "-".repeat(w - 1)),
            })
            .collect();
        let mut out = line(&head);
        out.push_str(&format!("| {} |\n", rule.join(" | ")));
        rows.iter().for_each(|r| out.push_str(&line(r)));
        out
    }

    /// The table as plain text for a terminal, columns two spaces apart, a rule under the head; empty without columns.
    #[must_use]
    pub fn plain(&self) -> String {
        if self.head.is_empty() {
            return String::new();
        }
        let head: Vec<String> = self.head.iter().map(|(h, _)| h.clone()).collect();
        let widths = widths(&head, &self.rows, 1);
        let line = |cells: &[String]| {
            let cells: Vec<String> =
                cells.iter().enumerate().map(|(c, s)| pad(s, widths[c], self.head[c].1)).collect();
            format!("{}\n", cells.join("  ").trim_end())
        };
        let rule: Vec<String> = widths.iter().map(|&w| "-".repeat(w)).collect();
        let mut out = line(&head);
        out.push_str(&line(&rule));
        self.rows.iter().for_each(|r| out.push_str(&line(r)));
        out
    }
}

fn widths(head: &[String], rows: &[Vec<String>], least: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = head.iter().map(|h| h.chars().count().max(least)).collect();
    for row in rows {
        for (w, cell) in widths.iter_mut().zip(row) {
            *w = (*w).max(cell.chars().count());
        }
    }
    widths
}

fn pad(cell: &str, width: usize, align: Align) -> String {
    // Not by format width, which panics above 65535.
    let space = " ".repeat(width.saturating_sub(cell.chars().count()));
    match align {
        Align::Left => format!("{cell}{space}"),
        Align::Right => format!("{space}{cell}"),
    }
}

/// `value` with `decimals` digits (at most 20) after the point; `n/a` if it is not a number. Never `-0.00`.
#[must_use]
pub fn number(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return "n/a".to_string();
    }
    let decimals = decimals.min(20);
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_string(),
        _ => text,
    }
}

/// A value with its interval: `0.53 [0.48, 0.58]`.
#[must_use]
pub fn with_interval(value: f64, interval: Interval, decimals: usize) -> String {
    format!(
        "{} [{}, {}]",
        number(value, decimals),
        number(interval.low, decimals),
        number(interval.high, decimals)
    )
}

/// A p-value: three decimals, `<0.001` below that, `>0.999` above, `n/a` if it is not a number.
#[must_use]
pub fn p_value(p: f64) -> String {
    if p.is_nan() {
        "n/a".to_string()
    } else if p < 0.001 {
        "<0.001".to_string()
    } else if p > 0.999 {
        ">0.999".to_string()
    } else {
        format!("{p:.3}")
    }
}

/// A share of 1 as a percentage: `12.5 %`.
#[must_use]
pub fn percent(share: f64, decimals: usize) -> String {
    if share.is_nan() { "n/a".to_string() } else { format!("{} %", number(100.0 * share, decimals)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let i = Interval { low: 0.479, high: 0.581 };
        assert_eq!(with_interval(0.53, i, 2), "0.53 [0.48, 0.58]");
        assert_eq!(
            (p_value(0.0004), p_value(0.04567), p_value(1.0)),
            ("<0.001".into(), "0.046".into(), ">0.999".into())
        );
        assert_eq!(
            (number(-0.001, 2), number(-0.1, 2), number(f64::NAN, 1)),
            ("0.00".into(), "-0.10".into(), "n/a".into())
        );
        assert_eq!(percent(0.125, 1), "12.5 %");
    }

    #[test]
    fn tables() {
        let mut t = Table::new(&[("reading", Align::Left), ("score", Align::Right)]);
        t.row(&["murray", "0.5"]).row(&["a|b"]).row(&["x\ny", "0.51", "surplus"]);
        assert_eq!(
            t.markdown(),
            "| reading | score |\n| ------- | ----: |\n| murray  |   0.5 |\n| a\\|b    |       |\n| x y     |  0.51 |\n"
        );
        assert_eq!(t.plain(), "reading  score\n-------  -----\nmurray     0.5\na|b\nx y       0.51\n");
        assert_eq!(Table::new(&[]).markdown(), "");
    }
}
