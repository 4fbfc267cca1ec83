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
}

/// Where the weight of each feature stands. Every weight is a pair: middle game and end game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    kinds: usize,
    ranks: usize,
    files: usize,
}

impl Features {
    /// The features of a ruleset.
    #[must_use]
    pub fn new(rules: &Ruleset) -> Features {
        let files = usize::from(rules.files).div_ceil(2);
        Features { kinds: rules.kinds.len(), ranks: usize::from(rules.ranks), files }
    }

    /// Number of features.
    #[must_use]
    pub fn len(&self) -> usize {
        1 + self.kinds * self.per_kind()
    }

    /// False: there is always the tempo.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    fn per_kind(&self) -> usize {
        2 + self.ranks + self.files
    }

    /// The index of a feature, below [`Features::len`].
    #[inline]
    #[must_use]
    pub fn index(&self, feature: Feature) -> usize {
        let of = |kind: usize, offset: usize| 1 + kind * self.per_kind() + offset;
        match feature {
            Feature::Tempo => 0,
            Feature::Material(kind) => of(kind, 0),
            Feature::Mobility(kind) => of(kind, 1),
            Feature::Rank(kind, rank) => of(kind, 2 + rank),
            Feature::File(kind, file) => of(kind, 2 + self.ranks + file),
        }
    }

    /// The feature at an index below [`Features::len`].
    #[must_use]
    pub fn at(&self, index: usize) -> Feature {
        if index == 0 {
            return Feature::Tempo;
        }
        let (kind, offset) = ((index - 1) / self.per_kind(), (index - 1) % self.per_kind());
        match offset {
            0 => Feature::Material(kind),
            1 => Feature::Mobility(kind),
            _ if offset < 2 + self.ranks => Feature::Rank(kind, offset - 2),
            _ => Feature::File(kind, offset - 2 - self.ranks),
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
