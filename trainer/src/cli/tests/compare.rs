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
