//! Which records a command is about.

use app::model::{Fault, Pattern, Qualifier, Search, SearchProblem, Status};

#[derive(Debug, clap::Args)]
pub(super) struct Which {
    #[arg(long, value_parser = parse_status)]
    pub(super) status: Option<Status>,
    #[arg(long)]
    pub(super) r#type: Option<String>,
    #[arg(long)]
    pub(super) key: Option<String>,
    /// A search as on the Records page: 'status:processing age:>10m key:2023*'.
    #[arg(long, value_name = "SEARCH")]
    pub(super) query: Option<String>,
}

fn parse_status(word: &str) -> Result<Status, String> {
    Status::parse(word).ok_or_else(|| format!("accepted: {}", Status::ALL.map(Status::as_str).join(", ")))
}

impl Which {
    /// Nothing is said, so all are meant.
    pub(super) fn is_all(&self) -> bool {
        self.status.is_none() && self.r#type.is_none() && self.key.is_none() && self.query.is_none()
    }

    /// What the options say together.
    pub(super) fn search(&self) -> Result<Search, Fault> {
        let mut search = Search::parse(self.query.as_deref().unwrap_or_default())?;
        if let Some(key) = &self.key {
            if search.filter.key.is_some() {
                let problem = SearchProblem::Doubled(Qualifier::Key);
                return Err(Fault::BadSearch { at: 1, found: key.clone(), problem });
            }
            search.filter.key = Some(Pattern::Is(key.clone()));
        }
        search.beside(self.status, self.r#type.clone())
    }
}
