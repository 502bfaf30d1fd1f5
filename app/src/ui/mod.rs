//! Components: props in, HTML out. Class names are those of `style/`, one file of the same name each.

mod zone;

pub use zone::Zone;
