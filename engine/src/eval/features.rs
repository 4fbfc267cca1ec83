use crate::rules::Ruleset;

/// What a weight is worth points for, by kind (an index into [`Ruleset::kinds`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Having the move.
    Tempo,
    /// A man on the board.
    Material(usize),
    /// A square that a man may go to.
    Mobility(usize),
    /// A man on this rank, counted from its own side.
    Rank(usize, usize),
    /// A man on this file, counted from the nearer edge.
    File(usize, usize),
    /// A square beside the enemy's royal piece, or its own, that a man attacks.
    KingAttack(usize),
    /// A man that a pawn or a cheaper man attacks.
    Threatened(usize),
    /// A man that is attacked, but not by a cheaper one, and defended by nobody.
    Hanging(usize),
    /// A passed pawn on this rank, counted from its own side, whose file promotes to this kind.
    Passed(usize, usize),
    /// So many men, at most [`Features::KING_ATTACKERS`], attack squares beside the enemy's royal piece.
    KingAttackers(usize),
    /// A pawn that another pawn defends or stands beside.
    Connected,
    /// A pawn without a friend on the files beside it.
    Isolated,
    /// A pawn with a friend ahead on its file.
    Doubled,
}

/// Where the weight of each feature stands. Every weight is a pair: middle game and end game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    kinds: usize,
    ranks: usize,
    files: usize,
}

impl Features {
    /// More attackers than this count as this many.
    pub const KING_ATTACKERS: usize = 7;
    /// Features that belong to no kind.
    const COMMON: usize = 5 + Features::KING_ATTACKERS;

    /// The features of a ruleset.
    #[must_use]
    pub fn new(rules: &Ruleset) -> Features {
        let files = usize::from(rules.files).div_ceil(2);
        Features { kinds: rules.kinds.len(), ranks: usize::from(rules.ranks), files }
    }

    /// Number of features.
    #[must_use]
    pub fn len(&self) -> usize {
        Features::COMMON + self.kinds * self.per_kind()
    }

    /// False: there is always the tempo.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    fn per_kind(&self) -> usize {
        5 + 2 * self.ranks + self.files
    }

    /// The index of a feature, below [`Features::len`].
    #[inline]
    #[must_use]
    pub fn index(&self, feature: Feature) -> usize {
        let of = |kind: usize, offset: usize| Features::COMMON + kind * self.per_kind() + offset;
        match feature {
            Feature::Tempo => 0,
            Feature::Connected => 1,
            Feature::Isolated => 2,
            Feature::Doubled => 3,
            Feature::KingAttackers(count) => 4 + count.min(Features::KING_ATTACKERS),
            Feature::Material(kind) => of(kind, 0),
            Feature::Mobility(kind) => of(kind, 1),
            Feature::KingAttack(kind) => of(kind, 2),
            Feature::Threatened(kind) => of(kind, 3),
            Feature::Hanging(kind) => of(kind, 4),
            Feature::Rank(kind, rank) => of(kind, 5 + rank),
            Feature::Passed(kind, rank) => of(kind, 5 + self.ranks + rank),
            Feature::File(kind, file) => of(kind, 5 + 2 * self.ranks + file),
        }
    }

    /// The feature at an index below [`Features::len`].
    #[must_use]
    pub fn at(&self, index: usize) -> Feature {
        match index {
            0 => return Feature::Tempo,
            1 => return Feature::Connected,
            2 => return Feature::Isolated,
            3 => return Feature::Doubled,
            _ if index < Features::COMMON => return Feature::KingAttackers(index - 4),
            _ => {}
        }
        let index = index - Features::COMMON;
        let (kind, offset) = (index / self.per_kind(), index % self.per_kind());
        match offset {
            0 => Feature::Material(kind),
            1 => Feature::Mobility(kind),
            2 => Feature::KingAttack(kind),
            3 => Feature::Threatened(kind),
            4 => Feature::Hanging(kind),
            _ if offset < 5 + self.ranks => Feature::Rank(kind, offset - 5),
            _ if offset < 5 + 2 * self.ranks => Feature::Passed(kind, offset - 5 - self.ranks),
            _ => Feature::File(kind, offset - 5 - 2 * self.ranks),
        }
    }

    /// Number of ranks that [`Feature::Rank`] tells apart.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Number of folded files that [`Feature::File`] tells apart.
    #[must_use]
    pub fn files(&self) -> usize {
        self.files
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::builtin;

    #[test]
    fn every_index_is_one_feature() {
        let features = Features::new(&builtin("murray").unwrap());
        for index in 0..features.len() {
            assert_eq!(features.index(features.at(index)), index);
        }
        let many = Feature::KingAttackers(Features::KING_ATTACKERS + 3);
        assert_eq!(features.at(features.index(many)), Feature::KingAttackers(Features::KING_ATTACKERS));
    }
}
