//! What a browser can be made to do by other sites, and what stands against it: foreign host names (DNS rebinding) are
//! refused, unsafe methods must come from our own pages, and headers forbid everything that the pages do not need.

pub(super) mod headers;
mod host;
mod site;

pub(super) use host::{Hosts, known_host};
pub(super) use site::same_site;
