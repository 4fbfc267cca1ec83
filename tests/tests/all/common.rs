use std::path::PathBuf;
use std::sync::Arc;

use acedrex_engine::game::{Outcome, Position};
use acedrex_engine::rules::{Reading, Ruleset, builtin, known_ids};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

/// The checkout's root.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file that the tests came with.
pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

/// `sample`, or the whole number that a long run asks for by this environment variable.
pub fn amount(variable: &str, sample: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(sample)
}

pub fn reading(id: &str) -> Arc<Reading> {
    Reading::new(builtin(id).unwrap())
}

pub fn readings() -> Vec<Arc<Reading>> {
    known_ids().map(reading).collect()
}

/// A game of random legal moves, up to `plies` long, stopped before it ends.
pub fn random_game(reading: &Arc<Reading>, plies: usize, rng: &mut impl Rng) -> Position {
    let mut position = Position::start(reading);
    for _ in 0..plies {
        let moves = position.legal_moves();
        let Some(&mv) = moves.choose(rng) else { break };
        position.play(mv);
        if position.outcome() != Outcome::Ongoing {
            position.undo();
            break;
        }
    }
    position
}

/// Men of any kind strewn over the board at random, first-move rights where they may be.
pub fn scattered(reading: &Arc<Reading>, rng: &mut impl Rng) -> Position {
    let rules = &reading.rules;
    loop {
        let mut board = vec![vec![None; usize::from(rules.files)]; usize::from(rules.ranks)];
        let density = rng.random_range(0.02..0.5);
        for (rank, row) in board.iter_mut().enumerate() {
            for cell in row {
                let kind = &rules.kinds[rng.random_range(0..rules.kinds.len())];
                let edge = rank == 0 || rank + 1 == usize::from(rules.ranks);
                if rng.random_bool(density) && !kind.royal && !(kind.pawn && edge) {
                    let white = rng.random_bool(0.5);
                    *cell = Some(if white { kind.letter } else { kind.letter.to_ascii_lowercase() });
                }
            }
        }
        // Men on their array squares now and then, so that first-move rights come up.
        for &(square, color, def) in &rules.start {
            let kind = &rules.kinds[def];
            if rng.random_bool(0.3) && !kind.royal && !kind.pawn {
                let letter = if color.index() == 0 { kind.letter } else { kind.letter.to_ascii_lowercase() };
                board[usize::from(square.rank())][usize::from(square.file())] = Some(letter);
            }
        }
        let royal = rules.kinds.iter().position(|kind| kind.royal).unwrap();
        for color in [0, 1] {
            let home = rules.start.iter().find(|man| man.1.index() == color && man.2 == royal).unwrap().0;
            let (mut x, mut y) = (usize::from(home.file()), usize::from(home.rank()));
            if rng.random_bool(0.6) {
                (x, y) = (
                    rng.random_range(0..usize::from(rules.files)),
                    rng.random_range(0..usize::from(rules.ranks)),
                );
            }
            let letter = rules.kinds[royal].letter;
            board[y][x] = Some(if color == 0 { letter } else { letter.to_ascii_lowercase() });
        }
        let mut fen = String::new();
        for (i, row) in board.iter().rev().enumerate() {
            if i > 0 {
                fen.push('/');
            }
            let mut empty = 0;
            for cell in row {
                match cell {
                    None => empty += 1,
                    Some(letter) => {
                        if empty > 0 {
                            fen.push_str(&empty.to_string());
                        }
                        empty = 0;
                        fen.push(*letter);
                    }
                }
            }
            if empty > 0 {
                fen.push_str(&empty.to_string());
            }
        }
        let mut rights = String::new();
        for &(square, color, def) in &rules.start {
            let kind = &rules.kinds[def];
            let letter = if color.index() == 0 { kind.letter } else { kind.letter.to_ascii_lowercase() };
            let there = board[usize::from(square.rank())][usize::from(square.file())];
            if kind.unmoved().is_some() && !kind.pawn && there == Some(letter) && rng.random_bool(0.7) {
                rights.push_str(&square.to_string());
            }
        }
        if rights.is_empty() {
            rights.push('-');
        }
        let side = if rng.random_bool(0.5) { 'w' } else { 'b' };
        if let Ok(position) = Position::from_fen(reading, &format!("{fen} {side} {rights} 0 1")) {
            return position;
        }
    }
}

const MOVEMENTS: &[&str] = &[
    "W",
    "F",
    "D",
    "N",
    "A",
    "H",
    "C",
    "Z",
    "G",
    "K",
    "R",
    "B",
    "Q",
    "(4,1)",
    "(5,0)",
    "NN",
    "DD",
    "W3",
    "F2",
    "R4",
    "B2",
    "nA",
    "nD",
    "nN",
    "nH",
    "t[FR]",
    "t[NB]",
    "t[NfB]",
    "t[fNfB]",
    "t[NR]",
    "t[KQ]",
    "t[WB]",
    "t[WR]",
    "t[FfR]",
    "fR",
    "bB",
    "fhN",
    "fN",
    "vR",
    "sW",
    "mRcB",
    "mNcK",
    "cRmF",
    "HL",
    "fHbW",
    "RN",
    "BN",
    "t[FR]R",
    "t[NB]B",
    "WAD",
    "fRbB",
    "t[FR]t[NB]",
    "QNN",
    "mNN",
    "nAF",
    "t[nAB]",
];

const ROYALS: &[&str] = &["K", "KimAimD", "KiAiD", "KifAifD", "W", "F", "KimN", "N", "KiA", "WF2", "RimA"];

/// A ruleset made up at random, as text; not all of them load.
pub fn random_ruleset(rng: &mut impl Rng) -> String {
    let (files, ranks): (u8, u8) = (rng.random_range(4..=12), rng.random_range(5..=12));
    let kinds = rng.random_range(1..=6usize);
    let letters = ["A", "B", "C", "D", "E", "F"];
    let (from_check, over_attacked) = (rng.random_bool(0.5), rng.random_bool(0.5));
    let mut text = String::from(
        "id = \"made-up\"\ntitle = \"Made up\"\n[source]\ncitation = \"none\"\nconfidence = \"conjecture\"\n",
    );
    text.push_str(&format!("[piece.king]\nletter = \"K\"\nbetza = \"{}\"\n", ROYALS.choose(rng).unwrap()));
    text.push_str(&format!(
        "[piece.pawn]\nletter = \"P\"\nbetza = \"{}\"\n",
        ["mfWcfF", "mfWcfFimfnD", "mfWcfFifmnD", "fWfF", "fW2cfF"].choose(rng).unwrap()
    ));
    for (i, letter) in letters.iter().enumerate().take(kinds) {
        let count = rng.random_range(1..=2);
        let betza: String = (0..count).map(|_| *MOVEMENTS.choose(rng).unwrap()).collect();
        text.push_str(&format!("[piece.kind{i}]\nletter = \"{letter}\"\nbetza = \"{betza}\"\n"));
        if rng.random_bool(0.3) {
            text.push_str(&format!(
                "first_move = \"{}\"\n",
                ["mN", "D", "mRcF", "nA", "Q"].choose(rng).unwrap()
            ));
        }
    }
    text.push_str(&format!(
        "[leap]\nfrom_check = {from_check}\nover_attacked = {over_attacked}\n[end]\nstalemate = \"draw\"\nbare_king = \"none\"\nrepetition = 3\nno_progress_plies = 200\n"
    ));
    text.push_str("[promotion]\nto = \"kind0\"\n");
    let king = rng.random_range(0..usize::from(files));
    let back: String = (0..usize::from(files))
        .map(|x| if x == king { 'K' } else { letters[rng.random_range(0..kinds)].chars().next().unwrap() })
        .collect();
    let pawns = "P".repeat(usize::from(files));
    let mut rows = vec![back.to_lowercase(), pawns.to_lowercase()];
    rows.extend((0..ranks - 4).map(|_| files.to_string()));
    rows.extend([pawns, back]);
    text.push_str(&format!("[board]\nfiles = {files}\nranks = {ranks}\nstart = \"{}\"\n", rows.join("/")));
    text
}

/// The next made-up ruleset that loads.
pub fn random_reading(rng: &mut impl Rng) -> Arc<Reading> {
    loop {
        if let Ok(rules) = Ruleset::load("made-up.toml", &random_ruleset(rng), &|_| None) {
            return Reading::new(rules);
        }
    }
}
