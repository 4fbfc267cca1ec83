//! The kinds of piece and the royal piece's leap.

use std::cmp::Reverse;

use super::check::{Check, text_of};
use super::file::{At, Entry, quote};
use super::problem::nearest;
use super::{Atom, Betza, KindDef, LeapRule, Motion};

/// Most kinds a ruleset may have.
const MAX_KINDS: usize = 16;

/// A kind and how sure its parts are.
pub(super) struct Draft {
    pub kind: KindDef,
    /// Where the nearest file names it.
    pub at: At,
    /// False if the letter is missing, bad or another kind's too.
    pub has_letter: bool,
}

/// The kinds in an order that does not depend on the file's: the royal one, the others by pips and key, the pawn.
pub(super) fn kinds(check: &mut Check<'_>) -> Vec<Draft> {
    let tables = check.merged.tables.iter();
    let keys: Vec<(String, At)> =
        tables.filter_map(|(path, at)| Some((path.strip_prefix("piece.")?.to_owned(), *at))).collect();
    let mut drafts: Vec<Draft> = Vec::with_capacity(keys.len());
    for (key, at) in &keys {
        let draft = draft(check, key, *at, &keys);
        drafts.push(draft);
    }
    if drafts.len() > MAX_KINDS {
        let at = check.place_of("piece");
        check.refuse(at, format!("{} kinds of piece", drafts.len()), format!("at most {MAX_KINDS}"), "");
    }
    unique(check, &mut drafts);
    roles(check, &drafts);
    drafts.sort_by(|a, b| order(&a.kind).cmp(&order(&b.kind)));
    drafts
}

fn order(kind: &KindDef) -> (bool, bool, Reverse<Option<u8>>, &str) {
    (!kind.royal, kind.pawn, Reverse(kind.pips), &kind.key)
}

fn draft(check: &mut Check<'_>, key: &str, at: At, keys: &[(String, At)]) -> Draft {
    let path = |name: &str| format!("piece.{key}.{name}");
    // A slip in an inherited piece's key would look like a new kind.
    let others = keys.iter().filter(|(other, place)| other != key && place.file > at.file);
    let meant = nearest(key, others.map(|(other, _)| other.as_str()));
    let hint = meant.map_or(String::new(), |meant| format!("or did you mean [piece.{meant}]?"));
    for name in ["letter", "betza"] {
        if !check.has(&path(name)) {
            check.missing(&path(name), hint.clone());
        }
    }
    let name = if check.has(&path("name")) { check.line(&path("name")) } else { key.replace('-', " ") };
    let letter = letter(check, &path("letter"));
    let betza = match check.entry(&path("betza")).and_then(text_of) {
        Some((text, entry)) => movement(check, text, entry),
        None => None,
    };
    let first_move = match check.entry(&path("first_move")).and_then(text_of) {
        Some((text, entry)) if !text.is_empty() => movement(check, text, entry),
        _ => None,
    };
    let pips = check.integer(&path("pips"), 1..=8, "1 to 8, a face of the die");
    let royal = check.flag(&path("royal")).map_or(key == "king", |(flag, _)| flag);
    let pawn = check.flag(&path("pawn")).map_or(key == "pawn", |(flag, _)| flag);
    if royal && pawn {
        check.refuse(at, format!("{key}, both royal and a pawn"), "one of the two", "");
    }
    let kind = KindDef {
        key: key.to_owned(),
        name,
        letter: letter.unwrap_or('?'),
        betza: betza.unwrap_or(Betza { text: String::new(), atoms: Vec::new() }),
        first_move,
        pips: pips.and_then(|(n, _)| u8::try_from(n).ok()),
        royal,
        pawn,
    };
    first_moves(check, &kind);
    Draft { kind, at, has_letter: letter.is_some() }
}

fn letter(check: &mut Check<'_>, path: &str) -> Option<char> {
    let (text, entry) = check.entry(path).and_then(text_of)?;
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(letter), None) if letter.is_ascii_uppercase() => Some(letter),
        _ => {
            let hint = "a FEN writes White's men with it and Black's with its small form";
            check.refuse(entry.at, format!("letter = {}", quote(text)), "one capital letter A to Z", hint);
            None
        }
    }
}

fn movement(check: &mut Check<'_>, text: &str, entry: &Entry) -> Option<Betza> {
    match Betza::parse(text) {
        Ok(betza) => Some(betza),
        Err(error) => {
            let found = format!("{} in column {} of the movement {}", error.found, error.column, quote(text));
            check.refuse_inside(entry, error.column - 1, found, error.expected, String::new());
            None
        }
    }
}

/// What a kind may do before it has moved.
fn first_moves(check: &mut Check<'_>, kind: &KindDef) {
    let path = |name: &str| format!("piece.{}.{name}", kind.key);
    if let (Some(first), Some(entry)) = (&kind.first_move, check.entry(&path("first_move"))) {
        let mut atoms = kind.betza.atoms.iter().chain(&first.atoms);
        if kind.pawn {
            let hint = "mark what it may do on its array rank with i, as in mfWcfFimfnD";
            check.refuse(entry.at, "first_move of a pawn", "no first_move", hint);
        } else if atoms.any(|atom| atom.initial) {
            let hint = "first_move replaces betza, i adds to it; first_move = \"\" drops an inherited one";
            check.refuse(entry.at, "first_move beside atoms marked i", "one of the two", hint);
        }
    }
    if let (true, Some(entry)) = (kind.pawn, check.entry(&path("betza")))
        && !kind.betza.atoms.iter().all(goes_forward)
    {
        let found = format!("pawn movement {}, which does not always go forward", quote(&kind.betza.text));
        check.refuse(entry.at, found, "only forward steps", "put f before each atom, as in mfWcfF");
    }
}

fn goes_forward(atom: &Atom) -> bool {
    let steps = match &atom.motion {
        Motion::Ride(ride) | Motion::Then(ride, _) => &ride.steps,
        Motion::Lame(steps) => steps,
    };
    steps.iter().all(|step| step.1 > 0)
}

/// Letters and pips, each once.
fn unique(check: &mut Check<'_>, drafts: &mut [Draft]) {
    let mut shared = Vec::new();
    for (i, draft) in drafts.iter().enumerate() {
        let same_letter = |other: &&Draft| other.has_letter && other.kind.letter == draft.kind.letter;
        let same_pips = |other: &&Draft| other.kind.pips == draft.kind.pips;
        let pairs = [
            ("letter", drafts[..i].iter().find(same_letter).filter(|_| draft.has_letter)),
            ("pips", drafts[..i].iter().find(same_pips).filter(|_| draft.kind.pips.is_some())),
        ];
        for (name, other) in pairs {
            let Some(other) = other else { continue };
            // Of the two, blame what stands in the nearer file, or further down.
            let place = |kind: &KindDef| check.entry(&format!("piece.{}.{name}", kind.key)).map(|e| e.at);
            let by_nearness = |at: &At| (Reverse(at.file), at.line, at.column);
            let at = [place(&draft.kind), place(&other.kind)].into_iter().flatten().max_by_key(by_nearness);
            let what = match name {
                "letter" => {
                    shared.push(draft.kind.letter);
                    format!("letter {}", draft.kind.letter)
                }
                _ => format!("pips {}", draft.kind.pips.unwrap_or_default()),
            };
            let found = format!("{what} of both {} and {}", other.kind.key, draft.kind.key);
            check.refuse(at.unwrap_or(draft.at), found, format!("{name} that no other kind has"), "");
        }
    }
    // A letter of two kinds is no letter to read the array by.
    drafts.iter_mut().for_each(|draft| draft.has_letter &= !shared.contains(&draft.kind.letter));
}

/// Exactly one royal kind, at most one pawn.
fn roles(check: &mut Check<'_>, drafts: &[Draft]) {
    let royal: Vec<&Draft> = drafts.iter().filter(|draft| draft.kind.royal).collect();
    let pawns: Vec<&Draft> = drafts.iter().filter(|draft| draft.kind.pawn).collect();
    let names =
        |list: &[&Draft]| list.iter().map(|draft| draft.kind.key.as_str()).collect::<Vec<_>>().join(", ");
    let last =
        |list: &[&Draft]| list.iter().map(|draft| draft.at).max_by_key(|at| (Reverse(at.file), at.line));
    match (royal.len(), last(&royal)) {
        (0, _) if check.merged.incomplete => {}
        (0, _) => {
            let at = check.place_of("piece");
            let hint = "name it [piece.king] or say royal = true";
            check.refuse(at, "no royal kind", "exactly one kind whose loss loses the game", hint);
        }
        (2.., Some(at)) => {
            let found = format!("several royal kinds: {}", names(&royal));
            check.refuse(at, found, "exactly one", "say royal = false for the others");
        }
        _ => {}
    }
    if let (2.., Some(at)) = (pawns.len(), last(&pawns)) {
        let found = format!("several pawn kinds: {}", names(&pawns));
        check.refuse(at, found, "at most one", "say pawn = false for the others");
    }
}

/// `[leap]`, and whether the royal piece's leap is one that it can restrain.
pub(super) fn leap(check: &mut Check<'_>, kinds: &[KindDef]) -> LeapRule {
    let Some(royal) = kinds.iter().find(|kind| kind.royal) else { return check.leap_rule(false) };
    let rule = check.leap_rule(royal.betza.atoms.iter().any(|atom| atom.initial));
    let restrained = !(rule.from_check && rule.over_attacked);
    if let (true, true, Some(entry)) =
        (restrained, royal.first_move.is_some(), check.entry(&format!("piece.{}.first_move", royal.key)))
    {
        let hint = "[leap] restrains atoms of betza marked i, as in KimAimD";
        check.refuse(
            entry.at,
            "first_move of the royal kind under a [leap] restraint",
            "no first_move",
            hint,
        );
    }
    let has_middle = |atom: &&Atom| match &atom.motion {
        Motion::Lame(steps) => steps.iter().all(is_even),
        Motion::Ride(ride) => ride.max == 1 && ride.steps.iter().all(is_even),
        Motion::Then(..) => false,
    };
    let mut leaps = royal.betza.atoms.iter().filter(|atom| atom.initial);
    if let (false, false, Some(entry)) = (
        rule.over_attacked,
        leaps.all(|atom| has_middle(&atom)),
        check.entry(&format!("piece.{}.betza", royal.key)),
    ) {
        let found = format!("the leap of {}, not all of which has a middle square", quote(&royal.betza.text));
        let hint = "or say over_attacked = true in [leap]";
        check.refuse(
            entry.at,
            found,
            "atoms marked i that leap an even number of squares each way, as A and D",
            hint,
        );
    }
    rule
}

fn is_even(step: &(i8, i8)) -> bool {
    step.0 % 2 == 0 && step.1 % 2 == 0
}
