//! What must be there, or be noticed, when the server is compiled.

fn main() {
    // Migrations are embedded: a file more is a reason to compile again.
    println!("cargo::rerun-if-changed=../migrations/console");
    // A debug build reads the browser's half from here whenever it is asked for, but only if the folder was there first.
    let site = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/site/pkg");
    std::fs::create_dir_all(site).unwrap_or_else(|error| panic!("{site}: {error}"));
}
