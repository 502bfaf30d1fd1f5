//! Migrations are embedded when the server is compiled, so a file more is a reason to compile it again.

fn main() {
    println!("cargo::rerun-if-changed=../migrations/console");
}
