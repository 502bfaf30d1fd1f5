//! How many rows are ticked.

words! {
    picked: "Picked rows", "勾选的行";
    picked_n(n): "Picked rows, {n}", "勾选的行，{n} 条";
}
