use std::path::Path;

use super::{arena, arena_of, mock};

/// How a match of two games ended, and what the engines of these tests were told.
fn told(here: &Path, mode: &str, engines: [&str; 2], more: &[&str]) -> (Option<i32>, String, String) {
    let rest = ["--games", "2", "--concurrency", "1", "--max-plies", "12"];
    let _ = std::fs::remove_file(here.join("pids.said"));
    let [first, second] = engines;
    let output = arena(here, mode, &[&["--engine", first, "--engine", second], &rest[..], more].concat());
    let said = std::fs::read_to_string(here.join("pids.said")).unwrap_or_default();
    (output.status.code(), said, String::from_utf8(output.stderr).unwrap())
}

const INTERNAL: &str = "internal:hash=1,nodes=5";

#[test]
fn a_process_is_told_its_own_limit_variant_and_options() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    for (mode, protocol, options, expected, never) in [
        ("legal", "uci", "", "go nodes 9\n", "Style"),
        ("legal", "uci", ",depth=3", "go depth 3\n", "nodes"),
        ("legal", "uci", ",movetime=900", "go movetime 900\n", "nodes"),
        ("legal", "uci", ",variant=chess", "setoption name UCI_Variant value chess\n", "murray"),
        ("legal", "uci", "", "setoption name UCI_Variant value murray\n", "chess"),
        ("told", "uci", "", "ucinewgame\n", "setoption"),
        (
            "legal",
            "uci",
            ",option.move style=very wild",
            "setoption name move style value very wild\n",
            "calm",
        ),
        ("legal", "uci", ",option.Move Style", "setoption name Move Style\n", "value calm"),
        ("cecp-legal", "cecp", ",depth=2", "level 0 600 0\nsd 2\n", "time"),
        ("cecp-legal", "cecp", ",movetime=1000", "st 1\n", "level"),
        ("cecp-legal", "cecp", ",depth=1,variant=normal", "variant normal\n", "murray"),
        ("cecp-legal", "cecp", ",depth=1,option.Move Style=wild", "option Move Style=wild\n", "normal"),
        ("cecp-legal", "cecp", ",depth=1", "option Claim draw after=", "Style"),
        ("cecp-legal", "cecp", ",depth=1,option.Claim draw after=7", "after=7\n", "after=5"),
    ] {
        let engine = mock(protocol, options);
        let (code, said, err) = told(here, mode, [&engine, INTERNAL], &["--nodes", "9"]);
        assert_eq!(code, Some(0), "{options}: {err}");
        assert!(said.contains(expected) && !said.contains(never), "{protocol}{options}: {said}");
    }
}

#[test]
fn what_an_engine_cannot_be_told_ends_the_match_before_its_first_game() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    for (mode, protocol, options, hint) in [
        ("legal", "uci", ",option.Hash=3", "no option \"Hash\", expected one of: Move Style, UCI_Variant"),
        ("legal", "uci", ",option.Move Style=bad", "Error: no such style"),
        ("combo", "uci", "", "variant \"murray\", expected one of: chess, ludii"),
        ("combo", "uci", ",variant=shogi", "variant \"shogi\", expected one of: chess, ludii"),
        (
            "cecp-legal",
            "cecp",
            ",depth=1,option.Hash=3",
            "no option \"Hash\", expected one of: Move Style, Claim",
        ),
        ("cecp-legal", "cecp", ",depth=1,option.Move Style=bad", "Error (no such style): bad"),
        (
            "cecp-legal",
            "cecp",
            ",depth=1,variant=shogi",
            "variant \"shogi\", expected one of: normal, murray",
        ),
    ] {
        let engine = mock(protocol, options);
        let (code, said, err) = told(here, mode, [INTERNAL, &engine], &["--nodes", "9"]);
        assert!(
            code == Some(1) && err.contains("engine 2 is not ready") && err.contains(hint),
            "{options}: {err}"
        );
        assert!(!said.contains("go "), "{said}");
    }
    let (code, _, err) = told(here, "cecp-legal", [INTERNAL, &mock("cecp", ",nodes=5")], &[]);
    assert!(code == Some(1) && err.contains("no limit of nodes"), "{err}");
}

#[test]
fn an_engine_that_ends_at_once_is_said_to_have_ended() {
    let directory = tempfile::tempdir().unwrap();
    for (command, hint) in
        [("false", "false: it ended with exit status 1"), ("true", "true: it ended with exit status 0")]
    {
        for protocol in ["uci", "cecp"] {
            let engine = format!("{protocol},depth=1:{command}");
            let (code, _, err) = told(directory.path(), "legal", [INTERNAL, &engine], &["--nodes", "9"]);
            assert!(code == Some(1) && err.contains("engine 2 is not ready") && err.contains(hint), "{err}");
        }
    }
}

#[test]
fn a_clock_goes_with_another_limit_of_the_other_engine() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    let (code, said, err) = told(here, "legal", [&mock("uci", ",tc=60+0.5"), INTERNAL], &[]);
    assert_eq!(code, Some(0), "{err}");
    for line in said.lines().filter_map(|line| line.strip_prefix("go ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let [_, white, _, black, _, winc, _, binc] = words[..] else { panic!("{line}") };
        assert!(white == black && (winc, binc) == ("500", "500"), "{line}");
    }
    let (code, said, err) =
        told(here, "legal", [&mock("uci", ",tc=60+0.5"), "internal:hash=1,tc=30+0.2"], &[]);
    assert!(
        code == Some(0) && said.contains("winc 500 binc 200") && said.contains("winc 200 binc 500"),
        "{err}{said}"
    );
    let (code, said, err) = told(here, "cecp-legal", [&mock("cecp", ",tc=90+2"), INTERNAL], &[]);
    assert!(code == Some(0) && said.contains("level 0 1:30 2\ntime 9000\notim 9000\n"), "{err}{said}");
    let (code, said, err) =
        told(here, "cecp-legal", [&mock("cecp", ",tc=90+2"), "internal:hash=1,tc=30"], &[]);
    assert!(code == Some(0) && said.contains("time 9000\notim 3000\n"), "{err}{said}");
}

#[test]
fn the_own_engine_as_a_process_plays_by_a_ruleset_file() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    std::fs::write(here.join("my.toml"), "id = \"mine\"\ntitle = \"Mine\"\nextends = \"murray\"\n").unwrap();
    let program = std::env::current_exe().unwrap();
    let program =
        format!("{} --exact mock::acedrex_of_these_tests --nocapture --test-threads 2 --", program.display());
    let rest = ["--games", "2", "--concurrency", "1", "--max-plies", "30", "--json", "m.json"];
    let play = |spec: &str| {
        let engines = ["--engine", spec, "--engine", INTERNAL];
        let output = arena_of("my.toml", here, "acedrex", &[&engines[..], &rest].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for spec in [
        format!("uci,depth=2:{program} uci --hash 1 --ruleset my.toml"),
        format!("uci,depth=2,option.RulesetFile=my.toml:{program} uci --hash 1"),
        format!("cecp,depth=2:{program} xboard --hash 1 --ruleset my.toml"),
        format!("cecp,depth=2,option.RulesetFile=my.toml:{program} xboard --hash 1"),
    ] {
        let (code, err) = play(&spec);
        assert_eq!(code, Some(0), "{spec}: {err}");
        let json: serde_json::Value =
            serde_json::from_slice(&std::fs::read(here.join("m.json")).unwrap()).unwrap();
        assert_eq!(json["ruleset"], "mine");
        for count in ["time_losses", "illegal_moves", "crashes", "hangs", "wrong_claims", "resignations"] {
            assert_eq!(json["engines"][0][count], 0, "{spec}: {json}");
        }
    }
    for (spec, hint) in [
        (format!("uci,depth=2:{program} uci"), "is told a ruleset file by --ruleset FILE"),
        (format!("cecp,depth=2:{program} xboard"), "is told a ruleset file by --ruleset FILE"),
        (format!("uci,depth=2,option.RulesetFile=no.toml:{program} uci"), "no.toml"),
        (format!("cecp,depth=2,option.RulesetFile=no.toml:{program} xboard"), "no.toml"),
    ] {
        let (code, err) = play(&spec);
        assert!(code == Some(1) && err.contains(hint), "{spec}: {err}");
    }
}
