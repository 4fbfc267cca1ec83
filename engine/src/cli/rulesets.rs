use std::io::Write;

use acedrex_engine::rules;

use super::source::load_ruleset;

/// Lists the built-in rulesets, one a line: the id and the title. With an id or a path, explains that one in words.
///
/// # Errors
/// If the ruleset cannot be loaded or `out` fails.
pub fn run_rulesets(which: Option<&str>, out: &mut dyn Write) -> anyhow::Result<()> {
    if let Some(which) = which {
        write!(out, "{}", load_ruleset(which)?.explain())?;
        return Ok(());
    }
    for id in rules::known_ids() {
        writeln!(out, "{id:<22} {}", load_ruleset(id)?.title)?;
    }
    Ok(())
}
