use acedrex_engine::game::Position;
use acedrex_engine::movegen::perft;
use acedrex_engine::rules::{Reading, builtin, known_ids};
use acedrex_engine::types::{Move, Square};

#[test]
fn the_king_s_file_is_notation_the_mirror_image_has_the_same_perft_and_moves() {
    for id in known_ids() {
        let rules = builtin(id).unwrap();
        let (reading, mirror) = (Reading::new(rules.clone()), Reading::new(rules.mirrored()));
        let files = rules.files;
        let flip = |square: Square| Square::new(files - 1 - square.file(), square.rank());
        let (mut position, mut image) = (Position::start(&reading), Position::start(&mirror));
        for depth in 1..=3 {
            let count = |p: &Position| perft(&p.reading().tables, &mut p.board().clone(), depth);
            assert_eq!(count(&position), count(&image), "{id} {depth}");
        }
        // A game of the middle move of each list, and its image.
        for _ in 0..80 {
            let mut moves = position.legal_moves();
            let mut images: Vec<Move> =
                image.legal_moves().iter().map(|mv| Move::new(flip(mv.from()), flip(mv.to()))).collect();
            moves.sort();
            images.sort();
            assert_eq!(moves, images, "{id} {}", position.fen());
            let Some(&mv) = moves.get(moves.len() / 2) else { break };
            position.play(mv);
            image.play(Move::new(flip(mv.from()), flip(mv.to())));
            assert_eq!(position.outcome(), image.outcome());
        }
    }
}
