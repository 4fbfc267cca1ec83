use acedrex_engine::cli::load_reading;

use super::*;

#[test]
fn tune_writes_weights_and_values_and_never_over_its_input() {
    let directory = tempfile::tempdir().unwrap();
    let [games, weights, csv] = ["g.acd", "w.toml", "v.csv"].map(|name| directory.path().join(name));
    play("shatranj", "1", &games);
    let tune = |out: &Path, csv: &Path| {
        call(&["tune", text(&games), "--all", "--replicates", "100", "--out", text(out), "--csv", text(csv)])
    };
    let (code, out, err) = tune(&weights, &csv);
    assert!(code == 0 && out.contains("finished games (of 12 games)"), "{out}{err}");
    assert!(!out.contains("Adjacent pairs"), "without pips there are none: {out}");
    let reading = load_reading("shatranj").unwrap();
    let text_of = std::fs::read_to_string(&weights).unwrap();
    assert!(acedrex_engine::eval::Weights::from_toml(&reading.rules, "w", &text_of).is_ok());
    assert!(std::fs::read_to_string(&csv).unwrap().starts_with("column,theta,"));
    // The same file by another path.
    let detour = directory.path().join(".").join("g.acd");
    let before = std::fs::read(&games).unwrap();
    for (out, csv) in [(&detour, &csv), (&weights, &detour), (&weights, &weights)] {
        let (code, _, err) = tune(out, csv);
        assert!(code == 1 && err.contains("would replace"), "{err}");
    }
    let (code, _, err) = call(&["compare", text(&games), text(&games), "--csv", text(&detour)]);
    assert!(code == 1 && err.contains("would replace"), "{err}");
    let (code, _, err) = call(&["dataset", "export", text(&games), "--out", text(&detour)]);
    assert!(code == 1 && err.contains("would replace"), "{err}");
    assert_eq!(std::fs::read(&games).unwrap(), before);
    let (code, _, err) =
        call(&["tune", text(&games), text(&detour), "--out", text(&weights), "--csv", text(&csv)]);
    assert!(code == 1 && err.contains("count twice"), "{err}");
}

#[test]
fn tune_finds_an_output_that_cannot_be_before_it_reads_the_games() {
    let directory = tempfile::tempdir().unwrap();
    let [games, folder, good] = ["g.acd", "data", "good"].map(|name| directory.path().join(name));
    play("shatranj", "1", &games);
    std::fs::create_dir(&folder).unwrap();
    for (out, csv) in [(&folder, &good), (&good, &folder)] {
        let (code, _, err) = call(&["tune", text(&games), "--out", text(out), "--csv", text(csv)]);
        assert_eq!(
            (code, err),
            (1, format!("error: cannot write {}: a directory has that name\n", text(&folder)))
        );
        assert!(!good.exists());
    }
}
