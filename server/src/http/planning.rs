//! Plans that are being made, and those that could not be: what takes longer than a request is looked at on its own page.
//! In this process only; a plan that has been made stands in the state database.

use app::model::Fault;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Beyond so many, those that could not be made are forgotten.
const MOST: usize = 64;

/// Source and operation id.
type Key = (String, String);

#[derive(Clone, Default)]
pub(super) struct Planning(Arc<Mutex<HashMap<Key, State>>>);

enum State {
    Going,
    Failed(Fault),
}

/// Whether a plan of this id is made already.
pub(super) enum Begun {
    Here(Going),
    Elsewhere,
}

/// A plan that is being made. Dropped before its end it is forgotten.
pub(super) struct Going {
    key: Key,
    planning: Planning,
    fault: Option<Fault>,
}

impl Planning {
    pub fn begin(&self, source: &str, id: &str) -> Begun {
        let key = (source.to_owned(), id.to_owned());
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() >= MOST {
            plans.retain(|_, state| matches!(state, State::Going));
        }
        if matches!(plans.get(&key), Some(State::Going)) {
            return Begun::Elsewhere;
        }
        plans.insert(key.clone(), State::Going);
        Begun::Here(Going { key, planning: self.clone(), fault: None })
    }

    /// `None`: nothing is known here. `Err`: it could not be made.
    pub fn look(&self, source: &str, id: &str) -> Option<Result<(), Fault>> {
        let plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        plans.get(&(source.to_owned(), id.to_owned())).map(|state| match state {
            State::Going => Ok(()),
            State::Failed(fault) => Err(fault.clone()),
        })
    }
}

impl Going {
    pub fn end(mut self, fault: Option<Fault>) {
        self.fault = fault;
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        let mut plans = self.planning.0.lock().unwrap_or_else(PoisonError::into_inner);
        match self.fault.take() {
            None => plans.remove(&self.key),
            Some(fault) => plans.insert(self.key.clone(), State::Failed(fault)),
        };
    }
}
