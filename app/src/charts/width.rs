//! How wide text is, by one table for server and browser alike: nobody asks a font. It errs on the wide side, because
//! margins are made from it.

/// Text size in tenths of a unit: as drawn in a wide place.
pub(super) const SMALL: i32 = 110;
/// As drawn in a narrow place, where CSS enlarges it: margins must do for both.
pub(super) const LARGE: i32 = 160;

/// Advance of the printable ASCII characters in thousandths of an em, after Arial and its like.
#[rustfmt::skip]
const ASCII: [i32; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, // space to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
];

/// In tenths of a unit, for text of that size. Fonts differ, hence the tenth on top.
pub(super) fn of(text: &str, size: i32) -> i32 {
    let thousandths: i64 = text.chars().map(|character| i64::from(advance(character))).sum();
    i32::try_from(thousandths * i64::from(size) * 11 / 10_000).unwrap_or(i32::MAX)
}

/// The same for bold text, which CSS makes of the class `strong`.
pub(super) fn strong(text: &str, size: i32) -> i32 {
    of(text, size).saturating_mul(23) / 20
}

/// The text, or its beginning and `…` where it is wider than `limit`.
pub(super) fn cut(text: &str, size: i32, limit: i32) -> String {
    if of(text, size) <= limit {
        return text.to_owned();
    }
    let mut short = String::new();
    for character in text.chars() {
        short.push(character);
        if of(&short, size) + of("…", size) > limit {
            short.pop();
            break;
        }
    }
    short.push('…');
    short
}

fn advance(character: char) -> i32 {
    match character {
        ' '..='~' => ASCII[usize::from(character as u8 - b' ')],
        // Combining marks and joiners stand on the letter before.
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '…' => 1000,
        // Korean, Chinese and Japanese, their punctuation and full-width forms, pictures.
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' => 1000,
        '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff60}' => 1000,
        '\u{1f000}'..='\u{3ffff}' => 1300,
        _ => 667,
    }
}

#[cfg(test)]
mod tests {
    use super::{SMALL, cut, of};

    #[test]
    fn latin_and_chinese_are_measured() {
        assert_eq!(of("", SMALL), 0);
        assert_eq!(of("0", SMALL), 67);
        assert_eq!(of("订单", SMALL), 242);
        assert!(of("iiii", SMALL) < of("WWWW", SMALL));
    }

    #[test]
    fn long_text_is_cut_to_its_place() {
        assert_eq!(cut("ORDER_DONE", SMALL, 2000), "ORDER_DONE");
        let short = cut(&"订单".repeat(100), SMALL, 1000);
        assert!(of(&short, SMALL) <= 1000 && short.ends_with('…'), "{short}");
        assert_eq!(cut("订单", SMALL, 0), "…");
    }
}
