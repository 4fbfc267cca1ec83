use super::*;

#[test]
fn presets_are_explained_and_unknown_ones_refused_with_a_list() {
    let (_, help, _) = call(&["study", "--help"]);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("quick: two readings") && help.contains("standard: all ten readings"), "{help}");
    let (code, _, err) = call(&["study", "--preset", "slow"]);
    assert!(code == 2 && err.contains("quick") && err.contains("standard"), "{err}");
    let (code, _, err) = call(&["compare", "muray", "ludii"]);
    assert!(code == 1 && err.contains("did you mean murray") && err.contains("codex-literal"), "{err}");
}

#[test]
fn what_is_wrong_with_a_round_is_said_of_its_table() {
    let directory = tempfile::tempdir().unwrap();
    let (file, folder) = (directory.path().join("study.toml"), directory.path().join("out"));
    for (first, second, says) in [
        ("games = 0\nnodes = 1", "games = 1\nnodes = 1", "[first] games: found 0, expected 1 to 1000000000"),
        ("games = 1\nnodes = 1", "games = 0\nnodes = 1", "[second] games: found 0, expected 1 to 1000000000"),
        ("games = 1\nnodes = 1", "games = 1\nnodes = 0", "[second] nodes: found 0, expected 1 to 1000000000"),
    ] {
        let toml = format!("name = \"x\"\nreadings = [\"murray\"]\n[first]\n{first}\n[second]\n{second}\n");
        std::fs::write(&file, toml).unwrap();
        let (code, _, err) = call(&["study", "--config", text(&file), "--out", text(&folder)]);
        assert_eq!((code, err), (1, format!("error: study: {says}\n")));
    }
    assert!(!folder.exists());
}
