use super::*;

#[test]
fn compare_knows_mirror_images_and_samples_of_one_reading() {
    let directory = tempfile::tempdir().unwrap();
    let [rules, a, b, csv] =
        ["mirror.toml", "a.acd", "b.acd", "c.csv"].map(|name| directory.path().join(name));
    let parent = acedrex_engine::rules::builtin("shatranj").unwrap();
    let start = parent.mirrored().start_fen();
    let toml = format!(
        "id = \"mirror\"\ntitle = \"Mirror\"\nextends = \"shatranj\"\n\n[source]\ncitation = \"a test\"\n\
         confidence = \"conjecture\"\n\n[board]\nstart = \"{}\"\n",
        start.split(' ').next().unwrap()
    );
    std::fs::write(&rules, toml).unwrap();
    play("shatranj", "1", &a);
    play(text(&rules), "1", &b);
    let quick = ["--replicates", "100", "--threads", "1", "--csv", text(&csv)];
    let compare = |files: &[&str]| call(&[&["compare"][..], files, &quick].concat());
    let (code, out, err) = compare(&[text(&a), text(&b), "--ruleset", text(&rules)]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("shatranj and mirror: the same game, or its mirror image; White's scores"), "{out}");
    assert!(out.contains("within 0.05 of each other"), "{out}");
    let rows = std::fs::read_to_string(&csv).unwrap();
    assert!(rows.lines().last().unwrap().starts_with("replication,shatranj,mirror,White's score,"), "{rows}");

    let (code, out, err) = compare(&[text(&a), text(&a)]);
    assert!(code == 0 && err.contains("warning: ") && err.contains("hold the same games"), "{err}");
    assert!(out.contains("shatranj (1: a)") && out.contains("shatranj (2: a)"), "{out}");

    // Named twice, a reading is played twice, not the same games twice.
    let (code, out, err) = compare(&["shatranj", "shatranj", "--games", "8", "--nodes", "5"]);
    assert_eq!(code, 0, "{err}");
    let length = out.lines().find(|line| line.starts_with("length, plies")).unwrap();
    let cells: Vec<&str> = length.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    assert!(cells.len() == 3 && cells[1] != cells[2], "{length}");
}

#[test]
fn compare_checks_all_that_it_is_told_before_it_plays() {
    let directory = tempfile::tempdir().unwrap();
    let here = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    std::fs::create_dir(here("data")).unwrap();
    std::fs::write(here("junk.acd"), "my notes\n").unwrap();
    // More games than end while a test waits.
    let endless = ["--games", "1000000", "--nodes", "100000", "--threads", "1"];
    for (files, csv, says) in [
        (["murray", "nope"], here("c.csv"), "no ruleset \"nope\""),
        (["murray", "ludii"], here("data"), "a directory has that name"),
        (["murray", "ludii"], "/proc/c.csv".to_owned(), "cannot write /proc/c.csv"),
        (["murray", &here("none.acd")], here("c.csv"), "none.acd"),
        (["murray", &here("junk.acd")], here("c.csv"), "junk.acd"),
    ] {
        let (code, out, err) = call(&[&["compare"][..], &files, &endless, &["--csv", &csv]].concat());
        assert!(code == 1 && out.is_empty() && err.contains(says), "{files:?}: {err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
    assert!(!Path::new(&here("c.csv")).exists());
}

#[test]
fn an_option_may_stand_between_the_datasets_and_one_alone_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let [a, b, csv] = ["a.acd", "b.acd", "c.csv"].map(|name| directory.path().join(name));
    play("shatranj", "1", &a);
    play("shatranj", "2", &b);
    let quick = ["--replicates", "100", "--threads", "1"];
    let compare = |words: &[&str]| call(&[&["compare"][..], words, &quick].concat());
    let (code, _, err) = compare(&[text(&a), "--csv", text(&csv), text(&b)]);
    assert!(code == 0 && csv.exists(), "{err}");
    let (code, _, err) = compare(&[text(&a), "--csv", text(&csv)]);
    assert!(code == 2 && err.contains("required arguments were not provided:\n  <OTHER>...\n"), "{err}");
}
