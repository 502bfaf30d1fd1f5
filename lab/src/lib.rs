//! Private services on free ports for tests, the demo, drills and benches.
