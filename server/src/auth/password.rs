use super::AuthError;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use rand::RngCore;
use std::sync::LazyLock;
use tokio::sync::Semaphore;

/// Shorter ones fall to lists of known passwords, whatever signs they contain.
pub const MIN_CHARS: usize = 12;
/// Longer ones only cost time.
pub(super) const MAX_BYTES: usize = 1024;

/// OWASP's parameters for argon2id where memory is scarce: 19 MiB, two passes, one lane; tens of milliseconds on a small
/// server. More memory would let a few simultaneous sign-ins push a small container over its limit.
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
const LANES: u32 = 1;

/// Hashes that run at the same time: bounds both the memory and what sign-ins take from the pages' processors.
const AT_ONCE: usize = 2;

/// Compared with when there is no such operator, so that an unknown name costs the same time as a wrong password.
static NOBODY: LazyLock<Option<String>> = LazyLock::new(|| hash("nobody has this password").ok());

/// The hash that is stored, in PHC form. Takes tens of milliseconds: from async code use [`Passwords::hash`].
pub fn hash_password(password: &str) -> Result<String, AuthError> {
    let found = password.chars().count();
    if found < MIN_CHARS {
        return Err(AuthError::ShortPassword { found });
    }
    if password.len() > MAX_BYTES {
        return Err(AuthError::LongPassword { found: password.len() });
    }
    hash(password)
}

fn hash(password: &str) -> Result<String, AuthError> {
    let mut salt = [0; 16];
    rand::rng().fill_bytes(&mut salt);
    let salt = SaltString::encode_b64(&salt).map_err(|error| AuthError::Hashing(error.to_string()))?;
    let hash = argon2id()?.hash_password(password.as_bytes(), &salt);
    hash.map(|hash| hash.to_string()).map_err(|error| AuthError::Hashing(error.to_string()))
}

fn argon2id() -> Result<Argon2<'static>, AuthError> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(|error| AuthError::Hashing(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// Hashing off the async threads, a few at a time.
#[derive(Debug)]
pub struct Passwords {
    at_once: Semaphore,
}

impl Default for Passwords {
    fn default() -> Self {
        Self { at_once: Semaphore::new(AT_ONCE) }
    }
}

impl Passwords {
    pub async fn hash(&self, password: String) -> Result<String, AuthError> {
        self.blocking(move || hash_password(&password)).await?
    }

    /// `stored: None`: nobody has that name; takes the same time and is never right.
    pub async fn verify(&self, password: String, stored: Option<String>) -> Result<bool, AuthError> {
        self.blocking(move || {
            let Some(phc) = stored.as_ref().or(NOBODY.as_ref()) else { return Ok(false) };
            let parsed = PasswordHash::new(phc).map_err(|error| AuthError::Hashing(error.to_string()))?;
            let fits = password.len() <= MAX_BYTES;
            let attempt = if fits { password.as_bytes() } else { b"" };
            let right = argon2id()?.verify_password(attempt, &parsed).is_ok();
            Ok(right && fits && stored.is_some())
        })
        .await?
    }

    async fn blocking<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, AuthError> {
        let _turn = self.at_once.acquire().await.map_err(|error| AuthError::Hashing(error.to_string()))?;
        tokio::task::spawn_blocking(work).await.map_err(|error| AuthError::Hashing(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::{AuthError, Passwords, hash_password};

    #[tokio::test]
    async fn only_the_right_password_of_somebody_is_right() {
        let passwords = Passwords::default();
        let stored = passwords.hash("four words make one".into()).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert!(passwords.verify("four words make one".into(), Some(stored.clone())).await.unwrap());
        assert!(!passwords.verify("four words make two".into(), Some(stored.clone())).await.unwrap());
        assert!(!passwords.verify("x".repeat(1 << 20), Some(stored)).await.unwrap());
        assert!(!passwords.verify("nobody has this password".into(), None).await.unwrap());
    }

    #[test]
    fn short_and_endless_passwords_are_refused() {
        assert!(matches!(hash_password("elevenchars"), Err(AuthError::ShortPassword { found: 11 })));
        assert!(matches!(hash_password(&"x".repeat(1025)), Err(AuthError::LongPassword { .. })));
        assert!(hash_password("十二个汉字也算一个好密码").is_ok());
    }
}
