use std::path::Path;

use crate::rules::{BUILTIN, Confidence, Ruleset, builtin, builtin_text, hex, known_ids, resolve};
use crate::types::Color;

fn all() -> Vec<Ruleset> {
    BUILTIN.iter().map(|(id, text)| load(id, text)).collect()
}

fn load(id: &str, text: &str) -> Ruleset {
    let loader = |parent: &str| Some((parent.to_owned(), builtin_text(parent)?.to_owned()));
    Ruleset::load(id, text, &loader).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn every_builtin_loads_under_its_own_id() {
    for ruleset in all() {
        assert_eq!(builtin(&ruleset.id), Some(ruleset.clone()));
        assert!(!ruleset.source.citation.is_empty());
        assert_eq!(ruleset.promotion.len(), usize::from(ruleset.files));
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/rulesets");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).count();
    assert!(files >= 12);
    assert_eq!(known_ids().count(), files);
    assert_eq!(known_ids().next(), Some("cazaux-musser"));
    assert!(builtin("no-such").is_none());
}

#[test]
fn the_arrays_are_those_of_the_rules_page() {
    let fen = |id: &str| builtin(id).unwrap().start_fen();
    assert_eq!(
        fen("cazaux-musser"),
        "rlugcakcgulr/12/12/pppppppppppp/12/12/12/12/PPPPPPPPPPPP/12/12/RLUGCAKCGULR w g1g12 0 1"
    );
    assert_eq!(
        fen("murray"),
        "rlugckacgulr/12/12/pppppppppppp/12/12/12/12/PPPPPPPPPPPP/12/12/RLUGCKACGULR w c1f1j1c12f12j12 0 1"
    );
    assert_eq!(
        fen("courier"),
        "rnebmk1wbenr/1ppppp1pppp1/6f5/p5p4p/P5P4P/6F5/1PPPPP1PPPP1/RNEBMK1WBENR w - 0 1"
    );
    assert_eq!(fen("shatranj"), "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w - 0 1");
}

#[test]
fn promotion_goes_by_the_file_of_arrival_and_never_to_a_king() {
    let letters = |id: &str| {
        let ruleset = builtin(id).unwrap();
        ruleset.promotion.iter().map(|&kind| ruleset.kinds[kind].letter).collect::<String>()
    };
    assert_eq!(letters("cazaux-musser"), "RLUGCAACGULR");
    assert_eq!(letters("murray"), "RLUGCAACGULR");
    assert_eq!(letters("shatranj"), "QQQQQQQQ");
    assert_eq!(letters("courier"), "FFFFFFFFFFFF");
}

#[test]
fn five_readings_are_one_move_set_and_the_others_are_not() {
    let five = ["cazaux-musser", "chess-variant-pages", "wikipedia-2023", "cazaux-capturing-leap", "shamax"];
    let set = builtin("cazaux-musser").unwrap().officers_fingerprint();
    for ruleset in all() {
        let same = ruleset.officers_fingerprint() == set;
        assert_eq!(same, five.contains(&ruleset.id.as_str()), "{}", ruleset.id);
    }
}

#[test]
fn fingerprints_tell_all_readings_apart() {
    let mut seen: Vec<String> = all().iter().map(|ruleset| hex(&ruleset.fingerprint())).collect();
    assert!(seen.iter().all(|digest| digest.len() == 64));
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), BUILTIN.len());
}

#[test]
fn fingerprints_ignore_names_spelling_and_order_and_nothing_else() {
    let text = builtin_text("cazaux-musser").unwrap();
    let of = |text: &str| load("x.toml", text).fingerprint();
    let (head, rest) = text.split_once("[piece.king]").unwrap();
    let (king, others) = rest.split_once("[piece.aanca]").unwrap();
    let moved = format!("{head}[piece.aanca]{others}\n[piece.king]{king}");
    let same = [
        text.replace("id = \"cazaux-musser\"", "id = \"other\""),
        text.replace("\"reconstructed\"", "\"conjecture\""),
        text.replace("name = \"lion\"", "name = \"leon\""),
        text.replace("\"HL\"", "\"CH\""),
        text.replace("\"J\"", "\"(2,3)\""),
        moved,
    ];
    for other in same {
        assert_ne!(other, text);
        assert_eq!(of(&other), of(text), "{other}");
    }
    let changes = [
        ("\"HL\"", "\"H\""),
        ("letter = \"U\"", "letter = \"X\""),
        ("pips = 7\n", "\n"),
        ("12/12/pppp", "12/11p/pppp"),
        ("king_file = \"aanca\"", "king_file = \"rook\""),
        ("over_attacked = true", "over_attacked = false"),
        ("stalemate = \"draw\"", "stalemate = \"wins\""),
        ("repetition = 3", "repetition = 0"),
        ("200", "199"),
        ("reroll", "pass"),
        ("\"J\"", "\"J\"\nfirst_move = \"mJ\""),
    ];
    for (old, new) in changes {
        let other = text.replace(old, new);
        let other = if new.contains('X') {
            other.replace('u', "x").replace("U", "X").replace("xn", "un")
        } else {
            other
        };
        if let Ok(ruleset) = Ruleset::load("x", &other, &|_| None) {
            assert_ne!(ruleset.fingerprint(), of(text), "{new}");
        } else {
            assert!(new.contains('X'), "{new}");
        }
    }
}

#[test]
fn a_mirror_of_a_mirror_is_the_reading_itself() {
    for ruleset in all() {
        let mirror = ruleset.mirrored();
        assert_eq!(mirror.id, format!("{}-mirrored", ruleset.id));
        assert_eq!(mirror.mirrored().fingerprint(), ruleset.fingerprint());
        assert_eq!(mirror.mirrored().start, ruleset.start);
    }
    // The two texts put king and aanca on each other's files: mirror images.
    let (english, spanish) = (builtin("cazaux-musser").unwrap(), builtin("murray").unwrap());
    let placement = |ruleset: &Ruleset| ruleset.start_fen().split(' ').next().unwrap().to_owned();
    assert_eq!(placement(&english.mirrored()), placement(&spanish));
}

#[test]
fn inheritance_fills_in_what_the_child_leaves_out() {
    let (parent, child) = (builtin("cazaux-musser").unwrap(), builtin("murray").unwrap());
    let kind =
        |ruleset: &Ruleset, key: &str| ruleset.kinds.iter().find(|kind| kind.key == key).unwrap().clone();
    assert_eq!(kind(&child, "aanca"), kind(&parent, "aanca"));
    let unicorn = kind(&child, "rhinoceros");
    assert_eq!((unicorn.name.as_str(), unicorn.letter, unicorn.pips), ("unicorn", 'U', Some(6)));
    assert_eq!(unicorn.first_move.as_ref().unwrap().text, "mN");
    assert_eq!(child.end.no_progress_plies, 200);
    assert_eq!(builtin("murray-33").unwrap().start, child.start);
    assert_eq!(child.kinds.iter().filter(|kind| kind.royal).count(), 1);
    assert_eq!(child.start.iter().filter(|man| man.1 == Color::White).count(), 24);
    assert_eq!(child.source.confidence, Confidence::Reconstructed);
}

#[test]
fn explanations_name_every_piece_and_rule() {
    for ruleset in all() {
        let text = ruleset.explain();
        for words in [ruleset.title.as_str(), &ruleset.source.citation, &ruleset.start_fen()] {
            assert!(text.contains(words), "{words}");
        }
        assert!(ruleset.kinds.iter().all(|kind| text.contains(&kind.betza.text)));
        assert!(text.contains(&hex(&ruleset.fingerprint())));
    }
}

#[test]
fn a_name_resolves_to_a_builtin_or_a_file_with_parents_beside_it() {
    let files = |path: &Path| match path.to_str() {
        Some("dir/child.toml") => Ok("id = \"child\"\nextends = \"./base.toml\"".to_owned()),
        Some("dir/base.toml") => Ok("id = \"base\"\nextends = \"murray\"".to_owned()),
        _ => Err(std::io::ErrorKind::NotFound.into()),
    };
    assert_eq!(resolve("ludii", &files).unwrap().id, "ludii");
    let child = resolve("dir/child.toml", &files).unwrap();
    assert_eq!(child.fingerprint(), builtin("murray").unwrap().fingerprint());
    assert!(resolve("base.toml", &files).unwrap_err().to_string().contains("base.toml"));
    let unknown = resolve("lludi", &files).unwrap_err().to_string();
    for words in ["did you mean ludii?", "courier", ".toml file"] {
        assert!(unknown.contains(words), "{unknown}");
    }
}
