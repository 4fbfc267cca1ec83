use acedrex_engine::game::Position;
use acedrex_engine::rules::{NoMove, Ruleset};
use acedrex_engine::types::Move;
use rand::Rng;

/// Why these rules cannot be played with dice, if they cannot: a kind that no face calls could never move, and in
/// time nobody could throw anything that moves.
#[must_use]
pub fn needs_pips(rules: &Ruleset) -> Option<String> {
    let silent = |pips: Option<u8>| !pips.is_some_and(|pips| (1..=8).contains(&pips));
    let without: Vec<&str> =
        rules.kinds.iter().filter(|kind| silent(kind.pips)).map(|kind| kind.key.as_str()).collect();
    (!without.is_empty()).then(|| {
        let (id, kinds) = (&rules.id, without.join(", "));
        format!("{id} gives no pips to {kinds}; expected `pips` from 1 to 8 for every kind of piece")
    })
}

/// True if a throw that calls a kind without a legal move passes the turn here; otherwise one throws again.
#[must_use]
pub fn may_pass(position: &Position) -> bool {
    position.reading().rules.dice.no_move == NoMove::Pass && !position.in_check()
}

/// A number below `bound` (at least 1), each equally likely. Written out, so that games do not change with a
/// library's way of sampling.
pub(crate) fn below(rng: &mut impl Rng, bound: u32) -> u32 {
    // Numbers from this limit on would favour the small remainders.
    let limit = u32::MAX - u32::MAX % bound;
    loop {
        let number = rng.next_u32();
        if number < limit {
            return number % bound;
        }
    }
}

/// The legal moves in an order that does not depend on how they are generated.
pub(super) fn sorted_moves(position: &Position) -> Vec<Move> {
    let mut moves = position.legal_moves();
    moves.sort_unstable();
    moves
}

/// Throws until the face calls something that can move, or passes the turn: the face and the moves it allows, sorted;
/// none means a pass. The game must be going on and every kind have pips.
pub(super) fn throw(rng: &mut impl Rng, position: &Position) -> (u8, Vec<Move>) {
    let pass = may_pass(position);
    loop {
        #[expect(clippy::cast_possible_truncation, reason = "1 to 8")]
        let die = below(rng, 8) as u8 + 1;
        let mut moves = position.dice_moves(die);
        if pass || !moves.is_empty() {
            moves.sort_unstable();
            return (die, moves);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use acedrex_engine::cli::load_reading;
    use acedrex_engine::rules::{DiceRule, Reading};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn numbers_are_even_and_within_bounds() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut counts = [0; 8];
        for _ in 0..8_000 {
            counts[below(&mut rng, 8) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        assert!((0..1_000).all(|_| below(&mut rng, 59) < 59));
        assert_eq!(below(&mut rng, 1), 0);
    }

    #[test]
    fn one_throws_again_or_passes_by_the_rule_and_never_passes_in_check() {
        let reroll = load_reading("cazaux-musser").unwrap();
        let mut rules = reroll.rules.clone();
        rules.dice = DiceRule { no_move: NoMove::Pass };
        let pass = Reading::new(rules);
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let quiet = "k11/12/12/12/12/12/12/12/12/12/12/11K w - 0 1";
        let check = "k10r/12/12/12/12/12/12/12/12/12/12/11K w - 0 1";
        for (reading, fen, passes) in
            [(&reroll, quiet, false), (&reroll, check, false), (&pass, quiet, true), (&pass, check, false)]
        {
            let position = Position::from_fen(reading, fen).unwrap();
            let throws: Vec<_> = (0..100).map(|_| throw(&mut rng, &position)).collect();
            assert_eq!(throws.iter().any(|(_, moves)| moves.is_empty()), passes, "{fen}");
            assert!(throws.iter().all(|(die, moves)| moves.is_empty() || *die == 8));
        }
    }

    #[test]
    fn rules_without_pips_are_told_so() {
        assert!(needs_pips(&load_reading("courier").unwrap().rules).unwrap().contains("pips"));
        assert_eq!(needs_pips(&load_reading("murray").unwrap().rules), None);
    }
}
