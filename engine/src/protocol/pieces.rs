use crate::rules::{Atom, KindDef, Motion, Ride, Ruleset, UNLIMITED, is_outward};

/// A kind of piece as XBoard is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XBoardPiece {
    /// Its letter in FEN.
    pub letter: char,
    /// How it moves in XBoard's dialect of Betza; `None` if that cannot say it.
    pub moves: Option<String>,
    /// Where XBoard takes the piece to move more freely than the rules do. It never takes it to move less freely: the engine
    /// refuses what it should not allow, but XBoard would take a legal move for a false one.
    pub wider: Vec<&'static str>,
}

type Step = (i8, i8);

/// Every kind of piece of a ruleset for XBoard's `piece` command.
#[must_use]
pub fn xboard_pieces(rules: &Ruleset) -> Vec<XBoardPiece> {
    rules.kinds.iter().map(piece).collect()
}

fn piece(kind: &KindDef) -> XBoardPiece {
    let mut wider = Vec::new();
    let mut text = String::new();
    let mut known = true;
    let mut add = |atoms: &[Atom], initial: bool| {
        for atom in atoms {
            match atom_text(atom, initial || atom.initial, &mut wider) {
                Some(part) => text.push_str(&part),
                None => known = false,
            }
        }
    };
    if let Some(first) = &kind.first_move {
        add(&first.atoms, true);
    }
    add(&kind.betza.atoms, false);
    if kind.first_move.is_some() {
        wider.push("an unmoved piece has its later moves too");
    }
    XBoardPiece { letter: kind.letter, moves: known.then_some(text), wider }
}

fn atom_text(atom: &Atom, initial: bool, wider: &mut Vec<&'static str>) -> Option<String> {
    let mut prefix = String::new();
    if initial {
        prefix.push('i');
    }
    match (atom.quiet, atom.capture) {
        (true, false) => prefix.push('m'),
        (false, true) => prefix.push('c'),
        _ => {}
    }
    match &atom.motion {
        Motion::Ride(ride) => rides(&prefix, ride, wider),
        Motion::Lame(steps) => rides(&(prefix + "n"), &Ride { steps: steps.clone(), max: 1 }, wider),
        Motion::Then(first, second) => then(&prefix, first, second, wider),
    }
}

/// All steps of one length.
fn all(m: i8, n: i8) -> Vec<Step> {
    let mut steps: Vec<Step> =
        [(m, n), (n, m)].into_iter().flat_map(|(x, y)| [(x, y), (x, -y), (-x, y), (-x, -y)]).collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// The longer distance of a step first.
fn length((x, y): Step) -> (i8, i8) {
    let (x, y) = (x.abs(), y.abs());
    (x.max(y), x.min(y))
}

fn rides(prefix: &str, ride: &Ride, wider: &mut Vec<&'static str>) -> Option<String> {
    let mut lengths: Vec<(i8, i8)> = ride.steps.iter().map(|&step| length(step)).collect();
    lengths.sort_unstable();
    lengths.dedup();
    // A king's or queen's whole move in one letter.
    if lengths == [(1, 0), (1, 1)] && ride.steps.len() == 8 && !prefix.contains('n') {
        match ride.max {
            1 => return Some(format!("{prefix}K")),
            UNLIMITED => return Some(format!("{prefix}Q")),
            _ => {}
        }
    }
    let mut text = String::new();
    for (m, n) in lengths {
        let steps: Vec<Step> = ride.steps.iter().copied().filter(|&step| length(step) == (m, n)).collect();
        let name = atom_name(m, n, ride.max, prefix)?;
        for directions in directions(&steps, m, n, wider) {
            // Directions come before the kind of move: they belong to the first leg, which of a long leap is a hop.
            text.push_str(&name.replace('*', &format!("{prefix}{directions}")));
        }
    }
    Some(text)
}

/// The atom with `*` where the modifiers go.
fn atom_name(m: i8, n: i8, max: u8, prefix: &str) -> Option<String> {
    let letter = match (m, n) {
        (1, 0) => 'W',
        (1, 1) => 'F',
        (2, 0) => 'D',
        (2, 1) => 'N',
        (2, 2) => 'A',
        (3, 0) => 'H',
        (3, 1) => 'C',
        (3, 2) => 'Z',
        (3, 3) => 'G',
        _ if max == 1 && !prefix.contains(['n', 'c', 'm']) => return Some(hops(m, n)),
        _ => return None,
    };
    Some(match (max, letter) {
        (1, _) => format!("*{letter}"),
        (UNLIMITED, 'W') => "*R".to_owned(),
        (UNLIMITED, 'F') => "*B".to_owned(),
        (UNLIMITED, _) => format!("*{letter}{letter}"),
        (max, _) => format!("*{letter}{max}"),
    })
}

/// A leap longer than any letter, as king's steps over whatever stands there: `n` diagonal ones, a turn by half a right
/// angle, and orthogonal ones.
fn hops(m: i8, n: i8) -> String {
    let straight = m - n;
    let mut text = String::from("*mp");
    let legs = m - 1;
    for leg in 1..=legs {
        text.push('a');
        text.push_str(if leg == n && straight > 0 { "fs" } else { "f" });
        if leg < legs {
            text.push_str("mp");
        }
    }
    text.push(if n > 0 { 'F' } else { 'W' });
    text
}

/// Ways to say a set of steps of one length: one atom for each.
fn directions(steps: &[Step], m: i8, n: i8, wider: &mut Vec<&'static str>) -> Vec<String> {
    let whole = all(m, n);
    if steps.len() == whole.len() {
        return vec![String::new()];
    }
    let diagonal = m == n;
    let oblique = !diagonal && n > 0;
    type Choice = (&'static str, fn(Step) -> bool);
    // The larger sets first.
    let choices: &[Choice] = if oblique {
        &[
            ("fh", |s| s.1 > 0),
            ("bh", |s| s.1 < 0),
            ("lh", |s| s.0 < 0),
            ("rh", |s| s.0 > 0),
            ("f", |s| s.1 > s.0.abs()),
            ("b", |s| -s.1 > s.0.abs()),
            ("l", |s| -s.0 > s.1.abs()),
            ("r", |s| s.0 > s.1.abs()),
        ]
    } else if diagonal {
        &[
            ("f", |s| s.1 > 0),
            ("b", |s| s.1 < 0),
            ("l", |s| s.0 < 0),
            ("r", |s| s.0 > 0),
            ("fl", |s| s.1 > 0 && s.0 < 0),
            ("fr", |s| s.1 > 0 && s.0 > 0),
            ("bl", |s| s.1 < 0 && s.0 < 0),
            ("br", |s| s.1 < 0 && s.0 > 0),
        ]
    } else {
        &[("f", |s| s.1 > 0), ("b", |s| s.1 < 0), ("l", |s| s.0 < 0), ("r", |s| s.0 > 0)]
    };
    let mut left = steps.to_vec();
    let mut found = Vec::new();
    for (text, test) in choices {
        let set: Vec<Step> = whole.iter().copied().filter(|&step| test(step)).collect();
        if set.iter().all(|step| left.contains(step)) {
            left.retain(|step| !set.contains(step));
            found.push((*text).to_owned());
        }
    }
    if !left.is_empty() {
        wider.push("leaps of one length go in all directions");
        return vec![String::new()];
    }
    if !oblique && !diagonal {
        // The letters of orthogonal steps add up in one atom.
        return vec![found.concat()];
    }
    found
}

/// `t[XY]` for the pairs that XBoard's legs can say: with an unlimited slide after a single step.
fn then(prefix: &str, first: &Ride, second: &Ride, wider: &mut Vec<&'static str>) -> Option<String> {
    let (m, n) = length(*first.steps.first()?);
    let lengths = |ride: &Ride, m, n| ride.steps.iter().all(|&step| length(step) == (m, n));
    if second.max != UNLIMITED || !lengths(first, m, n) || prefix.contains(['m', 'c']) {
        return None;
    }
    let whole_second = |m, n| lengths(second, m, n) && second.steps.len() == all(m, n).len();
    let directed = |names: &str, wider: &mut Vec<&'static str>| -> String {
        let ways = directions(&first.steps, m, n, wider);
        ways.iter().map(|way| names.replace('*', &format!("{prefix}{way}"))).collect()
    };
    match (m, n) {
        // The slide that goes on from one diagonal step turns by half a right angle.
        (1, 1) if whole_second(1, 0) => Some(directed("*FyafsF", wider)),
        (1, 0) if whole_second(1, 1) => Some(directed("*W*yafsW", wider).replace("W*", "W")),
        // A knight's leap, and the way round: an orthogonal step over anything, a diagonal one, and on along that.
        (2, 1) if lengths(second, 1, 1) => {
            if first.steps.len() < 8 || second.steps.len() < 4 {
                let rides = |step: &Step| second.steps.iter().any(|&on| is_outward(*step, on));
                let goes_on: Vec<Step> = first.steps.iter().copied().filter(rides).collect();
                if goes_on.len() < 8 {
                    wider.push("a bent rider goes on in all directions");
                }
            }
            let leap: String =
                directions(&first.steps, m, n, wider).iter().map(|way| format!("{prefix}{way}N")).collect();
            Some(format!("{leap}{prefix}mpafsyafW"))
        }
        _ => None,
    }
}

/// Places of letters in XBoard's table of pieces: those that Fairy-Max gives the pieces of this game, then XBoard's own.
const PLACES: &[(char, usize)] = &[
    ('P', 0),
    ('C', 2),
    ('R', 3),
    ('A', 17),
    ('U', 20),
    ('G', 23),
    ('L', 32),
    ('N', 1),
    ('B', 2),
    ('Q', 4),
    ('F', 5),
    ('E', 6),
    ('W', 9),
    ('M', 10),
    ('O', 11),
    ('H', 12),
    ('I', 13),
    ('J', 14),
    ('D', 16),
    ('V', 18),
    ('S', 19),
];

/// Pieces of one colour that XBoard knows pictures for; the king's is the last.
const PICTURES: usize = 34;

/// The table that gives each letter one of XBoard's pictures: `P.CR...K` for White, then the same in small letters for Black.
#[must_use]
pub fn piece_to_char(rules: &Ruleset) -> String {
    let mut table = [None; PICTURES];
    let mut homeless = Vec::new();
    for kind in &rules.kinds {
        let place = match kind.royal {
            true => Some(PICTURES - 1),
            false => PLACES.iter().find(|(letter, _)| *letter == kind.letter).map(|(_, place)| *place),
        };
        match place {
            Some(place) if table[place].is_none() => table[place] = Some(kind.letter),
            _ => homeless.push(kind.letter),
        }
    }
    for letter in homeless {
        // At most sixteen kinds: there is always room.
        if let Some(place) = table.iter_mut().find(|place| place.is_none()) {
            *place = Some(letter);
        }
    }
    let white: String = table.iter().map(|letter| letter.unwrap_or('.')).collect();
    white.clone() + &white.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{builtin, known_ids};

    fn moves(id: &str) -> String {
        let pieces = xboard_pieces(&builtin(id).unwrap());
        let text = |piece: &XBoardPiece| {
            let star = if piece.wider.is_empty() { "" } else { "*" };
            format!("{}:{}{star}", piece.letter, piece.moves.as_deref().unwrap_or("?"))
        };
        let mut texts: Vec<String> = pieces.iter().map(text).collect();
        texts.sort_unstable();
        texts.join(" ")
    }

    #[test]
    fn every_reading_in_the_words_of_xboard() {
        let cazaux = "A:FyafsF C:B G:Z K:KimAimD L:HC P:mfWcfF R:R U:NmpafsyafW";
        assert_eq!(moves("cazaux-musser"), cazaux);
        for same in ["shamax", "wikipedia-2023"] {
            assert_eq!(moves(same), cazaux, "{same}");
        }
        assert_eq!(moves("chess-variant-pages"), cazaux.replace("cfF", "cfFimnfD"));
        assert_eq!(moves("cazaux-capturing-leap"), cazaux.replace("KimAimD", "KiAiD"));
        assert_eq!(moves("ludii"), cazaux.replace("L:HC", "L:H").replace("KimAimD", "KifAifD"));
        assert_eq!(moves("rhino-forward"), cazaux.replace("afW", "afW*"));
        let literal = cazaux.replace("L:HC", "L:fHbW").replace("U:NmpafsyafW", "U:fhNmpafsyafW*");
        assert_eq!(moves("codex-literal"), literal);
        let murray = cazaux
            .replace("L:HC", "L:H")
            .replace("G:Z", "G:mpafsmpafmpafF")
            .replace("U:NmpafsyafW", "U:imNB*");
        assert_eq!(moves("murray"), murray);
        assert_eq!(moves("murray-33"), murray.replace("L:H", "L:HG"));
        assert_eq!(moves("shatranj"), "B:A K:K N:N P:mfWcfF Q:F R:R");
        assert_eq!(moves("courier"), "B:B E:A F:F K:K M:K N:N P:mfWcfF R:R W:W");
    }

    #[test]
    fn what_has_no_letter_is_said_in_legs_or_not_at_all() {
        assert_eq!(hops(4, 0), "*mpafmpafmpafW");
        assert_eq!(hops(4, 4), "*mpafmpafmpafF");
        assert_eq!(hops(5, 2), "*mpafmpafsmpafmpafF");
        let mut wider = Vec::new();
        let mut text = |betza: &str| {
            let atoms = crate::rules::Betza::parse(betza).unwrap().atoms;
            atoms.iter().map(|atom| atom_text(atom, false, &mut wider)).collect::<Option<String>>()
        };
        for (betza, expected) in [
            ("ffN", "fN"),
            ("fN", "fhN"),
            ("vN", "fNbN"),
            ("NN", "NN"),
            ("W3", "W3"),
            ("Q", "Q"),
            ("flF", "flF"),
            ("fsW", "flrW"),
            ("t[WB]", "WyafsW"),
            ("t[KQ]", "?"),
            ("(4,1)2", "?"),
            ("(5,0)", "mpafmpafmpafmpafW"),
        ] {
            assert_eq!(text(betza).as_deref().unwrap_or("?"), expected, "{betza}");
        }
        assert!(wider.is_empty(), "{wider:?}");
    }

    #[test]
    fn every_letter_has_a_picture_of_its_own() {
        let grande = "P.CR.............A..U..G........LKp.cr.............a..u..g........lk";
        assert_eq!(piece_to_char(&builtin("cazaux-musser").unwrap()), grande);
        for id in known_ids() {
            let rules = builtin(id).unwrap();
            let table = piece_to_char(&rules);
            assert_eq!(table.len(), 2 * PICTURES);
            for kind in &rules.kinds {
                for letter in [kind.letter, kind.letter.to_ascii_lowercase()] {
                    assert_eq!(table.matches(letter).count(), 1, "{id} {letter}");
                }
            }
        }
    }
}
