use std::cell::Cell;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use acedrex_engine::cli;
use acedrex_engine::eval::{Evaluator, Weights};
use acedrex_engine::game::{FenError, Position};
use acedrex_engine::movegen::perft;
use acedrex_engine::rules::{BUILTIN, Reading, Ruleset, builtin_text};
use acedrex_engine::search::{Limits, Search};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::common::{amount, data, random_game, random_ruleset, readings, scattered};

/// Cases of each kind in a usual run.
const FENS: usize = 5_200;
const RULESETS: usize = 1_000;
const MOVES: usize = 1_400;
const ARGUMENTS: usize = 1_300;
const WEIGHTS: usize = 900;
const SUITES: usize = 250;
const TOTAL: usize = FENS + RULESETS + MOVES + ARGUMENTS + WEIGHTS + SUITES;

/// No message about one input is longer than this, in bytes.
const LONGEST: usize = 20_000;

#[test]
fn a_usual_run_tries_ten_thousand_inputs() {
    let total = TOTAL;
    assert!(total >= 10_000, "{total}");
}

/// Runs `share` of the usual [`TOTAL`] cases, or as much more as `ACEDREX_MALFORMED` asks for in all: the same ones in
/// every run. `test` says whether the input was good; both good and bad ones must come up.
fn each<S: Strategy>(share: usize, strategy: &S, test: impl Fn(S::Value) -> bool) {
    let cases = share * amount("ACEDREX_MALFORMED", TOTAL) / TOTAL;
    let config = Config {
        cases: cases.try_into().unwrap(),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1283),
        max_shrink_iters: 4_000,
        ..Config::default()
    };
    let good = Cell::new(0);
    let run = |input| {
        good.set(good.get() + usize::from(test(input)));
        Ok(())
    };
    if let Err(error) = TestRunner::new(config).run(strategy, run) {
        panic!("{error}");
    }
    let good = good.get();
    assert!(good * 50 > cases && (cases - good) * 50 > cases, "{good} of {cases} were good");
}

/// A change of a text.
#[derive(Clone, Debug)]
enum Edit {
    /// At a place, so many characters give way to others.
    Splice(Index, usize, String),
    /// A stretch of the text comes twice.
    Twice(Index, usize),
    /// A part (between spaces, slashes or line ends) gives way to another.
    Part(Index, String),
    /// Two parts change places.
    Swap(Index, Index),
    /// The text is repeated until it is very long.
    Endless(Index),
}

const SEPARATORS: [char; 3] = [' ', '/', '\n'];

impl Edit {
    fn apply(&self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        let place = |index: &Index, length: usize| if length == 0 { 0 } else { index.index(length) };
        let mut parts: Vec<String> = text.split_inclusive(SEPARATORS).map(str::to_owned).collect();
        match self {
            Edit::Splice(index, length, new) => {
                let start = place(index, chars.len());
                chars.splice(start..(start + length).min(chars.len()), new.chars());
                return chars.into_iter().collect();
            }
            Edit::Twice(index, length) => {
                let start = place(index, chars.len());
                let again: Vec<char> = chars[start..(start + length).min(chars.len())].to_vec();
                chars.splice(start..start, again);
                return chars.into_iter().collect();
            }
            Edit::Part(index, new) if !parts.is_empty() => {
                let part = &mut parts[index.index(text.split_inclusive(SEPARATORS).count())];
                let separator = part.chars().next_back().filter(|c| SEPARATORS.contains(c));
                *part = new.clone();
                part.extend(separator);
            }
            Edit::Swap(a, b) if !parts.is_empty() => {
                let count = parts.len();
                parts.swap(a.index(count), b.index(count));
            }
            Edit::Endless(index) if !text.is_empty() => {
                let start = place(index, chars.len());
                return chars.iter().chain(chars[start..].iter().cycle().take(100_000)).collect();
            }
            _ => {}
        }
        parts.concat()
    }
}

/// Bits of input, with `|` between them.
fn split(bits: &'static str) -> Vec<&'static str> {
    bits.split('|').collect()
}

/// One to three changes; `parts` are what a part may give way to.
fn edits(parts: &'static str) -> impl Strategy<Value = Vec<Edit>> {
    let new = || {
        prop_oneof![
            4 => select(split(parts)).prop_map(str::to_owned),
            1 => "\\PC{0,3}",
            1 => "[0-9]{1,30}",
        ]
    };
    let edit = prop_oneof![
        40 => (any::<Index>(), 0..4_usize, new()).prop_map(|(at, length, new)| Edit::Splice(at, length, new)),
        20 => (any::<Index>(), 1..9_usize).prop_map(|(at, length)| Edit::Twice(at, length)),
        40 => (any::<Index>(), new()).prop_map(|(at, new)| Edit::Part(at, new)),
        10 => any::<(Index, Index)>().prop_map(|(a, b)| Edit::Swap(a, b)),
        1 => any::<Index>().prop_map(Edit::Endless),
    ];
    vec(edit, 1..4)
}

fn edited(text: &str, edits: &[Edit]) -> String {
    edits.iter().fold(text.to_owned(), |text, edit| edit.apply(&text))
}

/// Every reading with its evaluation and some positions, of games and strewn.
type Stock = Vec<(Arc<Reading>, Evaluator, Vec<Position>)>;

static STOCK: LazyLock<Stock> = LazyLock::new(|| {
    let mut rng = ChaCha8Rng::seed_from_u64(1283);
    let stocked = |reading: Arc<Reading>| {
        let games = (0..20).map(|i| random_game(&reading, 8 * i, &mut rng)).collect::<Vec<_>>();
        let strewn = (0..20).map(|_| scattered(&reading, &mut rng));
        let positions = games.into_iter().chain(strewn).collect();
        (reading.clone(), Evaluator::new(&reading, &Weights::from_mobility(&reading)), positions)
    };
    readings().into_iter().map(stocked).collect()
});

/// What can be done with a position is done, without a panic.
fn use_position(position: &Position, evaluator: &Evaluator) {
    let fen = position.fen();
    let again = Position::from_fen(position.reading(), &fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert_eq!(again.fen(), fen);
    assert_eq!(again.board(), position.board(), "{fen}");
    let moves = position.legal_moves();
    let count = perft(&position.reading().tables, &mut position.board().clone(), 1);
    assert_eq!(count, moves.len() as u64, "{fen}");
    assert!(!position.outcome().to_string().is_empty() && !position.diagram().is_empty());
    let limits = Limits { nodes: Some(200), ..Limits::default() };
    let result = Search::new(1).run(position, evaluator, &limits, |_| {});
    assert_eq!(result.best.is_none(), moves.is_empty(), "{fen}");
    assert!(result.best.is_none_or(|best| moves.contains(&best)), "{fen}");
}

/// Every problem names its place, what was found and what was expected.
fn is_clear(error: &FenError) {
    assert!(!error.problems.is_empty());
    for problem in &error.problems {
        let texts = [&problem.place, &problem.found, &problem.expected];
        assert!(texts.iter().all(|text| !text.trim().is_empty()), "{problem:?}");
        assert!(problem.place.contains("field") || problem.place == "as a whole", "{problem:?}");
    }
    let text = error.to_string();
    assert!(text.len() < LONGEST, "{} bytes: {text:.200}", text.len());
    for line in text.lines() {
        assert!(
            line.starts_with("FEN ") && line.contains(": found ") && line.contains(", expected "),
            "{line}"
        );
    }
}

#[test]
fn malformed_fens() {
    const PARTS: &str = "|-|w|b|W|0|1|8|12|13|111|012|99999|4294967296|k|K|kk|KQkq|Gg|Ff|KQ|g1|g12|f1f12|\
        c1f1j1c12f12j12|a1|l12|g13|m1|a0|K11|11k|pppppppppppp|PPPPPPPPPPPP|RLUGCAKCGULR|rlugckacgulr|\
        12/12|/| |é|♔|\0|\t|+1|-1|P11|11p|x|0 1|w g1g12|; id x;|hmvc 3;|\";";
    let strategy = (any::<Index>(), any::<Index>(), edits(PARTS));
    each(FENS, &strategy, |(reading, position, edits)| {
        let (reading, evaluator, positions) = &STOCK[reading.index(STOCK.len())];
        let fen = edited(&positions[position.index(positions.len())].fen(), &edits);
        // The same as an EPD line, whose tail is operations.
        match Position::from_epd(reading, &fen) {
            Ok((position, _)) => assert_eq!(
                Position::from_epd(reading, &position.to_epd(&[])).unwrap().0.epd(),
                position.epd()
            ),
            Err(error) => assert!(!error.problems.is_empty() && error.to_string().len() < LONGEST),
        }
        match Position::from_fen(reading, &fen) {
            Ok(position) => use_position(&position, evaluator),
            Err(error) => {
                is_clear(&error);
                return false;
            }
        }
        true
    });
}

#[test]
fn malformed_rulesets() {
    const PARTS: &str = "|\"|\"\"|[|]|=|[board]|[piece.king]|[piece.x]|0|1|-1|13|true|\"K\"|\"R\"|\"t[NR]\"|\"KimAimD\"|\
        \"mNcfF\"|\"NN\"|\"(4,1)\"|\"W99\"|\"draw\"|\"wins\"|\"loses\"|\"array\"|extends|\"murray\"|\
        \"nowhere\"|#|é|{}|1e9|betza|letter|first_move|royal|pawn|pips|8/8/8/8|12|K|k|p|t[FR]|\
        9223372036854775808";
    let strategy = (any::<Index>(), any::<bool>(), any::<u64>(), edits(PARTS));
    each(RULESETS, &strategy, |(which, made_up, seed, edits)| {
        let text = match made_up {
            true => random_ruleset(&mut ChaCha8Rng::seed_from_u64(seed)),
            false => BUILTIN[which.index(BUILTIN.len())].1.to_owned(),
        };
        let loader = |parent: &str| Some((parent.to_owned(), builtin_text(parent)?.to_owned()));
        match Ruleset::load("mine.toml", &edited(&text, &edits), &loader) {
            Ok(rules) => {
                let reading = Reading::new(rules);
                let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
                use_position(&Position::start(&reading), &evaluator);
                use_position(&random_game(&reading, 12, &mut ChaCha8Rng::seed_from_u64(seed)), &evaluator);
            }
            Err(problems) => {
                assert!(!problems.as_slice().is_empty());
                for problem in problems.as_slice() {
                    assert!(problem.line >= 1 && !problem.file.is_empty(), "{problem:?}");
                    assert!(
                        !problem.found.trim().is_empty() && !problem.expected.trim().is_empty(),
                        "{problem:?}"
                    );
                }
                return false;
            }
        }
        true
    });
}

#[test]
fn malformed_moves() {
    const PARTS: &str = "|a|1|0|12|13|a1|l12|m1|r|a|q|R|-|x|é| |pass|O-O|0000|a1a1|a4a5|\0|999999999999";
    let squares = "[a-l]1?[0-9][a-l]1?[0-9][a-z]?";
    let strategy = (any::<[Index; 3]>(), any::<u8>(), prop::option::weighted(0.4, squares), edits(PARTS));
    each(MOVES, &strategy, |([reading, position, mv], die, random, edits)| {
        let (_, _, positions) = &STOCK[reading.index(STOCK.len())];
        let position = &positions[position.index(positions.len())];
        let legal = position.legal_moves();
        assert!(position.dice_moves(die).iter().all(|mv| legal.contains(mv)));
        let mut text = random.unwrap_or_default();
        if text.is_empty() && !legal.is_empty() {
            text = position.format_move(legal[mv.index(legal.len())]);
            // One in four stays as it is.
            if die % 4 > 0 {
                text = edited(&text, &edits);
            }
        }
        match position.parse_move(&text) {
            Ok(mv) => {
                assert!(legal.contains(&mv), "{} {text}", position.fen());
                assert_eq!(position.parse_move(&position.format_move(mv)), Ok(mv));
                let mut after = position.clone();
                after.play(mv);
                assert!(Position::from_fen(position.reading(), &after.fen()).is_ok(), "{}", after.fen());
            }
            Err(error) => {
                let error = error.to_string();
                assert!(
                    error.len() < 400 && (error.contains("expected") || error.contains("not legal")),
                    "{error}"
                );
                return false;
            }
        }
        true
    });
}

/// Runs a command: its status, and the promise that a failure says something and a success nothing on `err`.
fn run(arguments: Vec<OsString>) -> u8 {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let told = format!("{arguments:?}");
    let reports = arguments.iter().any(|word| word == "check" || word == "perft");
    let code = cli::run(arguments, &mut out, &mut err);
    let (out, err) = (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap());
    match code {
        0 => assert!(err.is_empty(), "{told}: {err}"),
        1 => assert!(
            err.starts_with("error: ") || (reports && err.is_empty() && !out.is_empty()),
            "{told}: {err}"
        ),
        2 => assert!(!err.trim().is_empty() && out.is_empty(), "{told}: {out}"),
        _ => panic!("{told}: exit status {code}"),
    }
    code
}

/// Files for command lines to name, good and bad.
fn fill(folder: &Path) -> Vec<OsString> {
    let write = |name: &str, text: &[u8]| fs::write(folder.join(name), text).unwrap();
    write("good.toml", b"id = \"mine\"\nextends = \"murray\"\n");
    write("bad.toml", b"id = \"mine\"\nextends = \"murray\"\n[end]\nstalemate = \"maybe\"\n");
    write("murray.perft", b"id a\nepd k11/12/12/12/12/12/12/12/12/12/12/K11 w - 0 1\nperft 1 3\nperft 2 9\n");
    write("wrong.perft", b"id a\nepd k11/12/12/12/12/12/12/12/12/12/12/K11 w - 0 1\nperft 1 4\n");
    write("bytes.toml", b"\xff\xfe\0");
    write("empty", b"");
    fs::create_dir(folder.join("folder.toml")).unwrap();
    let names =
        ["good.toml", "bad.toml", "murray.perft", "wrong.perft", "bytes.toml", "empty", "folder.toml", "no"];
    names.iter().map(|name| folder.join(name).into_os_string()).collect()
}

/// A word of a command line: a file of [`fill`], or text.
#[derive(Clone, Debug)]
enum Word {
    File(Index),
    Text(String),
    NoText,
}

fn words() -> impl Strategy<Value = Vec<Word>> {
    const FENS: &str = "|x|12/12 w - 0 1|k11/12/12/12/12/12/12/12/12/12/12/K11 w - 0 1|\
        k11/12/12/12/12/12/12/12/12/12/12/K11 w -|\
        rlugcakcgulr/12/12/pppppppppppp/8/8/12/12/PPPPPPPPPPPP/12/12/RLUGCAKCGULR w KQkq - 0 1|\
        rlugcakcgulr/12/12/pppppppppppp/12/12/12/12/PPPPPPPPPPPP/12/12/RLUGCAKCGULR w KQkq - 0 1";
    const NUMBERS: &str = "0|1|2|1|2|-1|65|9999|1025|999999999999|x||1.5|é|0x2|+1";
    const READINGS: &str = "murray|ludii|shatranj|courier|chess||Murray|murray-33";
    const STRAY: &str = "--help|-h|--version|-V|--|-||--nope|--fen|--divide|x|--die=4|--depth=1";
    let value = |values: &'static str| {
        prop_oneof![
            6 => select(split(values)).prop_map(|text| Word::Text(text.to_owned())),
            1 => any::<Index>().prop_map(Word::File),
            1 => "[^/\\\\.\\n\\r-]{0,5}".prop_map(Word::Text),
        ]
    };
    let flag = |name: &'static str, values: &'static str| {
        value(values).prop_map(move |value| vec![Word::Text(name.to_owned()), value]).boxed()
    };
    let file = |name: &'static str| {
        any::<Index>().prop_map(move |at| vec![Word::Text(name.to_owned()), Word::File(at)]).boxed()
    };
    let options = prop_oneof![
        4 => flag("--ruleset", READINGS),
        4 => flag("--fen", FENS),
        2 => flag("--die", NUMBERS),
        2 => flag("--nodes", "0|1|2|1000|-1|18446744073709551616|x|"),
        1 => flag("--depth", "0|1|2|65|x|-1"),
        1 => flag("--movetime", "0|1|x|99999999999999999999"),
        1 => flag("--threads", "0|1|2|70000|x"),
        1 => flag("--hash", "0|1|x|65537"),
        1 => flag("--moves", "|a4a5|a4a5 a9a8|a1a1|pass|é"),
        1 => flag("--max-nodes", NUMBERS),
        1 => file("--suite"),
        1 => file("--weights"),
        1 => file("--ruleset"),
        1 => Just(vec![Word::Text("--divide".to_owned())]).boxed(),
        1 => select(split(STRAY)).prop_map(|text| vec![Word::Text(text.to_owned())]).boxed(),
        1 => Just(vec![Word::NoText]).boxed(),
    ];
    // Nothing here is expensive: no `bench` that would run, no perft deeper than 2.
    let command = prop_oneof![
        2 => value(READINGS).prop_map(|reading| vec![Word::Text("rulesets".to_owned()), reading]),
        1 => Just(vec![Word::Text("rulesets".to_owned())]),
        2 => any::<Index>().prop_map(|at| vec![Word::Text("check".to_owned()), Word::File(at)]),
        3 => select(&["show", "moves", "outcome", "search", "weights"]).prop_map(|name| vec![Word::Text(name.to_owned())]),
        3 => select(&["0", "1", "2", "65", "x", "-1", ""])
            .prop_map(|depth| vec![Word::Text("perft".to_owned()), Word::Text(depth.to_owned())]),
        2 => any::<Index>().prop_map(|at| {
            vec![Word::Text("perft".to_owned()), Word::Text("--suite".to_owned()), Word::File(at)]
        }),
        1 => Just(vec![Word::Text("bench".to_owned()), Word::Text("--nope".to_owned())]),
        1 => select(&["help", "", "serach", "--help", "-V", "é"]).prop_map(|name| vec![Word::Text(name.to_owned())]),
        1 => Just(vec![]),
    ];
    (command, vec(options, 0..4)).prop_map(|(mut words, options)| {
        words.extend(options.into_iter().flatten());
        let is =
            |name: &str| words.iter().any(|word| matches!(word, Word::Text(text) if text.starts_with(name)));
        let (searches, limited, sized) =
            (is("search"), is("--nodes") || is("--depth") || is("--movetime"), is("--hash"));
        let mut add = |texts: [&str; 2]| words.extend(texts.map(|text| Word::Text(text.to_owned())));
        if searches && !limited {
            add(["--nodes", "300"]);
        }
        if searches && !sized {
            add(["--hash", "1"]);
        }
        words
    })
}

#[test]
fn malformed_arguments() {
    let folder = tempfile::tempdir().unwrap();
    let files = fill(folder.path());
    let before = fs::read_dir(folder.path()).unwrap().count();
    each(ARGUMENTS, &words(), |words| {
        let word = |word| match word {
            Word::File(at) => files[at.index(files.len())].clone(),
            Word::Text(text) => text.into(),
            #[cfg(unix)]
            Word::NoText => std::os::unix::ffi::OsStringExt::from_vec(vec![b'a', 0xff]),
            #[cfg(not(unix))]
            Word::NoText => "\u{fffd}".into(),
        };
        let program = Word::Text("acedrex".to_owned());
        run(std::iter::once(program).chain(words).map(word).collect()) == 0
    });
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), before, "a command left a file behind");
}

#[test]
fn malformed_weights() {
    const PARTS: &str = "|[|]|=|nan|inf|1e9|-0|\"x\"|tempo|[king]|[pawn]|material|true|1|20001|é|,|0.5,|#|[0, 0]|[]|{}|\
        fingerprint|ruleset";
    let strategy = (any::<Index>(), edits(PARTS));
    each(WEIGHTS, &strategy, |(reading, edits)| {
        let (reading, _, positions) = &STOCK[reading.index(STOCK.len())];
        let text = Weights::from_mobility(reading).to_toml(&reading.rules, "made by a test");
        match Weights::from_toml(&reading.rules, "w.toml", &edited(&text, &edits)) {
            Ok(weights) => {
                assert!(weights.values().iter().flatten().all(|weight| weight.abs() <= 20_000.0));
                use_position(&positions[0], &Evaluator::new(reading, &weights));
            }
            Err(error) => {
                let texts = [&error.place, &error.found, &error.expected];
                assert!(texts.iter().all(|text| !text.trim().is_empty()), "{error:?}");
                let error = error.to_string();
                assert!(error.starts_with("w.toml: ") && error.len() < 1_000, "{error}");
                return false;
            }
        }
        true
    });
}

/// Without the counts deeper than 2, so that no case takes long; those too deep to count at all stay.
fn shallow(text: &str) -> String {
    let keep = |line: &&str| {
        let mut words = line.split_ascii_whitespace();
        let depth = words.find(|word| *word == "perft").and_then(|_| words.next()?.parse().ok());
        !depth.is_some_and(|depth: u64| (3..=64).contains(&depth))
    };
    text.lines().filter(keep).collect::<Vec<_>>().join("\n")
}

#[test]
fn malformed_suites() {
    const PARTS: &str = "|id|epd|perft|perft 1|perft 4294967295 1|perft 65 0|0|-1|1|99999999999999999999|#|\n|é|w|b|-|\
        12|epd x|\t";
    let folder = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(data("perft/murray.perft")).unwrap();
    let blocks: Vec<&str> = text.split("\nid ").skip(1).filter(|block| block.contains("perft 2")).collect();
    let strategy = (any::<[Index; 2]>(), edits(PARTS));
    each(SUITES, &strategy, |(chosen, edits)| {
        let text: String =
            chosen.iter().map(|at| format!("id {}\n", blocks[at.index(blocks.len())])).collect();
        let path = folder.path().join("murray.perft");
        fs::write(&path, shallow(&edited(&text, &edits))).unwrap();
        let words: [OsString; 6] = [
            "acedrex".into(),
            "perft".into(),
            "--suite".into(),
            path.into(),
            "--max-nodes".into(),
            "5000".into(),
        ];
        run(words.to_vec()) == 0
    });
}
