//! In: bytes. Out: a file that appears under its name complete, or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file in the making: it has a temporary name in the directory of its final one (`.NAME.*.partial`) until
/// [`Output::commit`] renames it. Dropped before that it is removed; a killed process leaves the temporary file only.
pub struct Output {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl Output {
    /// Begins a file, making the directories above it if they are missing.
    ///
    /// # Errors
    /// If the path names no file, or the directory cannot be made or written to.
    pub fn create(path: &Path) -> io::Result<Output> {
        let Some(name) = path.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
        };
        // A link stays, and what it leads to is written.
        if path.is_symlink() {
            let target = path.parent().unwrap_or(Path::new(".")).join(std::fs::read_link(path)?);
            return Output::create(&path.canonicalize().unwrap_or(target));
        }
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "a directory has that name"));
        }
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            let why =
                "a device or pipe has that name, and the result is a file that appears complete: name a file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        std::fs::create_dir_all(directory)?;
        let prefix = format!(".{}.", name.to_string_lossy());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".partial");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As for any new file: what the umask leaves.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = BufWriter::new(builder.tempfile_in(directory)?);
        Ok(Output { file, path: path.to_owned() })
    }

    /// Gives the file its final name, in place of an older file of that name.
    ///
    /// # Errors
    /// If bytes cannot be written or the file cannot be renamed; it is removed then.
    pub fn commit(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Removes the temporary files that a killed process left of this output. No other process may be at work on it.
pub fn remove_partials(output: &Path) {
    let path = output.canonicalize().unwrap_or_else(|_| output.to_owned());
    let Some(name) = path.file_name().map(|name| format!(".{}.", name.to_string_lossy())) else { return };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        let random = found.strip_prefix(&name).and_then(|rest| rest.strip_suffix(".partial"));
        if random.is_some_and(|random| random.chars().all(|c| c.is_ascii_alphanumeric())) {
            // What stays does no harm.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_appears_when_it_is_complete_and_never_before() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("deep/down/data.bin");
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"half").unwrap();
        output.flush().unwrap();
        assert!(!path.exists());
        drop(output);
        assert_eq!(names(path.parent().unwrap()), Vec::<String>::new());
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"whole").unwrap();
        output.commit().unwrap();
        assert_eq!(names(path.parent().unwrap()), ["data.bin"]);
        assert_eq!(std::fs::read(&path).unwrap(), b"whole");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_refused_and_a_link_stays_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let error = Output::create(Path::new("/dev/null")).err().unwrap();
        assert!(error.to_string().contains("device"), "{error}");
        let (link, target) = (directory.path().join("link"), directory.path().join("target"));
        std::os::unix::fs::symlink("target", &link).unwrap();
        for text in ["new", "again"] {
            let mut output = Output::create(&link).unwrap();
            output.write_all(text.as_bytes()).unwrap();
            output.commit().unwrap();
            assert!(link.is_symlink());
            assert_eq!(std::fs::read_to_string(&target).unwrap(), text);
        }
    }

    #[test]
    fn what_cannot_be_a_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        assert!(Output::create(directory.path()).is_err());
        assert!(Output::create(Path::new("")).is_err());
        std::fs::write(directory.path().join("file"), b"").unwrap();
        assert!(Output::create(&directory.path().join("file/below")).is_err());
        assert_eq!(names(directory.path()), ["file"]);
    }
}
