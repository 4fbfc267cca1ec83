use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A whole number with its ends.
pub(super) trait Number: FromStr + PartialOrd + Copy + Display + Send + Sync + 'static {
    const LEAST: Self;
    const MOST: Self;
}

macro_rules! number {
    ($($t:ty)*) => { $(impl Number for $t {
        const LEAST: $t = <$t>::MIN;
        const MOST: $t = <$t>::MAX;
    })* };
}

number!(u8 u16 u32 u64 i16);

/// Reads a whole number of a range, and says what was expected where there is none.
pub(super) fn whole<T: Number>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a whole number, {} to {}", range.start(), range.end()))
    }
}

/// Reads any whole number of a type.
pub(super) fn any<T: Number>(text: &str) -> Result<T, String> {
    whole(T::LEAST..=T::MOST)(text)
}

/// Reads a number that need not be whole.
pub(super) fn real(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected a number, such as 0.9".to_owned())
}

/// Reads a range of whole numbers, either end of which may be left out.
pub(super) fn range<T: Number>(text: &str) -> Result<RangeInclusive<T>, String> {
    let end = |text: &str, open: T| if text.is_empty() { Some(open) } else { text.parse().ok() };
    let ends = text.split_once(':').and_then(|(from, to)| Some((end(from, T::LEAST)?, end(to, T::MOST)?)));
    match ends {
        Some((from, to)) if from <= to => Ok(from..=to),
        _ => Err("expected two whole numbers, the lower first, such as 8:200; either may be left out".into()),
    }
}
