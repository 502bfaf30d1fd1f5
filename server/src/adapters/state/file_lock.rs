//! One server per SQLite file. SQLite itself would let two of them write in turns, each taking the other for a stranger.

use super::failure::failed;
use crate::ports::state::StateError;
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// Held until dropped; the operating system lets go of it when the process dies, however it dies. The file stays: removing
/// it would let a third server lock a new file of that name while the second holds the old one.
pub(super) struct FileLock {
    _file: File,
}

impl FileLock {
    pub(super) fn take(database: &Path) -> Result<Self, StateError> {
        // By its real name, so that a link to it is no second file. One that does not exist yet has no links.
        let path = beside(&std::fs::canonicalize(database).unwrap_or_else(|_| database.to_owned()));
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|error| failed(format!("the lock file {} cannot be opened: {error}", path.display())))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(StateError::Locked(format!(
                "another server uses {}; stop it, or give this one its own file in state.url \
                 (several servers share PostgreSQL or MySQL)",
                database.display()
            ))),
            Err(TryLockError::Error(error)) => {
                Err(failed(format!("{} cannot be locked: {error}; put the state on a local disk", path.display())))
            }
        }
    }
}

fn beside(database: &Path) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(".lock");
    name.into()
}
