//! Who somebody is. People come in by name and password or by a one-time link and get a session cookie; scripts carry a
//! token. Every secret is 256 random bits and is stored only as its SHA-256: whoever reads the state database can sign
//! nobody in. What somebody may do is decided by the role, in `http::access` and `action`.

mod attempts;
mod link;
mod name;
mod password;
mod secret;
mod session;
mod sign_in;
mod token;

pub use attempts::Attempts;
pub use link::{
    LinkState, NewLink, create_first_admin, look_at_link, new_setup_link, new_signin_link, sign_in_by_link,
};
pub use name::parse_name;
pub use password::{MIN_CHARS, Passwords, hash_password};
pub use session::{Opened, Stay, close_session, find_session, form_token, open_session};
pub use sign_in::{NotSignedIn, SignIn};
pub use token::{NewToken, find_token, new_token};

use crate::ports::state::StateError;

#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    #[error("{found:?} is no name: 2 to 32 of a-z, 0-9, dot and dash are accepted")]
    BadName { found: String },
    #[error("the password has {found} characters: at least {MIN_CHARS} are needed")]
    ShortPassword { found: usize },
    #[error("the password has {found} bytes: at most {} are accepted", password::MAX_BYTES)]
    LongPassword { found: usize },
    #[error("there is no operator {name:?}")]
    NoOperator { name: String },
    #[error("the password of {name} was changed just now: sign in again")]
    PasswordChanged { name: String },
    #[error("the link does not work any more")]
    LinkClosed,
    #[error("the password could not be hashed: {0}")]
    Hashing(String),
    #[error(transparent)]
    State(#[from] StateError),
}
