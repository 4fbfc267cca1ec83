//! In: a manifest. Out: the folder that belongs to it, and nothing else's.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{StudyConfig, StudyError};
use crate::output::Output;

/// What a study is: its configuration, its seed, and the rules and weights it started from. Two studies with the same
/// manifest give the same files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Name and version of the program.
    pub program: String,
    /// The master seed.
    pub seed: u64,
    /// The configuration.
    pub config: StudyConfig,
    /// Id, fingerprint of the rules and hash of the first weights of each reading.
    pub readings: Vec<ManifestReading>,
}

/// One reading of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestReading {
    /// Id of the ruleset.
    pub id: String,
    /// Fingerprint of the rules.
    pub fingerprint: String,
    /// Hash of the weights of the first round.
    pub weights: String,
}

/// The file that says what a folder is.
const MANIFEST: &str = "manifest.json";
/// The file that says who worked in it, when and how.
pub(super) const LOG: &str = "run.log";

/// The folder of a study.
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder this study's by writing the manifest, or checks the one that is there. A folder that is another
    /// study's, or no study's, is left as it is.
    pub(super) fn claim(path: &Path, manifest: &Manifest) -> Result<Folder, StudyError> {
        let folder = Folder { path: path.to_owned() };
        folder.check(manifest)?;
        Ok(folder)
    }

    /// As [`Folder::claim`], again.
    pub(super) fn check(&self, manifest: &Manifest) -> Result<(), StudyError> {
        let path = self.path.join(MANIFEST);
        match fs::read_to_string(&path) {
            Ok(text) => match serde_json::from_str::<Manifest>(&text) {
                Ok(there) => manifest.expect(&there).map_err(|why| self.wrong(&why)),
                Err(_) => Err(self.wrong("holds a manifest.json that is no study's")),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // A run that was killed while it wrote the manifest may have left its temporary file.
                let mine = |name: &str| partial_of(name) == Some(MANIFEST);
                if self.names()?.iter().any(|name| !mine(name)) {
                    return Err(self.wrong("holds other files"));
                }
                self.write(MANIFEST, &manifest.text())
            }
            // Text that is no UTF-8, for one.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(self.wrong("holds a manifest.json that is no study's"))
            }
            Err(error) => Err(StudyError::File { path, error }),
        }
    }

    fn wrong(&self, why: &str) -> StudyError {
        StudyError::Folder { path: self.path.clone(), why: why.to_owned() }
    }

    /// Names in the folder; none if there is no folder.
    fn names(&self) -> Result<Vec<String>, StudyError> {
        let failed = |error| StudyError::File { path: self.path.clone(), error };
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        entries.map(|entry| Ok(entry.map_err(failed)?.file_name().to_string_lossy().into_owned())).collect()
    }

    /// Opens the log for one run, which makes other runs keep out until it is closed, or its process ends.
    pub(super) fn lock(&self) -> Result<File, StudyError> {
        let path = self.path.join(LOG);
        let opened = File::options().create(true).append(true).open(&path);
        let file = opened.map_err(|error| StudyError::File { path, error })?;
        match file.try_lock() {
            Err(fs::TryLockError::WouldBlock) => Err(StudyError::Busy { path: self.path.clone() }),
            // Some file systems know no locks: there it is up to the user.
            Ok(()) | Err(fs::TryLockError::Error(_)) => Ok(file),
        }
    }

    /// Removes the temporary files that a killed run left of the files that a study writes. The lock must be held.
    pub(super) fn clean(&self, readings: &[ManifestReading]) {
        let in_reading =
            |name: &str| (name.starts_with("games-") && name.ends_with(".acd")) || is_weights(name);
        remove_partials(&self.path, &is_top);
        for reading in readings {
            remove_partials(&self.path.join(&reading.id), &in_reading);
        }
    }

    /// The path of a file in the folder.
    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, whole or not at all.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), StudyError> {
        let path = self.path.join(name);
        let save = || -> io::Result<()> {
            let mut output = Output::create(&path)?;
            output.write_all(text.as_bytes())?;
            output.commit()
        };
        save().map_err(|error| StudyError::File { path: path.clone(), error })
    }
}

impl Manifest {
    /// The text of `manifest.json`.
    pub(super) fn text(&self) -> String {
        // Strings and numbers only: this cannot fail.
        serde_json::to_string_pretty(self).map_or_else(|_| String::new(), |text| text + "\n")
    }

    /// Says in what a study that is there differs from this one.
    fn expect(&self, there: &Manifest) -> Result<(), String> {
        let different = [
            ("seed", self.seed != there.seed),
            ("configuration", self.config != there.config),
            ("rules or start weights", self.readings != there.readings),
            ("program version", self.program != there.program),
        ];
        let names: Vec<&str> = different.into_iter().filter(|(_, is)| *is).map(|(name, _)| name).collect();
        if names.is_empty() {
            return Ok(());
        }
        Err(format!(
            "holds study {} with seed {} of {}; this one has another {}",
            there.config.name,
            there.seed,
            there.program,
            names.join(", another ")
        ))
    }
}

/// The files that a study writes in its folder itself.
fn is_top(name: &str) -> bool {
    [MANIFEST, "compare.csv", "report.md"].contains(&name) || super::plots::PLOTS.contains(&name)
}

fn is_weights(name: &str) -> bool {
    ["weights-1.toml", "weights-2.toml"].contains(&name)
}

/// The file that a temporary file, `.NAME.*.partial`, was to become.
fn partial_of(name: &str) -> Option<&str> {
    let (target, random) = name.strip_prefix('.')?.strip_suffix(".partial")?.rsplit_once('.')?;
    (!target.is_empty() && random.chars().all(|c| c.is_ascii_alphanumeric())).then_some(target)
}

fn remove_partials(folder: &Path, own: &dyn Fn(&str) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && partial_of(&entry.file_name().to_string_lossy()).is_some_and(own) {
            // What stays does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_temporary_files_are_taken_for_such() {
        assert_eq!(partial_of(".games-1-000.acd.aB3xYz.partial"), Some("games-1-000.acd"));
        for name in ["games-1-000.acd", ".partial", ".x.partial", "games.acd.abc.partial", ".a.b/c.partial"] {
            assert_eq!(partial_of(name), None, "{name}");
        }
        let directory = tempfile::tempdir().unwrap();
        let names = [".compare.csv.abc123.partial", ".notes.txt.abc123.partial", "compare.csv", ".vimrc"];
        for name in names {
            fs::write(directory.path().join(name), "").unwrap();
        }
        remove_partials(directory.path(), &is_top);
        let left = names.map(|name| directory.path().join(name).exists());
        assert_eq!(left, [false, true, true, true]);
    }
}
