use crate::rules::{Betza, Motion, UNLIMITED, describe, is_outward};

fn parse(text: &str) -> Betza {
    Betza::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The only atom's steps, of whatever form.
fn steps(text: &str) -> Vec<(i8, i8)> {
    let betza = parse(text);
    assert_eq!(betza.atoms.len(), 1, "{text}");
    match &betza.atoms[0].motion {
        Motion::Ride(ride) => ride.steps.clone(),
        Motion::Lame(steps) => steps.clone(),
        Motion::Then(first, _) => first.steps.clone(),
    }
}

/// Each atom as `[i][m][c] form steps x max`, continuations in brackets.
fn shape(text: &str) -> String {
    let atom = |atom: &crate::rules::Atom| {
        let mark = |set, letter| if set { letter } else { "" };
        let ride = |ride: &crate::rules::Ride| match ride.max {
            UNLIMITED => format!("{}x*", ride.steps.len()),
            max => format!("{}x{max}", ride.steps.len()),
        };
        let motion = match &atom.motion {
            Motion::Ride(it) => ride(it),
            Motion::Lame(steps) => format!("lame {}", steps.len()),
            Motion::Then(first, second) => format!("{}[{}]", ride(first), ride(second)),
        };
        [mark(atom.initial, "i"), mark(atom.quiet, "m"), mark(atom.capture, "c"), " ", &motion].concat()
    };
    parse(text).atoms.iter().map(atom).collect::<Vec<_>>().join(", ")
}

#[test]
fn every_movement_of_the_rules_page_reads_as_meant() {
    let cases = [
        ("K", "mc 8x1"),
        ("R", "mc 4x*"),
        ("B", "mc 4x*"),
        ("Q", "mc 8x*"),
        ("J", "mc 8x1"),
        ("(4,1)", "mc 8x1"),
        ("HL", "mc 4x1, mc 8x1"),
        ("HG", "mc 4x1, mc 4x1"),
        ("KimAimD", "mc 8x1, im 4x1, im 4x1"),
        ("KiAiD", "mc 8x1, imc 4x1, imc 4x1"),
        ("KifAifD", "mc 8x1, imc 2x1, imc 1x1"),
        ("mfWcfF", "m 1x1, c 2x1"),
        ("mfWcfFimfnD", "m 1x1, c 2x1, im lame 1"),
        ("mN", "m 8x1"),
        ("mcN", "mc 8x1"),
        ("fHbW", "mc 1x1, mc 1x1"),
        ("t[FR]", "mc 4x1[4x*]"),
        ("t[NB]", "mc 8x1[4x*]"),
        ("t[NfB]", "mc 8x1[2x*]"),
        ("t[fNfB]", "mc 4x1[2x*]"),
        ("t[NR]", "mc 8x1[4x*]"),
        ("t[KQ]", "mc 8x1[8x*]"),
        ("t[FF]", "mc 4x1[4x1]"),
        ("t[FFF]", "mc 4x1[4x*]"),
        ("imt[WN3]", "im 4x1[8x3]"),
        ("NN", "mc 8x*"),
        ("W3", "mc 4x3"),
        ("R4", "mc 4x4"),
        ("K2Q3", "mc 8x2, mc 8x3"),
        ("(1,2)3(0,4)(3,3)2", "mc 8x3, mc 4x1, mc 4x2"),
        ("nA", "mc lame 4"),
        ("nNnHnGn(0,2)n(2,1)", "mc lame 8, mc lame 4, mc lame 4, mc lame 4, mc lame 8"),
        ("WFFDD", "mc 4x1, mc 4x*, mc 4x*"),
    ];
    for (text, expected) in cases {
        assert_eq!(shape(text), expected, "{text}");
    }
    // The king's three leaps forward.
    let leaps: Vec<_> = parse("KifAifD").atoms[1..].iter().map(|atom| atom.motion.clone()).collect();
    let leap = |steps: &[(i8, i8)]| Motion::Ride(crate::rules::Ride { steps: steps.to_vec(), max: 1 });
    assert_eq!(leaps, [leap(&[(-2, 2), (2, 2)]), leap(&[(0, 2)])]);
}

#[test]
fn modifiers_come_in_any_order() {
    for text in ["imfnD", "nfmiD", "fnimD"] {
        assert_eq!(parse(text).atoms, parse("imfnD").atoms);
    }
}

#[test]
fn directions_are_the_movers() {
    assert_eq!(steps("fW"), [(0, 1)]);
    assert_eq!(steps("bR"), [(0, -1)]);
    assert_eq!(steps("lW"), [(-1, 0)]);
    assert_eq!(steps("rD"), [(2, 0)]);
    assert_eq!(steps("vW"), [(0, -1), (0, 1)]);
    assert_eq!(steps("sW"), [(-1, 0), (1, 0)]);
    assert_eq!(steps("fsW"), [(-1, 0), (0, 1), (1, 0)]);
    assert_eq!(steps("fF"), [(-1, 1), (1, 1)]);
    assert_eq!(steps("flF"), [(-1, 1)]);
    assert_eq!(steps("lA"), [(-2, -2), (-2, 2)]);
    assert_eq!(steps("fbrF"), [(1, -1), (1, 1)]);
    assert_eq!(steps("vB"), steps("B"));
    assert_eq!(steps("fN"), [(-2, 1), (-1, 2), (1, 2), (2, 1)]);
    assert_eq!(steps("ffN"), [(-1, 2), (1, 2)]);
    assert_eq!(steps("fvN"), steps("ffN"));
    assert_eq!(steps("fsN"), [(-2, 1), (2, 1)]);
    assert_eq!(steps("llN"), [(-2, -1), (-2, 1)]);
    assert_eq!(steps("flN"), [(-2, 1), (-1, 2)]);
    assert_eq!(steps("vN"), [(-1, -2), (-1, 2), (1, -2), (1, 2)]);
    assert_eq!(steps("sJ"), [(-3, -2), (-3, 2), (3, -2), (3, 2)]);
    assert_eq!(steps("fK"), [(-1, 1), (0, 1), (1, 1)]);
    assert_eq!(steps("flQ"), [(-1, 0), (-1, 1), (0, 1)]);
}

#[test]
fn outward_has_the_continuations_of_the_rules_page() {
    let most = |text: &str| match &parse(text).atoms[0].motion {
        Motion::Then(x, y) => {
            let on = |&step: &(i8, i8)| y.steps.iter().filter(|&&d| is_outward(step, d)).count();
            x.steps.iter().map(on).max()
        }
        _ => None,
    };
    for (text, count) in [("t[WB]", 2), ("t[WR]", 1), ("t[FR]", 2), ("t[NB]", 1), ("t[NR]", 2), ("t[KQ]", 3)]
    {
        assert_eq!(most(text), Some(count), "{text}");
    }
}

#[test]
fn errors_name_the_column() {
    let cases = [
        ("", 1, "the end"),
        ("m", 2, "the end"),
        ("FyafsF", 2, "'y'"),
        ("NmpafsyafW", 3, "'p'"),
        ("[F?R]", 1, "'['"),
        ("W F", 2, "' '"),
        ("Wé", 2, "'é'"),
        ("日本", 1, "'日'"),
        ("W0", 2, "0"),
        ("W12", 2, "12"),
        ("N99999999999999999999", 2, "99999999999999999999"),
        ("(1,2", 5, "the end"),
        ("(12,1)", 2, "12"),
        ("(1;2)", 3, "';'"),
        ("(,2)", 2, "','"),
        ("(0,0)", 1, "(0,0)"),
        ("(4294967296,1)", 2, "4294967296"),
        ("RR", 2, "another 'R'"),
        ("mmW", 2, "another 'm'"),
        ("fffN", 3, "another 'f'"),
        ("KffW", 3, "another 'f'"),
        ("ffsN", 1, "ffsN, which leaves no step"),
        ("nF", 1, "'n' before F"),
        ("nDD", 1, "'n' before DD"),
        ("WnL", 2, "'n' before L"),
        ("t", 2, "the end"),
        ("tNB", 2, "'N'"),
        ("t[", 3, "the end"),
        ("t[N", 4, "the end"),
        ("t[NB", 5, "the end"),
        ("t[NB]]", 6, "']'"),
        ("t[NBB]", 5, "another 'B'"),
        ("t[RB]", 3, "'R'"),
        ("t[W3B]", 4, "'3'"),
        ("t[t[NB]R]", 3, "'t'"),
        ("ft[NB]", 1, "'f'"),
        ("nt[NB]", 1, "'n'"),
        ("t[mNB]", 3, "'m'"),
        ("t[fFbR]", 1, "t[fFbR]"),
    ];
    for (text, column, found) in cases {
        let error = Betza::parse(text).expect_err(text);
        assert_eq!((error.column, error.found.as_str()), (column, found), "{text}: {error}");
        assert!(!error.expected.is_empty());
    }
    assert!(Betza::parse("X").unwrap_err().expected.contains("W F D N A H C/L Z/J G K R B Q (m,n) t[XY]"));
}

#[test]
fn canonical_is_one_for_all_spellings() {
    let same = [
        ("C", "L"),
        ("Z", "J"),
        ("K", "WF"),
        ("Q", "RB"),
        ("WW", "R"),
        ("HL", "LH"),
        ("N", "(1,2)"),
        ("W", "mWcW"),
        ("fK", "fFfW"),
        ("vB", "B"),
    ];
    for (a, b) in same {
        assert_eq!(parse(a).canonical(), parse(b).canonical(), "{a} {b}");
    }
    let different =
        ["W", "W2", "R", "mW", "cW", "iW", "D", "nD", "t[WW]", "t[WB]", "t[FR]", "t[FR3]", "fW", "bW"];
    for (i, a) in different.iter().enumerate() {
        for b in &different[..i] {
            assert_ne!(parse(a).canonical(), parse(b).canonical(), "{a} {b}");
        }
    }
}

#[test]
fn mirrors_exchange_left_and_right() {
    for text in ["lW", "flF", "llNrrH", "t[flNrB]", "KimAimD", "nlD"] {
        let Ok(betza) = Betza::parse(text) else { continue };
        let mirror = betza.mirrored();
        assert_eq!(parse(&mirror.text), mirror, "{text}");
        assert_eq!(mirror.mirrored(), betza);
    }
    assert_eq!(parse("lW").mirrored(), parse("rW"));
}

#[test]
fn words() {
    let words = |text: &str| describe(&parse(text).atoms);
    assert_eq!(words("J"), "leaps (3,2)");
    assert_eq!(words("R"), "slides along ranks and files");
    assert_eq!(words("B2"), "slides up to 2 squares diagonally");
    assert_eq!(words("K"), "steps one square in any direction");
    assert_eq!(words("NN"), "rides (2,1) leaps in line, any number of them");
    assert_eq!(
        words("t[FR]"),
        "steps one square diagonally, then from an empty square may go on outward: slides along ranks and files"
    );
    assert_eq!(
        words("mfWcfF"),
        "steps one square forward, only without capture; steps one square diagonally forward, only to capture"
    );
    assert_eq!(
        words("imfnD"),
        "while it has not moved, leaps (2,0) forward if nothing stands in between, only without capture"
    );
    assert_eq!(words("fHbW"), "leaps (3,0) forward; steps one square backward");
    assert_eq!(words("flN"), "leaps (2,1) by (-2,+1) (-1,+2)");
    assert_eq!(describe([]), "does not move");
}
