use acedrex_engine::eval::Evaluator;
use acedrex_engine::game::Position;
use acedrex_engine::search::{Limits, Search, SearchResult};
use acedrex_engine::types::{Move, Score};
use rand::Rng;

use super::Softmax;

/// Searches the best lines and draws one: the result's move and score are that line's. If the nodes are too few for one
/// iteration over all lines, it is one of those that it had, which are the best by depth 1; without any, the search's best
/// move.
pub(super) fn search(
    search: &mut Search,
    position: &Position,
    evaluator: &Evaluator,
    limits: &Limits,
    softmax: Softmax,
    rng: &mut impl Rng,
) -> SearchResult {
    let wanted = usize::from(softmax.lines).min(position.legal_moves().len());
    let limits = Limits { lines: wanted.max(1), ..limits.clone() };
    // The lines of the iteration that runs, and those of the last one that had them all.
    let (mut lines, mut whole) = (Vec::new(), Vec::new());
    let mut result = search.run(position, evaluator, &limits, |info| {
        if info.line == 1 {
            lines.clear();
        }
        lines.extend(info.pv.first().map(|&mv| (mv, info.score)));
        if lines.len() == wanted {
            whole.clone_from(&lines);
        }
    });
    let found = if whole.is_empty() { &lines } else { &whole };
    if let Some((mv, score)) = draw(found, softmax.temperature_cp, rng) {
        (result.best, result.score, result.pv) = (Some(mv), score, vec![mv]);
    }
    result
}

/// One of the moves, drawn by score; `None` if there is none.
fn draw(lines: &[(Move, Score)], temperature_cp: u16, rng: &mut impl Rng) -> Option<(Move, Score)> {
    let best = lines.iter().map(|line| line.1).max()?;
    // From `libm`, so that the same move is drawn on every machine.
    let weight = |score: Score| libm::exp(f64::from(score - best) / f64::from(temperature_cp));
    let sum: f64 = lines.iter().map(|line| weight(line.1)).sum();
    // 53 random bits: a number from 0 up to, not including, 1.
    let mut left = (rng.next_u64() >> 11) as f64 * libm::exp2(-53.0) * sum;
    let drawn = lines.iter().find(|line| {
        left -= weight(line.1);
        left < 0.0
    });
    drawn.or(lines.last()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use acedrex_engine::cli::{load_evaluator, load_reading};
    use acedrex_engine::types::Square;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn moves_are_drawn_in_proportion_to_the_exponentials_of_their_scores() {
        let mv = |file| Move::new(Square::new(file, 0), Square::new(file, 1));
        // Weights 1, e^-1 and nothing: 0.731 and 0.269.
        let lines = [(mv(0), 80), (mv(1), 30), (mv(2), -31_000)];
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut counts = [0; 3];
        for _ in 0..4_000 {
            let (drawn, score) = draw(&lines, 50, &mut rng).unwrap();
            let index = lines.iter().position(|line| *line == (drawn, score)).unwrap();
            counts[index] += 1;
        }
        assert!((2_850..3_000).contains(&counts[0]) && counts[2] == 0, "{counts:?}");
        assert_eq!(draw(&[], 50, &mut rng), None);
    }

    #[test]
    fn a_move_is_drawn_from_the_lines_that_few_nodes_are_enough_for() {
        let reading = load_reading("murray").unwrap();
        let evaluator = load_evaluator(&reading, None).unwrap();
        let position = Position::start(&reading);
        let rule = Softmax { temperature_cp: 10_000, plies: 1, lines: 8 };
        // Nodes for some of the lines at depth 1, and not for all.
        let lines = |nodes: u64| {
            let limits = Limits { lines: rule.lines.into(), ..Limits::nodes(nodes) };
            let mut count = 0;
            Search::new(1).run(&position, &evaluator, &limits, |_| count += 1);
            count
        };
        let nodes = (1..10_000).step_by(10).find(|&nodes| lines(nodes) >= 3).unwrap();
        assert!(lines(nodes) < 8);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut draw = || {
            let limits = Limits::nodes(nodes);
            search(&mut Search::new(1), &position, &evaluator, &limits, rule, &mut rng).best
        };
        let first = draw();
        assert!((0..20).any(|_| draw() != first));
    }
}
