//! All styles as one file: a console has few pages, and one request that is cached beats many.

macro_rules! sheet {
    ($($name:literal)+) => {
        /// What `/pkg/oncewatch.css` answers. The order matters: tokens, base, then components as pages meet them.
        pub const CSS: &str = concat!($(include_str!(concat!("../../../style/", $name, ".css")), "\n",)+);
    };
}

sheet! {
    "tokens" "base"
    "bar" "nav" "count" "button" "menu" "field" "pill" "panel" "tile" "explain" "spark" "chart" "attention" "headline"
    "filter" "selbar" "seg" "table" "step" "verdict" "layer" "lanes" "timeline" "reasons" "release" "note" "plan" "confirm" "progress"
    "toast" "state" "sign" "code" "entry"
}
