//! Cursors of lists: opaque in URLs, the exact stored values inside.

use super::dialect::Direction;
use super::raw::Raw;
use app::model::Fault;
use serde::{Deserialize, Serialize};

/// Where a row stands in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Position {
    /// The status code of the stream that the row came from, where a list is put together from several.
    pub code: Option<Raw>,
    /// Its values in the columns of the order.
    pub by: Vec<Raw>,
}

/// The page on the far side of a row; without one, from the end that the direction comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cursor {
    pub direction: Direction,
    pub position: Option<Position>,
}

/// A 4 KB key in an order of two columns fits.
pub const MAX_TOKEN: usize = 32 * 1024;

impl Cursor {
    pub fn token(direction: Direction, position: Position) -> Result<String, Fault> {
        let json = serde_json::to_vec(&Self { direction, position: Some(position) })
            .map_err(|error| unreadable(&error.to_string()))?;
        Ok(hex::encode(json))
    }

    pub fn parse(token: &str) -> Result<Self, Fault> {
        if token.len() > MAX_TOKEN {
            return Err(unreadable("it is too long"));
        }
        let json = hex::decode(token).map_err(|error| unreadable(&error.to_string()))?;
        serde_json::from_slice(&json).map_err(|error| unreadable(&error.to_string()))
    }
}

/// Also for a cursor that belongs to another list.
pub fn unreadable(why: &str) -> Fault {
    Fault::BadInput { what: "cursor".into(), detail: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Position};
    use crate::adapters::records::dialect::Direction;
    use crate::adapters::records::raw::Raw;

    #[test]
    fn every_digit_survives_the_url() {
        let by =
            vec![Raw::Int(i128::from(u64::MAX)), Raw::Text("订单 100%".into()), Raw::Bytes(vec![0, 255]), Raw::Null];
        let position = Position { code: Some(Raw::Text("FAILED".into())), by };
        let token = Cursor::token(Direction::Older, position.clone()).unwrap();
        assert_eq!(Cursor::parse(&token), Ok(Cursor { direction: Direction::Older, position: Some(position) }));
        assert!(Cursor::parse("zz").is_err());
        assert!(Cursor::parse("7b7d").is_err());
    }
}
