//! In: bytes. Out: a file that appears under its name complete, or not at all.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// A file in the making: it has a temporary name in the directory of its final one (`.NAME.*.partial`) until
/// [`Output::commit`] renames it. Dropped before that it is removed; a killed process leaves the temporary file only, which
/// the next output of that name removes: the lock on it tells that its process is gone.
pub struct Output {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

/// The temporary files of this process.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Output {
    /// Begins a file, making the directories above it if they are missing.
    ///
    /// # Errors
    /// If the path names no file, or the directory cannot be made or written to.
    pub fn create(path: &Path) -> io::Result<Output> {
        // A link stays, and what it leads to is written.
        let path = target(path);
        let ends_as_folder = path.as_os_str().as_encoded_bytes().last() == Some(&b'/');
        if path.file_name().is_none() || ends_as_folder && !path.is_dir() {
            let why = "the path names no file, and a folder must be there already";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        if path.is_symlink() {
            let why = "a link that leads to itself has that name";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        if path.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "a directory has that name"));
        }
        if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            let why =
                "a device or pipe has that name, and the result is a file that appears complete: name a file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let directory = folder(&path);
        fs::create_dir_all(directory)?;
        remove_partials(&path);
        let file = BufWriter::new(temporary(&path)?);
        Ok(Output { file, path })
    }

    /// Gives the file its final name, in place of an older file of that name. Bytes and name are on the disk then, so that
    /// what the file was made of may go.
    ///
    /// # Errors
    /// If bytes cannot be written or the file cannot be renamed; it is removed then.
    pub fn commit(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        // Whoever removes the unfinished files finds it under one of its names.
        let mut unfinished = unfinished();
        unfinished.retain(|path| path != file.path());
        file.persist(&self.path).map_err(|error| error.error)?;
        drop(unfinished);
        sync_folder(&self.path)
    }
}

/// A temporary file for this path. It is locked, so that other processes leave it alone.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let prefix = format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy());
    let mut builder = tempfile::Builder::new();
    // As for any new file: what the umask leaves.
    builder.prefix(&prefix).suffix(".partial").permissions(fs::Permissions::from_mode(0o666));
    loop {
        let mut unfinished = unfinished();
        let file = builder.tempfile_in(folder(path))?;
        // Before it was locked another process may have taken it for one that was left, and removed it.
        let taken = matches!(file.as_file().try_lock(), Err(TryLockError::WouldBlock));
        if !taken && file.path().exists() {
            unfinished.retain(|path| path.exists());
            unfinished.push(file.path().to_owned());
            return Ok(file);
        }
    }
}

/// Removes the temporary files of this process, which is about to end: no output can be begun or completed any more.
pub fn abandon() {
    let unfinished = unfinished();
    for path in unfinished.iter() {
        let _ = fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The folder of a file.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What a path names: where its links lead, whether or not anything is there.
#[must_use]
pub fn target(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // As many links as Linux follows.
    for _ in 0..40 {
        let Ok(link) = fs::read_link(&path) else { break };
        path = folder(&path).join(link);
    }
    path
}

/// Returns when the folder of this file is on the disk: names that are new in it, and those that are gone.
///
/// # Errors
/// If the disk cannot take it.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(test)]
    tests::SYNCED.with_borrow_mut(|synced| synced.push(path.to_owned()));
    // Some file systems cannot do this, and a folder may be closed to readers: then it is up to the system.
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match File::open(folder(path)).and_then(|folder| folder.sync_all()) {
        Err(error) if [InvalidInput, PermissionDenied, Unsupported].contains(&error.kind()) => Ok(()),
        result => result,
    }
}

/// Removes the temporary files that killed processes left of this output. Where there are no locks nobody knows which those
/// are, and all stay.
fn remove_partials(path: &Path) {
    let name = format!(".{}.", path.file_name().unwrap_or_default().to_string_lossy());
    for entry in fs::read_dir(folder(path)).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        let random = found.strip_prefix(&name).and_then(|rest| rest.strip_suffix(".partial"));
        let is_partial = random.is_some_and(|random| random.chars().all(|c| c.is_ascii_alphanumeric()))
            && entry.file_type().is_ok_and(|found| found.is_file());
        if is_partial
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            // What stays does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;

    use super::*;

    thread_local! {
        /// The files whose folders were synced on this thread.
        pub(crate) static SYNCED: RefCell<Vec<PathBuf>> = const { RefCell::new(Vec::new()) };
    }

    #[test]
    fn a_name_is_on_the_disk_before_what_the_file_was_made_of_goes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data.bin");
        Output::create(&path).unwrap().commit().unwrap();
        assert_eq!(SYNCED.take(), [path]);
    }

    #[test]
    fn links_are_followed_to_where_they_lead_and_one_to_itself_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let here = |name: &str| directory.path().join(name);
        std::os::unix::fs::symlink("b", here("a")).unwrap();
        std::os::unix::fs::symlink(here("c"), here("b")).unwrap();
        std::os::unix::fs::symlink("loop", here("loop")).unwrap();
        assert_eq!(target(&here("a")), here("c"));
        assert_eq!(target(Path::new("plain")), Path::new("plain"));
        let error = Output::create(&here("loop")).err().unwrap();
        assert!(error.to_string().contains("leads to itself"), "{error}");
    }

    #[test]
    fn what_a_killed_process_left_goes_with_the_next_output_of_that_name_and_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let here = |name: &str| directory.path().join(name);
        let left = [".data.bin.aB3xYz.partial", ".data.bin.more.aB3xYz.partial", ".other.aB3xYz.partial"];
        for name in left {
            fs::write(here(name), "half").unwrap();
        }
        // Another process at work on the same output, and a folder that is nobody's output.
        let other = here(".data.bin.123456.partial");
        let lock = File::create(&other).unwrap();
        lock.try_lock().unwrap();
        fs::create_dir(here(".data.bin.folder.partial")).unwrap();
        let output = Output::create(&here("data.bin")).unwrap();
        assert!(!here(left[0]).exists() && here(left[1]).exists() && here(left[2]).exists());
        assert!(other.exists() && here(".data.bin.folder.partial").exists());
        // This one is at work too.
        let second = Output::create(&here("data.bin")).unwrap();
        output.commit().unwrap();
        second.commit().unwrap();
        drop(lock);
        Output::create(&here("data.bin")).unwrap();
        assert!(!other.exists());
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
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
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }

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
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
        }
    }

    #[test]
    fn what_cannot_be_a_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        assert!(Output::create(directory.path()).is_err());
        assert!(Output::create(Path::new("")).is_err());
        fs::write(directory.path().join("file"), b"").unwrap();
        assert!(Output::create(&directory.path().join("file/below")).is_err());
        assert_eq!(names(directory.path()), ["file"]);
    }
}
