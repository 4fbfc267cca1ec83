//! From what a user names, an id or a path, to a ruleset.

use std::io;
use std::path::{Path, PathBuf};

use super::problem::nearest;
use super::{Problems, Ruleset, builtin};

/// Why a name led to no ruleset.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// Neither a built-in id nor a path.
    #[error("no ruleset \"{name}\"{meant}; built in are {known}; a path to a .toml file works too")]
    Unknown {
        /// What was named.
        name: String,
        /// A guess, as a phrase, or nothing.
        meant: String,
        /// The ids there are.
        known: String,
    },
    /// The file cannot be read.
    #[error("cannot read the ruleset file {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file is no valid ruleset.
    #[error(transparent)]
    Problems(#[from] Problems),
}

/// True if this names a file: it holds a slash or ends in `.toml`.
#[must_use]
pub fn is_path(id_or_path: &str) -> bool {
    id_or_path.contains(['/', '\\']) || id_or_path.ends_with(".toml")
}

/// The ruleset with a built-in id, or from the file at a path (see [`is_path`]), which `read` opens.
///
/// # Errors
/// If the id is unknown, `read` fails, or the file is no valid ruleset.
pub fn resolve(
    id_or_path: &str,
    read: &dyn Fn(&Path) -> io::Result<String>,
) -> Result<Ruleset, ResolveError> {
    if is_path(id_or_path) {
        return resolve_file(Path::new(id_or_path), read);
    }
    if let Some(ruleset) = builtin::load(id_or_path) {
        return Ok(ruleset?);
    }
    let known: Vec<&str> = builtin::known_ids().collect();
    let meant = nearest(id_or_path, known.iter().copied());
    Err(ResolveError::Unknown {
        name: id_or_path.to_owned(),
        meant: meant.map_or(String::new(), |id| format!(", did you mean {id}?")),
        known: known.join(", "),
    })
}

/// The ruleset in a file, whatever its name looks like.
///
/// # Errors
/// If `read` fails or the file is no valid ruleset.
pub fn resolve_file(
    path: &Path,
    read: &dyn Fn(&Path) -> io::Result<String>,
) -> Result<Ruleset, ResolveError> {
    let text = read(path).map_err(|source| ResolveError::Read { path: path.to_owned(), source })?;
    let loader = |parent: &str| {
        if is_path(parent) {
            Some((parent.to_owned(), read(Path::new(parent)).ok()?))
        } else {
            builtin::loader(parent)
        }
    };
    Ok(Ruleset::load(&path.to_string_lossy(), &text, &loader)?)
}
