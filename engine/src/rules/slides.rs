use super::{Slides, family, is_outward};
use crate::types::Color;

const ORTHOGONAL: [(i8, i8); 4] = [(-1, 0), (0, -1), (0, 1), (1, 0)];
const DIAGONAL: [(i8, i8); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];
const KNIGHT: [(i8, i8); 8] = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)];

impl Slides {
    /// Adds the line families that these steps of an unlimited rider make up, and returns the leaps that remain
    /// (none); `None`, and nothing is added, if the steps are no union of whole, forward or backward families.
    pub(super) fn add_lines(&mut self, steps: &[(i8, i8)], color: Color) -> Option<Vec<(i8, i8)>> {
        let mut found = *self;
        let mut counted = 0;
        for (kind, whole) in [(family::ORTHOGONAL, &ORTHOGONAL[..]), (family::DIAGONAL, &DIAGONAL[..])] {
            let mine: Vec<_> = steps.iter().copied().filter(|s| whole.contains(s)).collect();
            counted += mine.len();
            found.add(kind, &mine, whole, |s| s.1, color)?;
        }
        if counted != steps.len() {
            return None;
        }
        *self = found;
        Some(Vec::new())
    }

    /// Adds the bent family that `t[XY]` makes up, and returns the leaps X that the family does not hold; `None`,
    /// and nothing is added, if it is no whole, upward or downward family.
    pub(super) fn add_bent(
        &mut self,
        first: &[(i8, i8)],
        second: &[(i8, i8)],
        color: Color,
    ) -> Option<Vec<(i8, i8)>> {
        let pairs = |first: &[(i8, i8)], second: &[(i8, i8)]| -> Vec<((i8, i8), (i8, i8))> {
            let pairs = first.iter().flat_map(|&s| second.iter().map(move |&t| (s, t)));
            pairs.filter(|&(s, t)| is_outward(s, t)).collect()
        };
        let mine = pairs(first, second);
        let families =
            [(family::AANCA, pairs(&DIAGONAL, &ORTHOGONAL)), (family::RHINO, pairs(&KNIGHT, &DIAGONAL))];
        let (kind, whole) = families.iter().find(|(_, whole)| mine.iter().all(|p| whole.contains(p)))?;
        if mine.is_empty() {
            return None;
        }
        self.add(*kind, &mine, whole, |pair| pair.0.1, color)?;
        Some(first.iter().copied().filter(|s| !mine.iter().any(|pair| pair.0 == *s)).collect())
    }

    /// Adds `mine` as part of the family `whole`: all of it, or what goes up or down the board.
    fn add<T: PartialEq + Copy>(
        &mut self,
        kind: u8,
        mine: &[T],
        whole: &[T],
        dy: impl Fn(T) -> i8,
        color: Color,
    ) -> Option<()> {
        let is = |keep: fn(i8) -> bool| {
            let mut wanted = whole.iter().filter(|&&part| keep(dy(part)));
            wanted.clone().count() == mine.len() && wanted.all(|part| mine.contains(part))
        };
        let white = color == Color::White;
        if mine.is_empty() {
        } else if is(|_| true) {
            self.all |= kind;
        } else if is(|dy| dy > 0) {
            *(if white { &mut self.up } else { &mut self.down }) |= kind;
        } else if is(|dy| dy < 0) {
            *(if white { &mut self.down } else { &mut self.up }) |= kind;
        } else {
            return None;
        }
        Some(())
    }
}
