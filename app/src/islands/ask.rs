//! One question to the server, beside the event stream.

use wasm_bindgen::JsCast;
use web_sys::Response;

/// What stands at this address; `None`: it was not answered, or with an error.
pub(super) async fn ask(address: &str) -> Option<String> {
    let asked = web_sys::window()?.fetch_with_str(address);
    let answer: Response = js_sys::futures::JsFuture::from(asked).await.ok()?.dyn_into().ok()?;
    if !answer.ok() {
        return None;
    }
    js_sys::futures::JsFuture::from(answer.text().ok()?).await.ok()?.as_string()
}
