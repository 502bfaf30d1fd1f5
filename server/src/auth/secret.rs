use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::RngCore;
use sha2::{Digest, Sha256};

/// 256 random bits as text that is safe in cookies, URLs and headers (43 characters).
pub(super) fn random() -> String {
    let mut bytes = [0; 32];
    rand::rng().fill_bytes(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What is stored in place of a secret. Plain SHA-256 is enough, unlike for passwords: 256 random bits cannot be guessed.
pub(super) fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}
