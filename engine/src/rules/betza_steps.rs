use std::cmp::Ordering;

/// The direction letters before an atom, counted.
#[derive(Clone, Copy, Default)]
pub(super) struct Directions {
    pub forward: u8,
    pub backward: u8,
    pub left: u8,
    pub right: u8,
    pub vertical: u8,
    pub sideways: u8,
}

impl Directions {
    /// The counter of a direction letter.
    pub fn counter(&mut self, letter: char) -> Option<&mut u8> {
        Some(match letter {
            'f' => &mut self.forward,
            'b' => &mut self.backward,
            'l' => &mut self.left,
            'r' => &mut self.right,
            'v' => &mut self.vertical,
            's' => &mut self.sideways,
            _ => return None,
        })
    }

    fn all(&self) -> [u8; 6] {
        [self.forward, self.backward, self.left, self.right, self.vertical, self.sideways]
    }

    /// The most often one letter occurs.
    pub fn most(&self) -> u8 {
        self.all().into_iter().fold(0, u8::max)
    }

    /// True if the letters let this step through; the rule depends on whether it is orthogonal, diagonal or oblique.
    pub fn allow(&self, step: (i8, i8)) -> bool {
        match Shape::of(step) {
            Shape::Orthogonal => self.most() == 0 || self.allow_orthogonal(step),
            Shape::Diagonal => self.allow_diagonal(step),
            Shape::Oblique => self.allow_oblique(step),
        }
    }

    fn allow_orthogonal(&self, (dx, dy): (i8, i8)) -> bool {
        let (vertical, sideways) = (self.vertical, self.sideways);
        dy > 0 && self.forward + vertical > 0
            || dy < 0 && self.backward + vertical > 0
            || dx < 0 && self.left + sideways > 0
            || dx > 0 && self.right + sideways > 0
    }

    fn allow_diagonal(&self, (dx, dy): (i8, i8)) -> bool {
        let (up, down) = (self.forward + self.vertical, self.backward + self.vertical);
        let (left, right) = (self.left + self.sideways, self.right + self.sideways);
        let half =
            |sign: i8, plus: u8, minus: u8| plus + minus == 0 || if sign > 0 { plus > 0 } else { minus > 0 };
        half(dy, up, down) && half(dx, right, left)
    }

    fn allow_oblique(&self, (dx, dy): (i8, i8)) -> bool {
        let narrow = dy.abs() > dx.abs();
        // A letter once is its half plane, doubled the two leaps along its own axis.
        let reach = |count: u8, along: bool| count == 1 || count > 1 && along;
        let vertical = self.forward + self.backward == 0
            || reach(if dy > 0 { self.forward } else { self.backward }, narrow);
        let horizontal =
            self.left + self.right == 0 || reach(if dx > 0 { self.right } else { self.left }, !narrow);
        let axis =
            self.vertical + self.sideways == 0 || if narrow { self.vertical > 0 } else { self.sideways > 0 };
        vertical && horizontal && axis
    }
}

/// What kind of line a step lies on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Orthogonal,
    Diagonal,
    Oblique,
}

impl Shape {
    pub fn of((dx, dy): (i8, i8)) -> Shape {
        if dx == 0 || dy == 0 {
            Shape::Orthogonal
        } else if dx.abs() == dy.abs() {
            Shape::Diagonal
        } else {
            Shape::Oblique
        }
    }
}

/// The step `(m, n)` in every direction: sorted and distinct.
pub(super) fn spread(m: i8, n: i8) -> Vec<(i8, i8)> {
    let mut steps = Vec::with_capacity(8);
    for (x, y) in [(m, n), (n, m)] {
        steps.extend([(x, y), (x, -y), (-x, y), (-x, -y)]);
    }
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// The step's distances, the longer first: the name under which people know the leap.
pub(super) fn distances((dx, dy): (i8, i8)) -> (i8, i8) {
    let (x, y) = (dx.abs(), dy.abs());
    match x.cmp(&y) {
        Ordering::Less => (y, x),
        _ => (x, y),
    }
}
