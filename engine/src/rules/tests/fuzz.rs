use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::rules::{BUILTIN, Betza, Ruleset, builtin_text};

fn load(text: &str) {
    let loader = |parent: &str| Some((parent.to_owned(), builtin_text(parent)?.to_owned()));
    match Ruleset::load("fuzz.toml", text, &loader) {
        Ok(ruleset) => {
            assert!(!ruleset.explain().is_empty());
            assert_ne!(ruleset.fingerprint(), [0; 32]);
            assert_eq!(ruleset.mirrored().mirrored().fingerprint(), ruleset.fingerprint());
        }
        Err(problems) => {
            assert!(!problems.as_slice().is_empty());
            assert!(problems.as_slice().iter().all(|problem| problem.line > 0));
            assert!(!problems.to_string().is_empty());
        }
    }
}

/// A change of a text: at a place, so many characters give way to others.
fn edit() -> impl Strategy<Value = (Index, usize, String)> {
    let bits = [
        "", "\"", "[", "]", "=", "\n", "0", "-1", "é", "12/", "K", "true", "{", "}", ".", "#", "t[NB]",
        "\\u0000",
    ];
    (any::<Index>(), 0..6_usize, prop_oneof![select(bits.to_vec()).prop_map(str::to_owned), "\\PC{0,3}"])
}

fn edited(text: &str, edits: &[(Index, usize, String)]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for (index, length, new) in edits {
        let start = if chars.is_empty() { 0 } else { index.index(chars.len()) };
        chars.splice(start..(start + length).min(chars.len()), new.chars());
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn mutated_files_load_or_say_what_is_wrong(which: Index, edits in vec(edit(), 1..6)) {
        load(&edited(BUILTIN[which.index(BUILTIN.len())].1, &edits));
    }

    #[test]
    fn shuffled_lines_load_or_say_what_is_wrong(
        which: Index,
        lines in Just((0..60_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let text: Vec<&str> = BUILTIN[which.index(BUILTIN.len())].1.lines().collect();
        let shuffled: Vec<&str> = lines.into_iter().filter_map(|line| text.get(line).copied()).collect();
        load(&shuffled.join("\n"));
    }

    #[test]
    fn random_text_is_refused_without_a_panic(text in "(\\PC|\\n){0,80}") {
        load(&text);
    }

    #[test]
    fn random_movements_parse_or_name_a_column(
        text in prop_oneof![
            "[mcfblrvsin]{0,4}[WFDNAHCLZJGKRBQ(t1,\\[\\])20]{0,6}",
            "([mcfblrvsi]{0,3}(W|F|D|N|A|H|C|J|G|K|R|B|Q|NN|W3|\\([0-9]{1,2},[0-9]\\)|t\\[f?[NFW]b?[RBQ]\\]|nD)){1,4}",
            "\\PC{0,12}",
        ],
    ) {
        match Betza::parse(&text) {
            Ok(betza) => {
                prop_assert!(!betza.atoms.is_empty() && !betza.canonical().is_empty());
                prop_assert_eq!(Betza::parse(&betza.mirrored().text), Ok(betza.mirrored()));
            }
            Err(error) => prop_assert!((1..=text.chars().count() + 1).contains(&error.column), "{}", error),
        }
    }
}
