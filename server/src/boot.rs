//! The only file that names adapters.
