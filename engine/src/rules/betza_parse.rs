use super::betza::is_outward;
use super::betza_steps::{Directions, Shape, distances, spread};
use super::{Atom, Betza, BetzaError, Motion, Ride, UNLIMITED};

const ATOMS: &str = "an atom (W F D N A H C/L Z/J G K R B Q (m,n) t[XY])";
const ATOMS_OR_MODIFIERS: &str =
    "an atom (W F D N A H C/L Z/J G K R B Q (m,n) t[XY]) or a modifier (m c f b l r v s i n)";
/// Longest step and longest range that a 12 x 12 board can use.
const LONGEST: u8 = 11;

/// Reads a whole movement; see [`Betza::parse`].
pub(super) fn parse(text: &str) -> Result<Betza, BetzaError> {
    let mut parser = Parser { chars: text.chars().collect(), at: 0 };
    let mut atoms = Vec::new();
    while atoms.is_empty() || parser.at < parser.chars.len() {
        atoms.push(parser.atom()?);
    }
    Ok(Betza { text: text.to_owned(), atoms })
}

struct Parser {
    chars: Vec<char>,
    at: usize,
}

/// The letters before an atom. The positions are those of the first letter of each sort.
#[derive(Default)]
struct Modifiers {
    quiet: Option<usize>,
    capture: Option<usize>,
    initial: Option<usize>,
    lame: Option<usize>,
    directions: Directions,
    direction: Option<usize>,
    doubled: Option<usize>,
    any: bool,
}

/// An atom's steps before directions, and where it starts.
struct Base {
    at: usize,
    steps: Vec<(i8, i8)>,
    max: u8,
}

impl Parser {
    fn atom(&mut self) -> Result<Atom, BetzaError> {
        let modifiers = self.modifiers()?;
        let motion = if self.peek() == Some('t') {
            self.then(&modifiers)?
        } else {
            let base = self.base(modifiers.any, false)?;
            let ride = self.directed(&modifiers, base)?;
            match modifiers.lame {
                Some(at) => Motion::Lame(self.lame(at, ride)?),
                None => Motion::Ride(ride),
            }
        };
        Ok(Atom {
            initial: modifiers.initial.is_some(),
            quiet: modifiers.quiet.is_some() || modifiers.capture.is_none(),
            capture: modifiers.capture.is_some() || modifiers.quiet.is_none(),
            motion,
        })
    }

    fn modifiers(&mut self) -> Result<Modifiers, BetzaError> {
        let mut modifiers = Modifiers::default();
        while let Some(letter) = self.peek() {
            let at = self.at;
            if let Some(count) = modifiers.directions.counter(letter) {
                *count += 1;
                let count = *count;
                if count > 2 || count > 1 && matches!(letter, 'v' | 's') {
                    return Err(self.error(
                        at,
                        format!("another '{letter}'"),
                        "each direction letter once".into(),
                    ));
                }
                modifiers.direction.get_or_insert(at);
                if count == 2 {
                    modifiers.doubled.get_or_insert(at);
                }
            } else {
                let slot = match letter {
                    'm' => &mut modifiers.quiet,
                    'c' => &mut modifiers.capture,
                    'i' => &mut modifiers.initial,
                    'n' => &mut modifiers.lame,
                    _ => break,
                };
                if slot.replace(at).is_some() {
                    return Err(self.error(at, format!("another '{letter}'"), "each modifier once".into()));
                }
            }
            modifiers.any = true;
            self.at += 1;
        }
        Ok(modifiers)
    }

    /// An atom without its modifiers. A `leaper` is the X of `t[XY]`: no rider, no range.
    fn base(&mut self, modified: bool, leaper: bool) -> Result<Base, BetzaError> {
        let at = self.at;
        let queen = || [spread(0, 1), spread(1, 1)].concat();
        let (mut steps, mut max) = match self.peek() {
            Some('W') => (spread(0, 1), 1),
            Some('F') => (spread(1, 1), 1),
            Some('D') => (spread(0, 2), 1),
            Some('N') => (spread(1, 2), 1),
            Some('A') => (spread(2, 2), 1),
            Some('H') => (spread(0, 3), 1),
            Some('C' | 'L') => (spread(1, 3), 1),
            Some('Z' | 'J') => (spread(2, 3), 1),
            Some('G') => (spread(3, 3), 1),
            Some('K') => (queen(), 1),
            Some('R') => (spread(0, 1), UNLIMITED),
            Some('B') => (spread(1, 1), UNLIMITED),
            Some('Q') => (queen(), UNLIMITED),
            Some('(') => (self.pair()?, 1),
            _ => {
                let expected = if modified { ATOMS } else { ATOMS_OR_MODIFIERS };
                return Err(self.error(at, self.found(at), expected.into()));
            }
        };
        steps.sort_unstable();
        if self.chars[at] != '(' {
            self.at += 1;
        }
        if leaper {
            if max > 1 {
                let expected = "a leaper first in t[XY] (W F D N A H C/L Z/J G K (m,n))";
                return Err(self.error(at, self.found(at), expected.into()));
            }
            if self.peek().is_some_and(|c| c.is_ascii_digit()) {
                let expected = "no range on the first part of t[XY], which is one step";
                return Err(self.error(self.at, self.found(self.at), expected.into()));
            }
            return Ok(Base { at, steps, max });
        }
        if self.chars[at] != '(' && self.peek() == Some(self.chars[at]) {
            let letter = self.chars[at];
            if max > 1 {
                let expected = format!("one '{letter}', which is a rider already");
                return Err(self.error(self.at, format!("another '{letter}'"), expected));
            }
            max = UNLIMITED;
            self.at += 1;
        }
        if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            let digits = self.at;
            max = self.number().filter(|n| (1..=LONGEST).contains(n)).ok_or_else(|| {
                self.error(digits, self.between(digits), format!("a range from 1 to {LONGEST}"))
            })?;
        }
        Ok(Base { at, steps, max })
    }

    /// `(m,n)`.
    fn pair(&mut self) -> Result<Vec<(i8, i8)>, BetzaError> {
        let open = self.at;
        self.at += 1;
        let m = self.distance()?;
        self.expect(',', "',' between the two distances of (m,n)")?;
        let n = self.distance()?;
        self.expect(')', "')' to close (m,n)")?;
        if (m, n) == (0, 0) {
            return Err(self.error(open, "(0,0)".into(), "a leap that leaves its square".into()));
        }
        Ok(spread(m, n))
    }

    fn distance(&mut self) -> Result<i8, BetzaError> {
        let at = self.at;
        let number = self.number().filter(|&n| n <= LONGEST).and_then(|n| i8::try_from(n).ok());
        number.ok_or_else(|| {
            let found = if self.at == at { self.found(at) } else { self.between(at) };
            self.error(at, found, format!("a distance from 0 to {LONGEST}"))
        })
    }

    /// Takes all digits that follow; `None` if there are none or the number is beyond 255.
    fn number(&mut self) -> Option<u8> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        self.between(start).parse().ok()
    }

    /// `t[XY]`.
    fn then(&mut self, outside: &Modifiers) -> Result<Motion, BetzaError> {
        let start = self.at;
        if let Some(at) = outside.direction {
            let expected = "directions inside the brackets: before t only m, c and i";
            return Err(self.error(at, self.found(at), expected.into()));
        }
        if let Some(at) = outside.lame {
            return Err(self.error(at, "'n'".into(), "before t only m, c and i".into()));
        }
        self.at += 1;
        self.expect('[', "'[' after t")?;
        let first = self.part(true)?;
        let second = self.part(false)?;
        self.expect(']', "']' after the two parts of t[XY]")?;
        if !first.steps.iter().any(|&x| second.steps.iter().any(|&y| is_outward(x, y))) {
            let expected = "a second part that goes on outward from the first";
            return Err(self.error(start, self.between(start), expected.into()));
        }
        Ok(Motion::Then(first, second))
    }

    fn part(&mut self, leaper: bool) -> Result<Ride, BetzaError> {
        let modifiers = self.modifiers()?;
        let others = [modifiers.quiet, modifiers.capture, modifiers.initial, modifiers.lame];
        if let Some(at) = others.into_iter().flatten().min() {
            let expected = "only directions (f b l r v s) inside the brackets";
            return Err(self.error(at, self.found(at), expected.into()));
        }
        let base = self.base(modifiers.any, leaper)?;
        self.directed(&modifiers, base)
    }

    fn directed(&self, modifiers: &Modifiers, mut base: Base) -> Result<Ride, BetzaError> {
        if let Some(at) = modifiers.doubled
            && !base.steps.iter().all(|&step| Shape::of(step) == Shape::Oblique)
        {
            let expected = "one direction letter: doubled letters go with oblique leaps such as N";
            return Err(self.error(at, format!("another {}", self.found(at)), expected.into()));
        }
        base.steps.retain(|&step| modifiers.directions.allow(step));
        if base.steps.is_empty() {
            let at = modifiers.direction.unwrap_or(base.at);
            let found = format!("{}, which leaves no step", self.between(at));
            return Err(self.error(at, found, "directions that agree with each other".into()));
        }
        Ok(Ride { steps: base.steps, max: base.max })
    }

    fn lame(&self, at: usize, ride: Ride) -> Result<Vec<(i8, i8)>, BetzaError> {
        let passes_squares = |&step: &(i8, i8)| match Shape::of(step) {
            Shape::Oblique => distances(step) == (2, 1),
            _ => distances(step).0 > 1,
        };
        if ride.max == 1 && ride.steps.iter().all(passes_squares) {
            return Ok(ride.steps);
        }
        let found = format!("'n' before {}", self.between(at + 1));
        let expected =
            "'n' only before a single leap of two or more squares in line (D A H G (m,0) (m,m)) or N";
        Err(self.error(at, found, expected.into()))
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn expect(&mut self, wanted: char, expected: &str) -> Result<(), BetzaError> {
        if self.peek() != Some(wanted) {
            return Err(self.error(self.at, self.found(self.at), expected.into()));
        }
        self.at += 1;
        Ok(())
    }

    /// The text from `start` to here.
    fn between(&self, start: usize) -> String {
        self.chars.get(start..self.at).unwrap_or_default().iter().collect()
    }

    fn found(&self, at: usize) -> String {
        match self.chars.get(at) {
            Some(c) => format!("'{}'", c.escape_debug()),
            None => "the end".into(),
        }
    }

    fn error(&self, at: usize, found: String, expected: String) -> BetzaError {
        BetzaError { column: at + 1, found, expected }
    }
}
