use std::fs;

use super::common::root;

/// The lines of the README's shell blocks.
fn commands() -> Vec<String> {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let blocks = text.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

/// Splits at spaces outside quotation marks.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words
}

#[test]
fn every_command_of_the_readme_runs_as_printed() {
    let folder = tempfile::tempdir().unwrap();
    let runs = folder.path().to_str().unwrap();
    let (mut here, mut elsewhere) = (0, Vec::new());
    for line in commands() {
        if !line.starts_with("target/release/") {
            elsewhere.push(line);
            continue;
        }
        // As run from the root, but that what runs write goes elsewhere.
        let place = |word: &String| {
            let file = word.strip_prefix("data/runs/").map(|name| format!("{runs}/{name}"));
            let file =
                file.or_else(|| root().join(word).exists().then(|| root().join(word).display().to_string()));
            file.unwrap_or_else(|| word.clone())
        };
        let words = words(&line);
        let arguments: Vec<String> = words.iter().map(place).collect();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let code = match words[0].as_str() {
            "target/release/acedrex" => acedrex_engine::cli::run(&arguments, &mut out, &mut err),
            "target/release/acedrex-trainer" => acedrex_trainer::cli::run(&arguments, &mut out, &mut err),
            other => panic!("{other}: no program of ours"),
        };
        assert_eq!(code, 0, "{line}\n{}", String::from_utf8_lossy(&err));
        assert!(!out.is_empty(), "{line} prints nothing");
        here += 1;
    }
    assert!(here > 10, "{here} commands");
    // The script that CI runs has the rest, word for word, or calls a script that has it.
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let ci = read(".ci/run");
    let calls = ci.split_whitespace().filter(|word| word.starts_with("scripts/"));
    let scripts: Vec<String> = std::iter::once(ci.clone()).chain(calls.map(read)).collect();
    assert!(elsewhere.len() > 2, "{elsewhere:?}");
    for line in elsewhere {
        assert!(scripts.iter().any(|script| script.contains(&line)), "CI does not run {line:?}");
    }
}
