use std::io::Write;
use std::path::{Path, PathBuf};

use crate::rules::{self, ResolveError, hex};

/// Checks ruleset files: for each good one a line with its id and fingerprint, for each bad one all of its problems.
/// True if all are good. A bad file never keeps the others from being checked.
pub(super) fn run(files: &[PathBuf], out: &mut dyn Write) -> anyhow::Result<bool> {
    let mut good = true;
    for file in files {
        match rules::resolve_file(file, &|path: &Path| std::fs::read_to_string(path)) {
            Ok(ruleset) => {
                writeln!(out, "{}: ok: {}, {}", file.display(), ruleset.id, hex(&ruleset.fingerprint()))?;
                continue;
            }
            Err(ResolveError::Problems(problems)) => writeln!(out, "{problems}")?,
            Err(ResolveError::Read { source, .. }) if source.kind() == std::io::ErrorKind::InvalidData => {
                let name = file.display();
                writeln!(
                    out,
                    "{name}:1: found bytes that are no text, expected TOML in UTF-8; save it as UTF-8"
                )?;
            }
            Err(ResolveError::Read { source, .. }) => {
                writeln!(out, "{}: cannot be read: {source}", file.display())?;
            }
            Err(error) => writeln!(out, "{}: {error}", file.display())?,
        }
        good = false;
    }
    Ok(good)
}
