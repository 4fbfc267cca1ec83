//! Pairs as lines of a journal. In: what was played, or a line that anyone may have written. Out: a line, or a pair that
//! the terms of the match allow.

use std::time::Duration;

use acedrex_engine::game::Position;
use acedrex_engine::types::{Color, Score};
use serde::{Deserialize, Serialize};

use super::pair::{ArenaGame, ArenaPly, Ending, Pair, Terms};
use super::player::Fault;
use crate::selfplay::{End, GameResult, Referee};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeptPair {
    pub(super) pair: u64,
    cpu_ns: [u64; 2],
    games: [KeptGame; 2],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptGame {
    opening_plies: usize,
    /// Move, score in centipawns for the mover, depth.
    plies: Vec<(String, Option<Score>, Option<u32>)>,
    result: String,
    ending: KeptEnding,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum KeptEnding {
    Board(String),
    Fault { engine: usize, fault: Fault, detail: String },
    Resignation { engine: usize, detail: String },
}

impl KeptPair {
    pub(super) fn of(pair: &Pair) -> KeptPair {
        let game = |game: &ArenaGame| KeptGame {
            opening_plies: game.opening_plies,
            plies: game.plies.iter().map(|ply| (ply.text.clone(), ply.score_cp, ply.depth)).collect(),
            result: game.result.to_string(),
            ending: match game.ending.clone() {
                Ending::Board(end) => KeptEnding::Board(end.to_string()),
                Ending::Fault { engine, fault, detail } => KeptEnding::Fault { engine, fault, detail },
                Ending::Resignation { engine, detail } => KeptEnding::Resignation { engine, detail },
            },
        };
        KeptPair {
            pair: pair.games[0].pair,
            cpu_ns: pair.cpu.map(|cpu| u64::try_from(cpu.as_nanos()).unwrap_or(u64::MAX)),
            games: pair.games.each_ref().map(game),
        }
    }

    /// The pair, if it can have been played on these terms: its moves are played again.
    pub(super) fn check(self, terms: &Terms) -> Result<Pair, String> {
        let pair = self.pair;
        let [first, second] = self.games;
        let [first, second] = [first.check(terms, pair, 0)?, second.check(terms, pair, 1)?];
        let opening = |game: &ArenaGame| {
            game.plies.iter().take(game.opening_plies).map(|ply| ply.text.clone()).collect::<Vec<_>>()
        };
        if opening(&first) != opening(&second) {
            return Err("two openings in one pair".into());
        }
        Ok(Pair { games: [first, second], cpu: self.cpu_ns.map(Duration::from_nanos) })
    }
}

impl KeptGame {
    fn check(self, terms: &Terms, pair: u64, white: usize) -> Result<ArenaGame, String> {
        let opening_plies = usize::from(terms.opening_plies);
        if self.opening_plies != opening_plies || self.plies.len() < opening_plies {
            return Err(format!("an opening that has not {opening_plies} plies"));
        }
        let config = terms.config(1);
        let mut referee = Referee::new(&config);
        let mut position = Position::start(&terms.reading);
        let mut plies = Vec::with_capacity(self.plies.len());
        let mut verdict = None;
        for (index, (text, score_cp, depth)) in self.plies.into_iter().enumerate() {
            if verdict.is_some() {
                return Err(format!("a move after the end, {text:?}"));
            }
            let mv = position.parse_move(&text).map_err(|error| format!("ply {}: {error}", index + 1))?;
            if !position.generator().is_legal(mv) || position.format_move(mv) != text {
                return Err(format!("ply {}: found {text:?}, which is no legal move", index + 1));
            }
            position.play(mv);
            plies.push(ArenaPly { text, score_cp, depth });
            // Openings end no games.
            if index + 1 >= opening_plies {
                verdict = referee.after(&position, None);
            }
        }
        if opening_plies == 0 && plies.is_empty() {
            verdict = referee.after(&position, None);
        }
        let result = GameResult::ALL.into_iter().find(|result| result.to_string() == self.result);
        let result = result.ok_or_else(|| format!("the result {:?}", self.result))?;
        let ending = match self.ending {
            KeptEnding::Board(name) => {
                let end = End::ALL.into_iter().find(|end| end.to_string() == name);
                let end = end.ok_or_else(|| format!("the ending {name:?}"))?;
                if verdict != Some((result, end)) {
                    return Err(format!("the result {result} by {name}, which its moves do not lead to"));
                }
                Ending::Board(end)
            }
            KeptEnding::Fault { engine, fault, detail } => Ending::Fault { engine, fault, detail },
            KeptEnding::Resignation { engine, detail } => Ending::Resignation { engine, detail },
        };
        if let Ending::Fault { engine, .. } | Ending::Resignation { engine, .. } = &ending {
            let loser = if *engine == white { Color::White } else { Color::Black };
            let moved = loser == position.board().side();
            // Either engine may fail before its first move.
            let early = plies.len() == opening_plies && matches!(ending, Ending::Fault { .. });
            if *engine > 1 || verdict.is_some() || result != GameResult::win(!loser) || !(moved || early) {
                return Err(format!("the result {result} by {ending} of engine {engine}, which cannot be"));
            }
        }
        Ok(ArenaGame { pair, white, opening_plies, plies, result, ending })
    }
}
