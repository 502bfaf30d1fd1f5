use crate::http::asked::Asked;
use crate::http::page::Page;
use app::pages::records;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

pub async fn show(page: Page, Path(source): Path<String>, Asked(asked): Asked<Vec<(String, String)>>) -> Response {
    let loaded = records::load(page.reads(), &source, &records::Query::of(asked)).await;
    let loaded = match loaded {
        Ok(Err(shorter)) => return Redirect::to(&shorter).into_response(),
        Ok(Ok(data)) => Ok(data),
        Err(fault) => Err(fault),
    };
    let is_refused = loaded.as_ref().is_ok_and(records::Data::is_refused);
    let mut response = page.answer(Some(source), loaded, records::title, records::view).await;
    if is_refused {
        *response.status_mut() = StatusCode::BAD_REQUEST;
    }
    response
}
