//! What people of Oncewatch see. Compiled twice: `ssr` into the server, `hydrate` into the browser's WebAssembly.
//!
//! Start at [`pages`]: a page is a query parsed from the URL, data loaded through [`reads::Reads`] and a view.
//! Nothing here names a database, Redis or a broker.

#[cfg(all(feature = "ssr", feature = "hydrate"))]
compile_error!("the features `ssr` and `hydrate` exclude each other: build `app` once for each");

pub mod charts;
pub mod islands;
pub mod layout;
pub mod model;
pub mod pages;
pub mod reads;
pub mod ui;
pub mod words;
