//! A certificate for services that speak TLS: made by openssl, signed by itself, for this machine only.

use super::folder;
use crate::program::{self, Program};
use anyhow::Context;
use std::path::PathBuf;
use tempfile::TempDir;
use tokio::process::Command;

const OPENSSL: Program = Program { name: "openssl", folders: &["/usr/bin"], package: "openssl" };

/// It is no authority: who trusts it, trusts this one certificate.
const REQUEST: &str = "
[req]
prompt = no
distinguished_name = name
x509_extensions = extensions
[name]
CN = lab
[extensions]
basicConstraints = critical, CA:FALSE
subjectAltName = IP:127.0.0.1, DNS:localhost
";

/// Its files go when it is dropped.
#[derive(Debug)]
pub struct Certificate(TempDir);

impl Certificate {
    /// # Errors
    /// When openssl is not installed, or refuses.
    pub async fn make() -> anyhow::Result<Self> {
        let made = Self(folder("certificate")?);
        let request = made.0.path().join("request");
        std::fs::write(&request, REQUEST).context("write the request of a certificate")?;
        let mut command = Command::new(OPENSSL.find()?);
        command.args(["req", "-x509", "-days", "2", "-nodes", "-newkey", "ec"]);
        command.args(["-pkeyopt", "ec_paramgen_curve:prime256v1", "-config"]).arg(request);
        command.arg("-keyout").arg(made.key()).arg("-out").arg(made.file());
        program::run(&mut command).await?;
        Ok(made)
    }

    /// PEM; also what a client has to trust.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.0.path().join("certificate.pem")
    }

    pub(super) fn key(&self) -> PathBuf {
        self.0.path().join("key.pem")
    }
}
