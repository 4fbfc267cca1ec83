use crate::rules::{Problem, Ruleset, builtin, builtin_text};

const GOOD: &str = r#"id = "tiny"
title = "Tiny"
[source]
citation = "none"
confidence = "conjecture"
[board]
files = 4
ranks = 5
start = "krr1/pppp/4/PPPP/KRR1"
[piece.king]
letter = "K"
betza = "KimD"
[piece.rook]
letter = "R"
betza = "R"
[piece.pawn]
letter = "P"
betza = "mfWcfF"
[promotion]
to = "rook"
[leap]
from_check = true
over_attacked = true
[end]
stalemate = "draw"
bare_king = "none"
repetition = 3
no_progress_plies = 100
"#;

fn load(text: &str) -> Result<Ruleset, Vec<Problem>> {
    let loader = |parent: &str| match parent {
        "tiny" => Some(("tiny.toml".to_owned(), GOOD.to_owned())),
        "a" => Some(("a.toml".to_owned(), "id = \"a\"\nextends = \"b\"".to_owned())),
        "b" => Some(("b.toml".to_owned(), "id = \"b\"\nextends = \"a\"".to_owned())),
        n if n.starts_with("deep-") => {
            let next = format!("deep-{}", n[5..].parse::<u32>().ok()? + 1);
            Some((format!("{n}.toml"), format!("id = \"{n}\"\nextends = \"{next}\"")))
        }
        _ => None,
    };
    Ruleset::load("t.toml", text, &loader).map_err(|problems| problems.as_slice().to_vec())
}

fn line_of(text: &str, part: &str) -> usize {
    text.lines().position(|line| line.contains(part)).map_or(0, |line| line + 1)
}

/// `GOOD` with `old` replaced has exactly one problem: on the line of `new`, about `found`.
#[track_caller]
fn one(old: &str, new: &str, found: &str) -> Problem {
    assert!(GOOD.contains(old), "{old}");
    let text = GOOD.replacen(old, new, 1);
    let problems = load(&text).expect_err(new);
    let list: Vec<String> = problems.iter().map(Problem::to_string).collect();
    assert_eq!(problems.len(), 1, "{list:#?}");
    let last = new.lines().last().unwrap_or_default();
    if !last.is_empty() {
        assert_eq!(problems[0].line, line_of(&text, last), "{}", list[0]);
    }
    assert!(problems[0].found.contains(found), "{}", list[0]);
    problems[0].clone()
}

#[test]
fn the_example_is_good() {
    let tiny = load(GOOD).unwrap();
    assert_eq!(tiny.start_fen(), "krr1/pppp/4/PPPP/KRR1 w a1a5 0 1");
    assert_eq!(
        tiny.kinds.iter().map(|kind| kind.name.as_str()).collect::<Vec<_>>(),
        ["king", "rook", "pawn"]
    );
}

#[test]
fn every_problem_is_reported_at_once_with_its_line() {
    let text = r#"id = "Bad Id"
titel = "x"
[source]
confidence = "sure"
[board]
files = 13
ranks = "12"
start = "k/K"
[piece.king]
letter = "k"
betza = "Kx"
leter = "K"
[piece.lion]
letter = "L"
betza = 5
pips = 9
[piece.pawn]
letter = "L"
betza = "mWcfF"
first_move = "mfW2"
[piece."Two Words"]
letter = "T"
[promotion]
to = ["queen"]
[end]
stalemate = "lose"
bare_king = false
repetition = 1
no_progress_plies = -3
[dice]
no_move = "again"
[colour]
"#;
    let problems = load(text).unwrap_err();
    assert!(problems.iter().all(|problem| !problem.hint.is_empty()), "{problems:#?}");
    let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    let list = problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n");
    for line in [1, 2, 4, 6, 7, 10, 11, 12, 15, 16, 18, 19, 20, 21, 26, 27, 28, 29, 31, 32] {
        assert!(lines.contains(&line), "line {line} is missing:\n{list}");
    }
    assert!(lines.is_sorted(), "{list}");
    assert!(list.contains(
        "t.toml:2: found unknown key \"titel\", expected a key of the top level; did you mean title?"
    ));
    assert!(list.contains("t.toml:11:11: found 'x' in column 2 of the movement \"Kx\""), "{list}");
    assert!(list.contains("did you mean letter?"));
}

#[test]
fn toml_faults_have_a_line_and_do_not_hide_the_rest() {
    let text = GOOD.replace("files = 4", "files 4").replace("stalemate = \"draw\"", "stalemate = \"drew\"");
    let problems = load(&text).unwrap_err();
    assert!(problems.iter().all(|problem| !problem.hint.is_empty()), "{problems:#?}");
    let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [line_of(&text, "files 4"), line_of(&text, "drew")], "{problems:#?}");
    let twice = load(&GOOD.replace("[leap]", "[board]\n[leap]")).unwrap_err();
    assert!(twice[0].found.contains("duplicate"), "{twice:#?}");
}

#[test]
fn single_faults() {
    one("id = \"tiny\"", "id = \"Tiny\"", "Tiny");
    one("title = \"Tiny\"", "title = \"\"", "\"\"");
    one("title = \"Tiny\"", "title = 3", "the integer 3");
    one("confidence = \"conjecture\"", "confidence = \"sure\"", "sure");
    one("files = 4", "files = 0", "files = 0");
    one("ranks = 5", "ranks = 13", "ranks = 13");
    one("files = 4", "files = 99999999999999999999", "beyond");
    one("letter = \"R\"", "letter = \"ROOK\"", "ROOK");
    one("letter = \"R\"", "letter = \"é\"", "é");
    one("letter = \"R\"\n", "letter = \"R\"\npips = 0\n", "pips = 0");
    one("letter = \"R\"\n", "letter = \"R\"\ncolor = 1\n", "unknown key \"color\"");
    one("betza = \"R\"", "betza = \"\"", "the end in column 1");
    one("to = \"rook\"", "to = [\"rook\", \"rook\"]", "2 kinds");
    one("to = \"rook\"", "to = \"rok\"", "rok");
    one("to = \"rook\"", "to = \"king\"", "king");
    one("to = \"rook\"", "to = \"pawn\"", "pawn");
    one("to = \"rook\"", "to = [\"rook\", \"rook\", \"rook\", \"king\"]", "king");
    one("to = \"rook\"", "to = [\"rook\", \"rook\", \"rook\", 4]", "the integer 4");
    one("to = \"rook\"", "to = \"rook\"\nking_file = \"rook\"", "king_file");
    one("to = \"rook\"", "king_file = \"rook\"\nto = \"array\"", "no piece on d1");
    one("stalemate = \"draw\"", "stalemate = \"lose\"", "lose");
    one("repetition = 3", "repetition = 1", "repetition = 1");
    one("no_progress_plies = 100", "no_progress_plies = 10001", "10001");
    one("from_check = true", "from_check = \"yes\"", "\"yes\"");
    let text = GOOD.replace("[end]", "[dice]\nno_move = \"skip\"\n[end]");
    assert_eq!(load(&text).unwrap_err()[0].line, line_of(&text, "skip"));
    let leaps = load(&GOOD.replace("[leap]", "[leaps]\nx = 1\n[leap]")).unwrap_err();
    assert_eq!((leaps.len(), leaps[0].hint.as_str()), (1, "did you mean leap?"));
}

#[test]
fn faults_of_the_array() {
    let start = "start = \"krr1/pppp/4/PPPP/KRR1\"";
    let with = |placement: &str| format!("start = \"{placement}\"");
    one(start, &with("krr1/pppp/4/4/PPPP/KRR1"), "6 ranks");
    let wide = one(start, &with("krr1/pppp/5/PPPP/KRR1"), "5 squares in rank 3");
    assert_eq!(wide.column, Some(20));
    one(start, &with("krr1/ppp/4/PPPP/KRR1"), "3 squares in rank 4");
    one(start, &with("krr1/pppp/04/PPPP/KRR1"), "starts with 0");
    one(start, &with("krr1/pppp/99999999999999999999999/PPPP/KRR1"), "squares in rank 3");
    let unknown = one(start, &with("krr1/pppp/3q/PPPP/KRR1"), "'q'");
    assert_eq!((unknown.column, unknown.expected.contains("KRP")), (Some(21), true));
    one(start, &with("1rr1/pppp/4/PPPP/KRR1"), "0 royal pieces for black");
    one(start, &with("krr1/pppp/4/PPPP/KRRK"), "2 royal pieces for white");
    one(start, &with("krr1/pppp/4/PPP1/KRRP"), "a pawn on d1");
    one(start, &with("krrp/pppp/4/PPPP/KRR1"), "a pawn on d5");
    one(start, &with("k2r/1ppp/4/1PPP/R2K"), "black's king attacked from a1");
    one(start, &with("k2r/1Ppp/P3/1PPP/3K"), "black's king attacked from b4");
    assert!(load(&GOOD.replace(start, &with("k2r/P1pp/4/1P1P/R2K"))).is_ok(), "a man between, a pawn ahead");
    assert!(load(&GOOD.replace(start, &with("r2k/1ppp/4/1PPP/K2R"))).is_ok(), "white may be");
    let text = GOOD.replace("mfWcfF", "mfWcfFimfnD").replace("4/PPPP", "P3/1PPP");
    assert!(load(&text).unwrap_err()[0].found.contains("white pawns with a first move on several ranks"));
}

#[test]
fn faults_of_the_kinds() {
    let letters = load(&GOOD.replace("letter = \"R\"", "letter = \"P\"")).unwrap_err();
    assert_eq!((letters.len(), letters[0].line), (1, 17), "{letters:#?}");
    assert_eq!(letters[0].found, "letter P of both pawn and rook");
    let twice = GOOD
        .replace("letter = \"R\"", "letter = \"R\"\npips = 2")
        .replace("letter = \"P\"", "letter = \"P\"\npips = 2");
    let problems = load(&twice).unwrap_err();
    assert_eq!((problems.len(), problems[0].line), (1, 19), "{problems:#?}");
    let none = load(&GOOD.replace("letter = \"K\"", "royal = false\nletter = \"K\"")).unwrap_err();
    assert_eq!((none.len(), none[0].line, none[0].found.as_str()), (1, 10, "no royal kind"));
    let royal = load(&GOOD.replace("letter = \"R\"", "letter = \"R\"\nroyal = true")).unwrap_err();
    assert!(royal[0].found.contains("several royal kinds"), "{royal:#?}");
    let pawns = load(&GOOD.replace("betza = \"R\"", "betza = \"fR\"\npawn = true")).unwrap_err();
    assert!(pawns.iter().any(|problem| problem.found.contains("several pawn kinds")), "{pawns:#?}");
    let both = load(&GOOD.replace("letter = \"P\"", "letter = \"P\"\nroyal = true")).unwrap_err();
    assert!(both.iter().any(|problem| problem.found.contains("both royal and a pawn")), "{both:#?}");
    let many: String = ('A'..='J')
        .chain('S'..='X')
        .map(|c| format!("[piece.x-{}]\nletter = \"{c}\"\nbetza = \"W\"\n", c.to_ascii_lowercase()))
        .collect();
    assert!(load(&format!("{GOOD}{many}")).unwrap_err()[0].found.contains("19 kinds"));
    let key = load(&format!("{GOOD}[piece.Queen]\nletter = \"Q\"\nbetza = \"Q\"")).unwrap_err();
    assert!(key[0].found.contains("Queen"));
}

#[test]
fn faults_of_pawns_and_leaps() {
    one("betza = \"mfWcfF\"", "betza = \"mWcfF\"", "mWcfF");
    one("betza = \"mfWcfF\"", "betza = \"mfWt[FR]\"", "always go forward");
    one("betza = \"mfWcfF\"", "betza = \"mfWcfF\"\nfirst_move = \"mfW2\"", "first_move of a pawn");
    one("betza = \"R\"", "betza = \"RiN\"\nfirst_move = \"mN\"", "first_move beside");
    let restrained = GOOD.replace("over_attacked = true", "over_attacked = false");
    assert!(load(&restrained).is_ok());
    for (movement, fine) in
        [("KimA", true), ("KimN", false), ("KimH", false), ("KiDD", false), ("Kinnt", false)]
    {
        let text = restrained.replace("KimD", movement);
        assert_eq!(load(&text).is_ok(), fine, "{movement}");
    }
    let odd = load(&restrained.replace("KimD", "KimH")).unwrap_err();
    assert_eq!(odd[0].line, line_of(GOOD, "KimD"));
    let first = load(&restrained.replace("\"KimD\"", "\"K\"\nfirst_move = \"D\"")).unwrap_err();
    assert!(first[0].hint.contains("[leap]"), "{first:#?}");
}

#[test]
fn missing_keys_are_listed_at_their_tables() {
    let problems = load("").unwrap_err();
    let list = problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n");
    for key in ["id", "title", "citation", "confidence", "files", "ranks", "start", "stalemate", "royal"] {
        assert!(list.contains(&format!("no {key}")), "{key}:\n{list}");
    }
    let text = GOOD
        .replace("to = \"rook\"\n", "")
        .replace("letter = \"R\"\n", "")
        .replace("from_check = true\n", "");
    let found: Vec<(usize, String)> =
        load(&text).unwrap_err().into_iter().map(|problem| (problem.line, problem.found)).collect();
    let expected = [
        (line_of(&text, "[piece.rook]"), "no letter in [piece.rook]".to_owned()),
        (line_of(&text, "[promotion]"), "no to in [promotion]".to_owned()),
        (line_of(&text, "[leap]"), "no from_check in [leap]".to_owned()),
    ];
    assert_eq!(found, expected);
    assert!(
        load(&GOOD.replace("[promotion]\nto = \"rook\"\n", "")).unwrap_err()[0].found.contains("promotion")
    );
    let array = GOOD.replace("krr1", "krrr").replace("KRR1", "KRRR").replace("\"rook\"\n", "\"array\"\n");
    assert_eq!(load(&array).unwrap_err()[0].found, "no king_file in [promotion]");
}

#[test]
fn children_override_key_by_key() {
    let child =
        load("id = \"child\"\nextends = \"tiny\"\n[piece.rook]\nbetza = \"W\"\nfirst_move = \"mN\"").unwrap();
    assert_eq!((child.title.as_str(), child.kinds[1].letter), ("Tiny", 'R'));
    assert_eq!(child.kinds[1].first_move.as_ref().unwrap().text, "mN");
    // An empty first_move drops an inherited one.
    let loader = |parent: &str| Some((parent.to_owned(), builtin_text(parent)?.to_owned()));
    let text = "id = \"x\"\nextends = \"murray\"\n[piece.rhinoceros]\nfirst_move = \"\"";
    let dropped = Ruleset::load("x", text, &loader).unwrap();
    assert!(dropped.kinds.iter().all(|kind| kind.first_move.is_none()));
    assert_ne!(dropped.officers_fingerprint(), builtin("murray").unwrap().officers_fingerprint());
}

#[test]
fn a_changed_letter_needs_a_new_array() {
    let text = "id = \"child\"\nextends = \"tiny\"\n[piece.rook]\nletter = \"T\"\n";
    let problems = load(text).unwrap_err();
    assert_eq!(problems.len(), 4, "{problems:#?}");
    assert_eq!((problems[0].file.as_str(), problems[0].line), ("tiny.toml", 9));
    assert!(problems[0].hint.contains("say start in t.toml"), "{}", problems[0]);
    assert!(load(&format!("{text}[board]\nstart = \"ktt1/pppp/4/PPPP/KTT1\"")).is_ok());
}

#[test]
fn extends_that_leads_nowhere_is_the_only_problem() {
    let found = |text: &str| {
        let problems = load(text).unwrap_err();
        assert_eq!(problems.len(), 1, "{problems:#?}");
        problems[0].to_string()
    };
    assert!(found("id = \"x\"\nextends = \"murrray\"").contains("t.toml:2: found extends = \"murrray\""));
    assert!(found("id = \"x\"\nextends = \"murrray\"").contains("did you mean murray?"));
    assert!(found("id = \"x\"\nextends = \"no/such.toml\"").contains("no/such.toml cannot be read"));
    assert!(
        found("id = \"x\"\nextends = \"a\"")
            .starts_with("b.toml:2: found extends = \"a\", which leads back to a")
    );
    assert!(found("id = \"tiny\"\nextends = \"tiny\"").contains("leads back"));
    assert!(found("id = \"x\"\nextends = \"./t.toml\"").contains("leads back"));
    assert!(found("id = \"x\"\nextends = \"deep-1\"").contains("at most 8"));
    assert!(found("id = \"x\"\nextends = 8").contains("the integer 8"));
    let slip = load("id = \"x\"\nextends = \"tiny\"\n[piece.rok]\nbetza = \"W\"").unwrap_err();
    assert!(slip[0].hint.contains("did you mean [piece.rook]?"), "{slip:#?}");
}
