//! Another reader of the dataset format, written from its description.

use std::process::{Command, Output};

use acedrex_trainer::cli::run;

use super::common::root;

fn trainer(arguments: &[&str]) -> String {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = std::iter::once("acedrex-trainer").chain(arguments.iter().copied());
    assert_eq!(run(words, &mut out, &mut err), 0, "{arguments:?}: {}", String::from_utf8_lossy(&err));
    String::from_utf8(out).unwrap()
}

/// What the reader in Python says of a file; `None` where there is no Python.
fn read(file: &str) -> Option<Output> {
    let script = root().join("scripts/read_dataset.py");
    match Command::new("python3").arg(script).arg(file).output() {
        Ok(output) => Some(output),
        Err(error) => {
            assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}");
            eprintln!("no python3 here: not tested");
            None
        }
    }
}

#[test]
fn the_samples_are_valid_datasets_of_the_rules_that_ship() {
    for id in ["cazaux-musser", "codex-literal", "murray"] {
        let path = root().join(format!("data/samples/{id}.acd"));
        let said = trainer(&["dataset", "validate", path.to_str().unwrap()]);
        assert!(said.contains("100"), "{said}");
        let said = trainer(&["dataset", "stats", path.to_str().unwrap()]);
        assert!(said.contains(&format!("ruleset: {id}\n")) && said.contains("\ngames: 100\n"), "{said}");
    }
}

#[test]
fn sixty_lines_of_python_read_what_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (a, b, games, csv) = (place("a.acd"), place("b.acd"), place("games.acd"), place("games.csv"));
    // Two runs, one with dice and of an odd number of plies; adjudicated and unfinished games among them.
    let play = ["selfplay", "--ruleset", "murray", "--games", "12", "--nodes", "5", "--threads", "1"];
    let long = ["--max-plies", "151", "--adjudicate", "200:2", "--seed", "3", "--out", &a];
    trainer(&[&play[..], &long].concat());
    trainer(&[&play[..], &["--max-plies", "31", "--dice", "--out", &b]].concat());
    trainer(&["dataset", "merge", &a, &b, "--out", &games]);
    trainer(&["dataset", "export", &games, "--out", &csv]);
    let Some(output) = read(&games) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found = String::from_utf8(output.stdout).unwrap();
    let exported = std::fs::read_to_string(&csv).unwrap();
    let expected: Vec<String> = exported
        .lines()
        .map(|line| {
            let mut cells: Vec<&str> = line.split(',').collect();
            // What only the rules tell: checks, captures, the position, and what a pawn becomes.
            for column in [7, 6, 2] {
                cells.remove(column);
            }
            if cells[2] != "move" && cells[2] != "pass" {
                cells[2] = cells[2].trim_end_matches(|c: char| c.is_ascii_alphabetic());
            }
            cells.join(",")
        })
        .collect();
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
    for word in ["repetition", "adjudicated-score", "ply-cap", ",1-0,", ",0-1,"] {
        assert!(found.contains(word), "no {word}: choose another seed");
    }
    // And it finds what is wrong.
    let bytes = std::fs::read(&games).unwrap();
    for at in [3, 8, 15, bytes.len() / 2, bytes.len() - 30, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        std::fs::write(&games, &damaged).unwrap();
        assert!(!read(&games).unwrap().status.success(), "byte {at}");
        std::fs::write(&games, &bytes[..at]).unwrap();
        assert!(!read(&games).unwrap().status.success(), "{at} bytes");
    }
}
