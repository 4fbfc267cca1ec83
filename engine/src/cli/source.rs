use acedrex_engine::rules::{self, Ruleset};

/// The ruleset with a built-in id, or from a file named by a path (with a slash in it, or ending in `.toml`).
///
/// # Errors
/// If the id is unknown, or the file cannot be read or is no valid ruleset.
pub fn load_ruleset(id_or_path: &str) -> anyhow::Result<Ruleset> {
    Ok(rules::resolve(id_or_path, &|path| std::fs::read_to_string(path))?)
}
