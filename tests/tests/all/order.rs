use std::fs;
use std::path::Path;

use super::common::root;

/// The stages in order; the command line comes last and may use all.
const STAGES: &[&str] = &["types", "rules", "board", "movegen", "game", "eval", "search", "protocol", "cli"];

fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn modules_import_from_earlier_stages_only() {
    let mut seen = 0;
    for (index, stage) in STAGES.iter().enumerate() {
        let mut files = Vec::new();
        sources(&root().join("engine/src").join(stage), &mut files);
        assert!(!files.is_empty(), "{stage} is gone");
        for file in files {
            for line in fs::read_to_string(&file).unwrap().lines() {
                for (at, _) in line.match_indices("crate::") {
                    let rest = &line[at + "crate::".len()..];
                    let name: String =
                        rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    let Some(used) = STAGES.iter().position(|stage| *stage == name) else { continue };
                    seen += 1;
                    assert!(used <= index, "{}: {line}", file.display());
                }
            }
        }
    }
    assert!(seen > 50, "only {seen} imports seen: the test reads nothing");
}

#[test]
fn only_the_command_line_opens_files() {
    for stage in &STAGES[..STAGES.len() - 1] {
        let mut files = Vec::new();
        sources(&root().join("engine/src").join(stage), &mut files);
        let is_test = |file: &Path| file.components().any(|part| part.as_os_str() == "tests");
        for file in files.into_iter().filter(|file| !is_test(file)) {
            let text = fs::read_to_string(&file).unwrap();
            assert!(!text.contains("std::fs") && !text.contains("File::open"), "{}", file.display());
        }
    }
}
