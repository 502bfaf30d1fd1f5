//! What people of Oncewatch see. Compiled twice: `ssr` into the server, `hydrate` into the browser's WebAssembly.
//!
//! Start at [`pages`]: a page is a query parsed from the URL, data loaded through [`reads::Reads`] and a view.
//! Nothing here names a database, Redis or a broker.

#[cfg(all(feature = "ssr", feature = "hydrate"))]
compile_error!("the features `ssr` and `hydrate` exclude each other: build `app` once for each");

pub mod charts;
pub mod islands;
pub mod model;
pub mod reads;
pub mod ui;
pub mod words;

// The browser hydrates islands; whole pages are the server's.
#[cfg(feature = "ssr")]
pub mod context;
#[cfg(feature = "ssr")]
pub mod layout;
#[cfg(feature = "ssr")]
pub mod pages;

/// What [`charts`] draws of a chart in JSON, as WebAssembly: it must be what the server draws.
#[cfg(feature = "drawings")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn draw(kind: &str, json: &str) -> Result<String, String> {
    let unreadable = |error: serde_json::Error| error.to_string();
    match kind {
        "line" => serde_json::from_str(json).map(|chart| charts::line(&chart)).map_err(unreadable),
        "bars" => serde_json::from_str(json).map(|chart| charts::bars(&chart)).map_err(unreadable),
        "spark" => serde_json::from_str(json).map(|chart| charts::spark(&chart)).map_err(unreadable),
        _ => Err(format!("there is no chart {kind:?}")),
    }
}

/// Called by the page's script once the WebAssembly has loaded; the script then hydrates the islands one by one.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_islands();
    islands::attend();
}
