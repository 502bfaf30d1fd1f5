//! Finding the services' programs, and saying what to install when one is missing.

use crate::environment;
use anyhow::Context;
use std::path::{Path, PathBuf};

/// A program of a service, looked for in PATH and where distributions put daemons.
pub struct Program {
    pub name: &'static str,
    /// Beside PATH; a `*` stands for one folder name, and the greatest (the newest version) wins.
    pub folders: &'static [&'static str],
    /// What to install when it is missing.
    pub package: &'static str,
}

impl Program {
    pub fn find(&self) -> anyhow::Result<PathBuf> {
        let path = environment::read("PATH").unwrap_or_default();
        let known = self.folders.iter().flat_map(|folder| expand(folder));
        // The known folders first: the names in PATH may be wrappers that change user or drop the environment.
        known
            .chain(std::env::split_paths(&path))
            .map(|folder| folder.join(self.name))
            .find(|file| file.is_file())
            .with_context(|| {
                format!("{} is not installed: ./dev test installs it, or: apt-get install {}", self.name, self.package)
            })
    }

    pub fn is_installed(&self) -> bool {
        self.find().is_ok()
    }
}

fn expand(pattern: &str) -> Vec<PathBuf> {
    let Some((parent, rest)) = pattern.split_once("/*/") else { return vec![PathBuf::from(pattern)] };
    // A folder that is not there holds no program: the search goes on elsewhere.
    let Ok(entries) = std::fs::read_dir(parent) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path().join(rest)).collect();
    folders.sort();
    folders.reverse();
    folders
}

/// Runs a program that prepares a data folder, to its end.
pub async fn run(command: &mut tokio::process::Command) -> anyhow::Result<String> {
    let name = Path::new(command.as_std().get_program()).display().to_string();
    let output = command.kill_on_drop(true).output().await.with_context(|| format!("run {name}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if !output.status.success() {
        anyhow::bail!("{name} failed ({}):\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr));
    }
    Ok(text(&output.stdout))
}
