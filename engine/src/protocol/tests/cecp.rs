use std::time::Duration;

use super::{Builtin, Ending, Loader, Protocol, Talk};
use crate::game::Position;
use crate::protocol::cecp::Level;
use crate::rules::known_ids;

fn xboard() -> Talk {
    let talk = Talk::new(Protocol::Cecp);
    talk.say("xboard");
    talk
}

fn ask(talk: &Talk, lines: &str) -> Vec<String> {
    talk.ask(lines, "ping 7", "pong 7")
}

fn start(id: &str) -> Position {
    Position::start(&Builtin.reading(id).unwrap())
}

/// Waits for the engine's move and plays it.
fn reply(talk: &Talk, position: &mut Position) {
    let mv = position.parse_move(&talk.rest("move ")).unwrap();
    position.play(mv);
}

#[test]
fn it_introduces_itself() {
    let talk = xboard();
    let lines = ask(&talk, "protover 2\naccepted done\nrejected san");
    assert_eq!(lines.first().unwrap(), "feature done=0");
    assert_eq!(lines.last().unwrap(), "feature done=1");
    let text = lines.join("\n");
    for feature in
        ["setboard=1", "ping=1", "memory=1", "smp=1", "usermove=1", "colors=0", "analyze=1", "playother=1"]
    {
        assert!(text.contains(&format!(" {feature} ")), "{feature}: {text}");
    }
    assert!(text.contains("variants=\"cazaux-musser,murray,"), "{text}");
    assert!(text.contains(",courier,grande-acedrex\""), "{text}");
    assert_eq!(ask(&talk, "frobnicate 3"), ["Error (unknown command): frobnicate 3"]);
}

#[test]
fn every_variant_is_set_up() {
    let talk = xboard();
    for id in known_ids() {
        let lines = ask(&talk, &format!("new\nvariant {id}"));
        let rules = &start(id).reading().rules.clone();
        let size = format!(") {}x{}+0_", rules.files, rules.ranks);
        assert!(lines[0].starts_with("setup (") && lines[0].contains(&size), "{lines:?}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("piece ")).count(), rules.kinds.len(), "{id}");
        // The FEN that XBoard is given reads back as the start.
        let fen = lines[0].split_once('_').unwrap().1.split_once(' ').unwrap().1;
        assert!(ask(&talk, &format!("force\nsetboard {fen}")).is_empty(), "{id} {fen}");
    }
    let lines = ask(&talk, "variant grande-acedrex");
    assert_eq!(
        lines[0],
        "setup (P.CR.............A..U..G........LKp.cr.............a..u..g........lk) 12x12+0_fairy \
         rlugcakcgulr/12/12/pppppppppppp/12/12/12/12/PPPPPPPPPPPP/12/12/RLUGCAKCGULR w KQkq - 0 1"
    );
    assert!(lines.contains(&"piece A& FyafsF".to_owned()), "{lines:?}");
    assert_eq!(ask(&talk, "variant crazyhouse"), ["Error (unknown variant): variant crazyhouse"]);
}

#[test]
fn a_game_in_both_ways_of_writing_moves() {
    let talk = xboard();
    let mut position = start("cazaux-musser");
    talk.say("new\nvariant grande-acedrex\nlevel 0 5 0\nsd 2\neasy\nusermove a4a5");
    position.play(position.parse_move("a4a5").unwrap());
    reply(&talk, &mut position);
    talk.say("time 29900\notim 29000\nb4b5");
    position.play(position.parse_move("b4b5").unwrap());
    reply(&talk, &mut position);
    // The other side takes over, and back.
    talk.say("go");
    reply(&talk, &mut position);
    assert!(ask(&talk, "force\nhint").iter().all(|line| line.starts_with("Hint: ")));
    assert!(ask(&talk, "playother").is_empty());
    let mv = position.legal_moves()[0];
    let text = position.format_move(mv);
    position.play(mv);
    talk.say(&format!("usermove {text}"));
    reply(&talk, &mut position);
    assert_eq!(position.played().len(), 7);
}

#[test]
fn illegal_moves_are_refused_with_their_reason() {
    let talk = xboard();
    for (mv, why) in [
        ("usermove a4a6", "the pawn on a4 does not go to a6"),
        ("a4a6", "the pawn on a4 does not go to a6"),
        ("a5a6", "no man stands on a5"),
        ("a9a8", "white is to move, and the man on a9 is black"),
        ("a4a5q", "it is no promotion, so the letter 'q' has no meaning"),
        ("usermove e2e4e6", "not a move such as a4a5, or a11a12r for a promotion"),
        ("usermove", "not a move such as a4a5, or a11a12r for a promotion"),
        ("m1m2", "not a move such as a4a5, or a11a12r for a promotion"),
    ] {
        let text = mv.trim_start_matches("usermove").trim();
        assert_eq!(ask(&talk, mv), [format!("Illegal move ({why}): {text}").trim_end()], "{mv}");
    }
    ask(&talk, "force\nsetboard 3k8/R11/12/12/12/12/12/12/12/12/12/3K8 b - 0 1");
    assert_eq!(
        ask(&talk, "d12d11"),
        ["Illegal move (it leaves the king attacked or breaks the rule of the king's leap): d12d11"]
    );
}

#[test]
fn a_search_is_ended_by_what_follows() {
    let talk = xboard();
    talk.say("post\nst 100000\ngo");
    talk.until("2 ");
    talk.say("ping 1");
    talk.until("pong 1");
    // It is the engine's turn.
    talk.say("a9a8");
    talk.until("Illegal move");
    talk.say("?");
    talk.until("move ");
    for end in [
        "new",
        "force",
        "result 1-0 {White resigns}",
        "setboard 3k8/R11/12/12/12/12/12/12/12/12/12/3K8 w - 0 1",
        "edit\n.",
        "variant murray",
    ] {
        talk.say("new\nst 100000\ngo");
        talk.until("1 ");
        let lines = ask(&talk, end);
        let lines = [lines, ask(&talk, "?")].concat();
        assert!(!lines.iter().any(|line| line.starts_with("move ")), "{end}: {lines:?}");
    }
    // A setting does not lose the search.
    talk.say("new\nst 100000\ngo");
    talk.until("1 ");
    ask(&talk, "memory 2\ncores 2\noption WeightsFile=some/good\nnopost");
    talk.say("?");
    talk.until("move ");
    talk.say("new\ngo\nquit");
    assert_eq!(talk.end().0, Ending::Quit);
}

#[test]
fn games_end_with_a_claim() {
    // Reading, position, the moves that are played, the claim.
    for (id, fen, mv, claim) in [
        ("cazaux-musser", "k11/10R1/12/12/12/12/12/12/12/12/12/4K6R w - 0 1", "l1l12", "1-0 {White mates}"),
        ("cazaux-musser", "4k6r/12/12/12/12/12/12/12/12/12/10r1/K11 b - 0 1", "l12l1", "0-1 {Black mates}"),
        ("cazaux-musser", "k11/12/12/12/12/12/12/12/12/2R9/12/1R2K7 w - 0 1", "c3c11", "1/2-1/2 {Stalemate}"),
        ("wikipedia-2023", "k11/12/12/p11/12/12/12/12/12/2R9/12/1R2K7 w - 0 1", "c3c11", ""),
        ("wikipedia-2023", "k11/12/12/p11/12/12/12/12/12/12/12/R3K7 w - 0 1", "a1a9", "1-0 {bare king}"),
        (
            "cazaux-musser",
            "k11/12/12/p11/12/12/12/12/12/12/12/R3K7 w - 199 150",
            "e1e2",
            "1/2-1/2 {Draw by no progress}",
        ),
    ] {
        let talk = xboard();
        ask(&talk, &format!("variant {id}\nforce\nsetboard {fen}"));
        // Without a claim the engine, which plays the other side, moves.
        talk.say(&format!("sd 1\nplayother\nusermove {mv}"));
        match claim {
            "" => drop(talk.until("move a9a8")),
            _ => assert_eq!(ask(&talk, ""), [claim], "{fen}"),
        }
        // In force mode the other side knows better.
        assert!(ask(&talk, &format!("force\nsetboard {fen}\nusermove {mv}")).is_empty(), "{fen}");
        if claim.contains("mates") {
            ask(&talk, &format!("force\nsetboard {fen}\npost"));
            talk.say("go");
            let lines = talk.until(&claim[..3]);
            assert!(lines.iter().any(|line| line.contains(" 100001 ")), "{lines:?}");
            assert_eq!(lines[lines.len() - 2], format!("move {mv}"));
            assert_eq!(lines.last().unwrap(), claim);
            // The game is over: it is claimed again, and nothing moves.
            assert_eq!(ask(&talk, "go"), [claim]);
        }
    }
    let talk = xboard();
    let moves = "c1b3 c12b10 b3c1 b10c12 ".repeat(2);
    ask(&talk, "force");
    for mv in moves.split_whitespace().take(7) {
        assert!(ask(&talk, mv).is_empty());
    }
    assert_eq!(ask(&talk, "playother\nb10c12"), ["1/2-1/2 {Draw by repetition}"]);
}

#[test]
fn first_move_rights_are_read_as_xboard_writes_them() {
    let talk = xboard();
    let array = |id| start(id).reading().rules.start_fen().split(' ').next().unwrap().to_owned();
    ask(&talk, &format!("variant murray\nforce\nsetboard {} w JFCjfc - 0 1", array("murray")));
    // The unicorn of the c file still has its leap, and the king too; not so with fewer letters.
    assert!(ask(&talk, "c1b3\na9a8\nf1f3").is_empty());
    ask(&talk, &format!("setboard {} w Jjfc - 0 1", array("murray")));
    assert_eq!(ask(&talk, "c1b3\nf1f3").len(), 2);
    assert!(ask(&talk, "j1i3").is_empty());
    ask(&talk, &format!("variant cazaux-musser\nforce\nsetboard {} w Gg - 0 1", array("cazaux-musser")));
    assert!(ask(&talk, "g1g3").is_empty());
    let lines = ask(&talk, &format!("setboard {} w Ff - 0 1", array("cazaux-musser")));
    assert!(
        lines[0].contains("expected squares such as g1, the letters KQkq or g, or - for none"),
        "{lines:?}"
    );
}

#[test]
fn moves_are_taken_back() {
    let talk = xboard();
    ask(&talk, "force\na4a5\na9a8");
    assert!(ask(&talk, "remove").is_empty());
    assert!(ask(&talk, "a4a5\nundo\nb4b5").is_empty());
    assert_eq!(ask(&talk, "remove"), ["Error (no move to take back): remove"]);
    assert!(ask(&talk, "undo").is_empty());
    assert_eq!(ask(&talk, "undo"), ["Error (no move to take back): undo"]);
    assert!(ask(&talk, "a4a5").is_empty());
}

#[test]
fn an_analysis_follows_the_board() {
    let talk = xboard();
    ask(&talk, "new\nforce");
    talk.say("analyze");
    talk.until("3 ");
    talk.say(".");
    let status = talk.rest("stat01: ");
    assert!(status.ends_with(" 0 59"), "{status}");
    talk.say("usermove a4a5");
    talk.until("2 ");
    talk.say("b4b5");
    talk.until("Illegal move");
    for next in [
        "undo",
        "setboard k11/10R1/12/12/12/12/12/12/12/12/12/4K6R w - 0 1",
        "new",
        "memory 2",
        "option MultiPV=2",
    ] {
        // What was under way is not taken for what follows. A ping could be answered after the first lines.
        talk.say(next);
        talk.until("1 ");
        talk.until("2 ");
    }
    let lines = ask(&talk, "setboard k10R/10R1/12/12/12/12/12/12/12/12/12/4K7 b - 0 1");
    assert!(!lines.iter().any(|line| line.starts_with("Error")), "{lines:?}");
    ask(&talk, "exit");
    assert!(ask(&talk, "new\nforce\na4a5\n.").is_empty());
}

#[test]
fn it_ponders_on_the_expected_reply() {
    let talk = xboard();
    for (hit, control) in [(true, "sd 3"), (false, "sd 3"), (true, "level 40 0:02 0.01"), (true, "st 0.02")] {
        let mut position = start("cazaux-musser");
        talk.say(&format!("new\nhard\npost\n{control}\na4a5"));
        position.play(position.parse_move("a4a5").unwrap());
        reply(&talk, &mut position);
        talk.say("hint");
        let hint = talk.until("Hint: ").pop().unwrap()[6..].to_owned();
        let expected = position.parse_move(&hint).unwrap();
        let other = position.legal_moves().into_iter().find(|&mv| mv != expected).unwrap();
        let mv = if hit { expected } else { other };
        let text = position.format_move(mv);
        position.play(mv);
        talk.say(&text);
        reply(&talk, &mut position);
        ask(&talk, "easy\nforce");
    }
}

#[test]
fn a_position_can_be_edited() {
    let talk = xboard();
    ask(&talk, "new\nforce");
    assert!(ask(&talk, "edit\n#\nKg1\nPa4\nxa4\nRl1\nRk11\nc\nka12\n.").is_empty());
    talk.say("sd 2\ngo");
    assert_eq!(talk.rest("move "), "l1l12");
    talk.until("1-0");
    ask(&talk, "new\nforce");
    let lines = ask(&talk, "edit\nZa1\nKa13\nrubbish\n\n#\n.");
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines[..3].iter().all(|line| line.starts_with("Error (no piece and square): ")), "{lines:?}");
    assert!(lines[3].starts_with("tellusererror Illegal position: "), "{lines:?}");
    // The old position stands; and an edit that changes nothing keeps the kings' leaps.
    assert!(ask(&talk, "edit\n.\ng4g5\na9a8\nusermove g1g3").is_empty());
    assert!(ask(&talk, "setboard 12 w - 0 1")[0].starts_with("tellusererror Illegal position: "));
}

#[test]
fn every_form_of_level_is_read() {
    let mut level = Level {
        moves: 9,
        base: Duration::ZERO,
        increment: Duration::ZERO,
        left: None,
        per_move: Some(Duration::from_secs(1)),
        depth: None,
        played: 3,
    };
    for (text, moves, base_ms, increment_ms) in [
        ("40 5 0", 40, 300_000, 0),
        ("40 0:30 0", 40, 30_000, 0),
        ("0 2 12", 0, 120_000, 12_000),
        ("0 5:07 0.5", 0, 307_000, 500),
        ("0 0:00.2 0.002", 0, 200, 2),
        ("0 0.5 0", 0, 30_000, 0),
        ("0 600 0", 0, 36_000_000, 0),
    ] {
        assert!(level.set_level(text), "{text}");
        assert_eq!((level.moves, level.base.as_millis()), (moves, base_ms), "{text}");
        assert_eq!(level.increment.as_millis(), increment_ms, "{text}");
        assert_eq!((level.left, level.per_move), (Some(level.base), None));
    }
    let before = level.base;
    for bad in [
        "",
        "40",
        "40 5",
        "40 5 0 1",
        "x 5 0",
        "40 x 0",
        "40 5 x",
        "40 -5 0",
        "-1 5 0",
        "40 1:2:3 0",
        "0 5 .",
    ] {
        assert!(!level.set_level(bad), "{bad}");
    }
    assert_eq!(level.base, before);
    assert!(level.set_level("4000000000 99999999999999999999 99999999999999999999"));
}

#[test]
fn arguments_are_checked() {
    let talk = xboard();
    for bad in [
        "level",
        "level 1 2",
        "st",
        "st x",
        "st -1",
        "sd",
        "sd x",
        "memory",
        "memory x",
        "cores x",
        "time",
        "time x",
        "option MultiPV=x",
    ] {
        assert_eq!(ask(&talk, bad), [format!("Error (bad argument): {bad}")], "{bad}");
    }
    for good in [
        "level 40 5 0",
        "st 0.1",
        "sd 3",
        "memory 99999999",
        "cores 2",
        "time -5",
        "time 100",
        "otim x",
        "option MultiPV=3",
        "option RulesetFile=",
        "option WeightsFile=",
    ] {
        assert_eq!(ask(&talk, good), Vec::<String>::new(), "{good}");
    }
    assert_eq!(ask(&talk, "cores 99"), ["# 99 threads are more than 2 for this machine: 2 are used"]);
    assert_eq!(ask(&talk, "option Nonesuch=3"), ["Error (unknown option): option Nonesuch=3"]);
    let lines = ask(&talk, "option WeightsFile=no/such");
    assert_eq!(lines, ["Error (no weights in no/such; at all): option WeightsFile=no/such"]);
    // A ruleset file stays for the games that follow.
    assert!(ask(&talk, "option RulesetFile=shatranj")[0].contains(" 8x8+0_shatranj "));
    assert!(ask(&talk, "new\nforce\na2a3").is_empty());
    for idle in [
        "computer",
        "name x",
        "rating 1 2",
        "bk",
        "draw",
        "random",
        "white",
        "black",
        "otim 5",
        "hint",
        "exit",
        ".",
    ] {
        assert_eq!(ask(&talk, idle), Vec::<String>::new(), "{idle}");
    }
}

#[test]
fn the_clock_is_kept_between_commands() {
    let talk = xboard();
    let mut position = start("cazaux-musser");
    // Five seconds for the game, and nobody tells the time.
    talk.say("new\nlevel 2 0:01 0\nforce\ngo");
    reply(&talk, &mut position);
    for _ in 0..5 {
        let mv = position.legal_moves()[0];
        talk.say(&format!("usermove {}", position.format_move(mv)));
        position.play(mv);
        reply(&talk, &mut position);
    }
    talk.say("time 0\ngo");
    reply(&talk, &mut position);
}
