//! The readings that ship with the program.

use super::{Problems, Ruleset};

/// Id and text of what ships for each reading in a folder of `data`: the default first, the control games last.
macro_rules! shipped {
    ($folder:literal) => {
        $crate::rules::builtin::shipped!(
            $folder: "cazaux-musser", "murray", "chess-variant-pages", "wikipedia-2023", "ludii", "murray-33",
            "cazaux-capturing-leap", "shamax", "rhino-forward", "codex-literal", "shatranj", "courier",
        )
    };
    ($folder:literal: $($id:literal),* $(,)?) => {
        &[$(($id, include_str!(concat!("../../../data/", $folder, "/", $id, ".toml")))),*]
    };
}
pub(crate) use shipped;

/// Id and text of every built-in ruleset; the first is the default, the last two are the control games.
pub const BUILTIN: &[(&str, &str)] = shipped!("rulesets");

/// The ids of the built-in rulesets, the default first.
pub fn known_ids() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(id, _)| *id)
}

/// The file of a built-in ruleset, or `None` for an unknown id.
#[must_use]
pub fn builtin_text(id: &str) -> Option<&'static str> {
    BUILTIN.iter().find(|(known, _)| *known == id).map(|(_, text)| *text)
}

/// A built-in ruleset, read anew in well under a millisecond; `None` for an unknown id.
#[must_use]
pub fn builtin(id: &str) -> Option<Ruleset> {
    // That each of them loads is a test.
    load(id)?.ok()
}

/// As [`builtin`], with the problems of a file that does not load.
pub(super) fn load(id: &str) -> Option<Result<Ruleset, Problems>> {
    let (name, text) = loader(id)?;
    Some(Ruleset::load(&name, &text, &loader))
}

/// Finds the built-in parents of a ruleset.
pub(super) fn loader(id: &str) -> Option<(String, String)> {
    Some((format!("built-in {id}"), builtin_text(id)?.to_owned()))
}
