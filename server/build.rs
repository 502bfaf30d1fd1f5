//! Migrations are embedded when the server is compiled, so a file more is a reason to compile it again.
#![expect(clippy::print_stdout, reason = "how a build script speaks to cargo")]

fn main() {
    println!("cargo::rerun-if-changed=../migrations/console");
}
