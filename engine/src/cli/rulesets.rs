use std::io::Write;

use super::source::load_ruleset;
use crate::rules;

/// Lists the built-in rulesets, one a line: id, title, confidence. With an id or a path, explains that one in words.
pub(super) fn run(which: Option<&str>, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(which) = which {
        write!(out, "{}", load_ruleset(which)?.explain())?;
        return Ok(());
    }
    for id in rules::known_ids() {
        let ruleset = load_ruleset(id)?;
        writeln!(out, "{id:<22} {} ({})", ruleset.title, ruleset.source.confidence)?;
    }
    Ok(())
}
