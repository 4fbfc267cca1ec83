use super::evaluator::relative;
use super::pawns::ahead;
use super::sight::{Afresh, EvalMemory, Sight};
use super::{Coefficients, Evaluator, Feature, Features, NoTrace, Placed, Trace};
use crate::board::Board;
use crate::rules::Reading;
use crate::types::{Bitboard, Color, MATE_IN_MAX, Piece, Score};

#[inline]
#[expect(clippy::cast_possible_wrap, reason = "at most 144 squares")]
fn count(set: Bitboard) -> i32 {
    set.count() as i32
}

impl Evaluator {
    /// The score for the side to move, in centipawns, well within the mate scores.
    #[inline]
    #[must_use]
    pub fn evaluate(&self, reading: &Reading, board: &Board) -> Score {
        self.count_terms(reading, board, self.placed(board), &mut Afresh, &mut NoTrace).0
            * board.side().sign()
    }

    /// The same, faster: `placed` is what [`Evaluator::placed`] would count, and `memory` has only ever served this
    /// reading and these weights.
    #[inline]
    #[must_use]
    pub fn evaluate_with(
        &self,
        reading: &Reading,
        board: &Board,
        placed: Placed,
        memory: &mut EvalMemory,
    ) -> Score {
        self.count_terms(reading, board, placed, memory, &mut NoTrace).0 * board.side().sign()
    }

    /// The coefficients of a position, for the tuner.
    #[must_use]
    pub fn coefficients(&self, reading: &Reading, board: &Board) -> Coefficients {
        let mut trace = Coefficients::new(&Features::new(&reading.rules));
        for square in board.occupied() {
            let Some(piece) = board.piece_at(square) else { continue };
            let (color, def) = (piece.color(), reading.tables.kind(piece.kind()).def);
            let (rank, file) = relative(&reading.tables, color, square);
            for feature in [Feature::Material(def), Feature::Rank(def, rank), Feature::File(def, file)] {
                trace.add(|| feature, color.sign());
            }
        }
        trace.phase = self.count_terms(reading, board, self.placed(board), &mut Afresh, &mut trace).1;
        trace
    }

    /// Counts every term once, but for those in `placed`: the score for White and the phase.
    fn count_terms(
        &self,
        reading: &Reading,
        board: &Board,
        placed: Placed,
        sight: &mut impl Sight,
        trace: &mut impl Trace,
    ) -> (Score, i32) {
        let tables = &reading.tables;
        let occupied = board.occupied();
        let mut sum = placed.sum;
        // By colour: what its men attack, its men that a cheaper man attacks, and its men that attack the royal zone.
        let (mut attacked, mut threatened) = ([Bitboard::EMPTY; 2], [Bitboard::EMPTY; 2]);
        // By colour: what men that are worth less than those of the present kind attack.
        let (mut by_cheaper, mut worth) = (attacked, None);
        let mut attackers = [0; 2];
        let men = Color::ALL.map(|color| board.men(color));
        let open = men.map(|men| tables.board & !men);
        let zone = Color::ALL.map(|color| self.zone[color.index()][board.royal(color).index()]);
        for &kind in self.cheap_first() {
            let both = men.map(|men| men & board.of_kind(kind));
            if (both[0] | both[1]).is_empty() {
                continue;
            }
            let value = self.piece_values()[kind.index()];
            if worth.replace(value) != Some(value) {
                by_cheaper = attacked;
            }
            let table = tables.kind(kind);
            let def = table.def;
            let weights = &self.kinds[kind.index()];
            let mut own = [Bitboard::EMPTY; 2];
            for color in Color::ALL {
                let (us, them, sign) = (color.index(), (!color).index(), color.sign());
                if both[us].is_empty() {
                    continue;
                }
                let mover = &table.movers[us];
                let piece = Piece::new(color, kind);
                let cheaper = both[us] & by_cheaper[them];
                if cheaper.any() && !table.royal {
                    threatened[us] |= cheaper;
                    let cheaper = count(cheaper) * sign;
                    sum += weights.threatened * cheaper;
                    trace.add(|| Feature::Threatened(def), cheaper);
                }
                if table.pawn && tables.plain_pawn.is_some() {
                    own[us] = ahead(both[us].left() | both[us].right(), color) & tables.board;
                    continue;
                }
                if table.pawn || table.royal {
                    for square in both[us] {
                        own[us] |= sight.of(mover, piece, square, occupied)[1];
                    }
                    continue;
                }
                let (mut mobility, mut near) = (0, 0);
                for square in both[us] {
                    let [quiet, capture] = sight.of(mover, piece, square, occupied);
                    let to = if mover.uniform { quiet } else { (capture & men[them]) | (quiet & !men[them]) };
                    mobility += count(to & open[us]);
                    own[us] |= capture;
                    let close = capture & zone[them];
                    if close.any() {
                        near += count(close);
                        attackers[us] += 1;
                    }
                }
                sum += weights.mobility * (mobility * sign);
                trace.add(|| Feature::Mobility(def), mobility * sign);
                sum += weights.king_attack * (near * sign);
                trace.add(|| Feature::KingAttack(def), near * sign);
            }
            attacked[0] |= own[0];
            attacked[1] |= own[1];
        }
        for color in Color::ALL {
            let (us, them, sign) = (color.index(), (!color).index(), color.sign());
            let count = attackers[us].min(Features::KING_ATTACKERS);
            sum += self.attackers[count] * sign;
            trace.add(|| Feature::KingAttackers(count), sign);
            let royal = Bitboard::of(board.royal(color));
            let hanging = men[us] & attacked[them] & !attacked[us] & !threatened[us] & !royal;
            for square in hanging {
                let Some(piece) = board.piece_at(square) else { continue };
                let kind = piece.kind();
                sum += self.kinds[kind.index()].hanging * sign;
                trace.add(|| Feature::Hanging(tables.kind(kind).def), sign);
            }
        }
        let pawns = self.pawn_kind.map_or([Bitboard::EMPTY; 2], |kind| {
            let pawns = board.of_kind(kind);
            men.map(|men| men & pawns)
        });
        let tempo = board.side().sign();
        sum += sight.pawns(pawns, || self.pawn_terms(tables, pawns, trace)).sum;
        sum += self.tempo * tempo;
        trace.add(|| Feature::Tempo, tempo);
        let phase = self.phase(placed);
        (self.taper(sum.pair(), phase).clamp(-MATE_IN_MAX + 1, MATE_IN_MAX - 1), phase)
    }
}
