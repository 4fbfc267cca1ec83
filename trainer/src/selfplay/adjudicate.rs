use acedrex_engine::board::Board;
use acedrex_engine::game::Position;
use acedrex_engine::types::Color;

use super::{Config, End, GameResult};

/// Result and end of a game.
pub type Verdict = (GameResult, End);

/// Ends games: by the rules of the reading first, then by the run's own, each under its own label.
#[derive(Clone, Debug)]
pub struct Referee<'a> {
    config: &'a Config,
    /// Who is ahead by the threshold of adjudication, and for how many searched plies.
    ahead: Option<(Color, u16)>,
    /// For how many searched plies the score has been level enough to call a draw.
    level: u16,
    /// For how many searched moves of its own each side has been behind enough to resign.
    behind: [u16; 2],
}

/// True if only the kings are left.
#[must_use]
pub fn only_kings(board: &Board) -> bool {
    Color::ALL.iter().all(|&color| board.men(color).is_single())
}

impl<'a> Referee<'a> {
    /// For one game.
    #[must_use]
    pub fn new(config: &'a Config) -> Referee<'a> {
        Referee { config, ahead: None, level: 0, behind: [0; 2] }
    }

    /// To be called after every ply, with the position reached and the score of the search that chose the ply
    /// (centipawns for White; `None` if there was no search, which leaves a run of scores as it is).
    pub fn after(&mut self, position: &Position, score_white_cp: Option<i16>) -> Option<Verdict> {
        if let Some(score) = score_white_cp {
            self.count(!position.board().side(), score);
        }
        if let Some(verdict) = End::of(position.outcome()) {
            return Some(verdict);
        }
        if self.config.kings_draw && only_kings(position.board()) {
            return Some((GameResult::Draw, End::AdjudicatedKings));
        }
        if let (Some(rule), Some((winner, plies))) = (self.config.adjudication, self.ahead)
            && plies >= rule.plies
        {
            return Some((GameResult::win(winner), End::AdjudicatedScore));
        }
        if let Some(rule) = self.config.resignation
            && let Some(loser) = Color::ALL.into_iter().find(|side| self.behind[side.index()] >= rule.moves)
        {
            return Some((GameResult::win(!loser), End::AdjudicatedScore));
        }
        if let Some(rule) = self.config.draw
            && self.level >= rule.plies
            && position.played().len() >= rule.from_ply.into()
        {
            return Some((GameResult::Draw, End::AdjudicatedScore));
        }
        (position.played().len() >= usize::from(self.config.max_plies))
            .then_some((GameResult::Unfinished, End::PlyCap))
    }

    /// Counts the score of the search by which `mover` chose the last move.
    fn count(&mut self, mover: Color, score: i16) {
        if let Some(rule) = self.config.adjudication {
            let color = if score > 0 { Color::White } else { Color::Black };
            self.ahead = match self.ahead {
                _ if score.unsigned_abs() < rule.score_cp => None,
                Some((leader, plies)) if leader == color => Some((color, plies.saturating_add(1))),
                _ => Some((color, 1)),
            };
        }
        if let Some(rule) = self.config.resignation {
            let loses = i32::from(score) * mover.sign() <= -i32::from(rule.score_cp);
            let moves = &mut self.behind[mover.index()];
            *moves = if loses { moves.saturating_add(1) } else { 0 };
        }
        if let Some(rule) = self.config.draw {
            self.level = if score.unsigned_abs() <= rule.score_cp { self.level.saturating_add(1) } else { 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::{Adjudication, DrawRule, Resignation};
    use acedrex_engine::cli::load_reading;

    #[test]
    fn a_run_of_scores_must_be_unbroken_and_one_sided() {
        let rule = Adjudication { score_cp: 500, plies: 3 };
        let config = Config { adjudication: Some(rule), ..Config::default() };
        let position = Position::start(&load_reading("murray").unwrap());
        let verdict = |scores: &[Option<i16>]| {
            let mut referee = Referee::new(&config);
            scores.iter().map(|&score| referee.after(&position, score)).collect::<Vec<_>>().pop().flatten()
        };
        let white = Some((GameResult::WhiteWins, End::AdjudicatedScore));
        let black = Some((GameResult::BlackWins, End::AdjudicatedScore));
        assert_eq!(verdict(&[Some(500), Some(900), Some(32_000)]), white);
        assert_eq!(verdict(&[Some(-500), None, Some(-900), Some(-500)]), black);
        assert_eq!(verdict(&[Some(500), Some(900)]), None);
        assert_eq!(verdict(&[Some(500), Some(499), Some(900), Some(900)]), None);
        assert_eq!(verdict(&[Some(500), Some(-900), Some(900), Some(900)]), None);
    }

    #[test]
    fn a_side_resigns_by_its_own_searches_and_level_games_are_drawn_late_enough() {
        let reading = load_reading("murray").unwrap();
        // White moves first; scores are for White.
        let verdict = |config: &Config, scores: &[i16]| {
            let mut referee = Referee::new(config);
            let mut position = Position::start(&reading);
            for &score in scores {
                let mv = position.legal_moves().into_iter().min().unwrap();
                position.play(mv);
                if let Some(verdict) = referee.after(&position, Some(score)) {
                    return Some((verdict, position.played().len()));
                }
            }
            None
        };
        let resignation = Some(Resignation { score_cp: 500, moves: 2 });
        let config = Config { resignation, ..Config::default() };
        let black = (GameResult::BlackWins, End::AdjudicatedScore);
        let white = (GameResult::WhiteWins, End::AdjudicatedScore);
        assert_eq!(verdict(&config, &[-500, 0, -500]), Some((black, 3)));
        assert_eq!(verdict(&config, &[-500, -900, -499, -900]), None);
        assert_eq!(verdict(&config, &[0, 700, 0, 500]), Some((white, 4)));
        assert_eq!(verdict(&config, &[900, 0, 900, 0, 900]), None);
        let draw = Some(DrawRule { score_cp: 10, plies: 2, from_ply: 5 });
        let config = Config { draw, ..Config::default() };
        let drawn = (GameResult::Draw, End::AdjudicatedScore);
        assert_eq!(verdict(&config, &[0, 0, 0, 10, -10, 0]), Some((drawn, 5)));
        assert_eq!(verdict(&config, &[0, 0, 0, 0, 11, -10]), None);
    }

    #[test]
    fn kings_alone_draw_by_label_only_where_the_rules_say_nothing() {
        let fen = "k11/12/12/12/12/12/12/12/12/12/12/11K w - 0 1";
        let on = Config::default();
        let off = Config { kings_draw: false, ..Config::default() };
        let verdict = |id: &str, config: &Config| {
            let position = Position::from_fen(&load_reading(id).unwrap(), fen).unwrap();
            Referee::new(config).after(&position, None)
        };
        assert_eq!(verdict("cazaux-musser", &on), Some((GameResult::Draw, End::AdjudicatedKings)));
        assert_eq!(verdict("cazaux-musser", &off), None);
        let by_rule = Some((GameResult::Draw, End::Rule(acedrex_engine::game::Reason::BareKing)));
        assert_eq!(verdict("murray", &on), by_rule);
    }
}
