//! What the bar says of rows that came: words of the browser alone.

words! {
    at_least(n): "{n}+ new", "{n}+ 条新的";
    show_at_least(n): "Show {n}+ new rows", "显示 {n}+ 条新的";
}

counted! {
    rows(n): "{n} new", "{n} new", "{n} 条新的";
    show_rows(n): "Show {n} new row", "Show {n} new rows", "显示 {n} 条新的";
}
