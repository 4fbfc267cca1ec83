use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::betza::is_outward;
use super::betza_steps::{distances, spread};
use super::{Atom, Betza, Motion, Ride, UNLIMITED};

type Step = (i8, i8);

impl Betza {
    /// One spelling of the movement for all texts that mean the same; see [`canonical`].
    #[must_use]
    pub fn canonical(&self) -> String {
        canonical(&self.atoms)
    }
}

/// One spelling for all movements that mean the same: `C` and `L`, `K` and `WF`, `HL` and `LH`, `W` and `mWcW`.
///
/// It lists the single steps, not Betza letters: fingerprints are made of it.
pub fn canonical<'a>(atoms: impl IntoIterator<Item = &'a Atom>) -> String {
    // What a step is, without what it may do at its end: (initial, form, length, step, continuations).
    type Path = (bool, &'static str, u8, Step, Option<(u8, Vec<Step>)>);
    let mut paths: BTreeMap<Path, (bool, bool)> = BTreeMap::new();
    for atom in atoms {
        let mut add = |form, max, step, on| {
            let ends = paths.entry((atom.initial, form, max, step, on)).or_default();
            *ends = (ends.0 || atom.quiet, ends.1 || atom.capture);
        };
        match &atom.motion {
            Motion::Ride(ride) => ride.steps.iter().for_each(|&step| add("ride", ride.max, step, None)),
            Motion::Lame(steps) => steps.iter().for_each(|&step| add("lame", 1, step, None)),
            Motion::Then(first, second) => {
                for &step in &first.steps {
                    let on: Vec<Step> =
                        second.steps.iter().copied().filter(|&d| is_outward(step, d)).collect();
                    match on.is_empty() {
                        true => add("ride", 1, step, None),
                        false => add("then", 1, step, Some((second.max, on))),
                    }
                }
            }
        }
    }
    let mut text = String::new();
    for ((initial, form, max, step, on), (quiet, capture)) in paths {
        let mark = |set, letter| if set { letter } else { "" };
        let _ = write!(
            text,
            "{}{}{}{form}{max}({},{})",
            mark(initial, "i"),
            mark(quiet, "m"),
            mark(capture, "c"),
            step.0,
            step.1
        );
        if let Some((max, on)) = on {
            let _ = write!(text, ">{max}");
            on.iter().for_each(|(dx, dy)| {
                let _ = write!(text, "({dx},{dy})");
            });
        }
        text.push(';');
    }
    text
}

/// A movement in words, its parts separated by semicolons.
pub fn describe<'a>(atoms: impl IntoIterator<Item = &'a Atom>) -> String {
    let parts: Vec<String> = atoms.into_iter().map(describe_atom).collect();
    if parts.is_empty() { "does not move".into() } else { parts.join("; ") }
}

fn describe_atom(atom: &Atom) -> String {
    let mut text = String::new();
    if atom.initial {
        text.push_str("while it has not moved, ");
    }
    match &atom.motion {
        Motion::Ride(ride) => text.push_str(&ride_words(ride)),
        Motion::Lame(steps) => {
            let ride = Ride { steps: steps.clone(), max: 1 };
            let _ = write!(text, "{} if nothing stands in between", ride_words(&ride));
        }
        Motion::Then(first, second) => {
            let _ = write!(text, "{}, then from an empty square may go on outward: ", ride_words(first));
            text.push_str(&ride_words(second));
        }
    }
    match (atom.quiet, atom.capture) {
        (true, false) => text.push_str(", only without capture"),
        (false, true) => text.push_str(", only to capture"),
        _ => {}
    }
    text
}

fn ride_words(ride: &Ride) -> String {
    let mut leaps: Vec<Step> = ride.steps.iter().map(|&step| distances(step)).collect();
    leaps.sort_unstable();
    leaps.dedup();
    let way = direction_words(&ride.steps, &leaps);
    let whole = way.is_empty();
    if leaps.iter().all(|leap| leap.0 == 1) {
        let line = match (leaps.as_slice(), ride.max, whole) {
            ([(1, 0)], 1, true) => " along the rank or file",
            ([(1, 0)], _, true) => " along ranks and files",
            ([(1, 1)], ..) => " diagonally",
            (_, _, true) => " in any direction",
            _ => "",
        };
        let verb = match ride.max {
            1 => "steps one square".into(),
            UNLIMITED => "slides".into(),
            max => format!("slides up to {max} squares"),
        };
        return format!("{verb}{line}{way}");
    }
    let names: Vec<String> = leaps.iter().map(|(long, short)| format!("({long},{short})")).collect();
    let names = names.join(" or ");
    match ride.max {
        1 => format!("leaps {names}{way}"),
        UNLIMITED => format!("rides {names} leaps in line, any number of them{way}"),
        max => format!("rides {names} leaps in line, up to {max} of them{way}"),
    }
}

/// Which of the leaps' directions are meant: nothing if all are.
fn direction_words(steps: &[Step], leaps: &[Step]) -> String {
    let all: Vec<Step> = leaps.iter().flat_map(|&(m, n)| spread(m, n)).collect();
    type Way = (&'static str, fn(&Step) -> bool);
    let ways: [Way; 9] = [
        ("", |_| true),
        (" forward", |step| step.1 > 0),
        (" backward", |step| step.1 < 0),
        (" to the left", |step| step.0 < 0),
        (" to the right", |step| step.0 > 0),
        (" sideways", |step| step.1 == 0),
        (" forward or backward", |step| step.0 == 0),
        (" mainly forward", |step| step.1 > step.0.abs()),
        (" mainly backward", |step| -step.1 > step.0.abs()),
    ];
    for (words, goes) in ways {
        if all.iter().filter(|step| goes(step)).count() == steps.len() && steps.iter().all(goes) {
            return words.into();
        }
    }
    let list: Vec<String> = steps.iter().map(|(dx, dy)| format!("({dx:+},{dy:+})")).collect();
    format!(" by {}", list.join(" "))
}
