use std::fmt::Write;

use super::{Feature, Features, crowded_mobility, empty_mobility};
use crate::rules::{Reading, Ruleset, hex};

/// The eval parameters of one ruleset, in centipawns: a middle-game and an end-game value for each feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    features: Features,
    values: Vec<[f64; 2]>,
}

/// What is wrong with a weights file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {place}: found {found}, expected {expected}")]
pub struct WeightsError {
    /// The file, as it was named.
    pub file: String,
    /// Line or key.
    pub place: String,
    /// What stands there.
    pub found: String,
    /// What should, and what to do.
    pub expected: String,
}

/// What the table of a kind holds.
const KEYS: [&str; 11] = [
    "material",
    "mobility",
    "king_attack",
    "threatened",
    "hanging",
    "rank_middle",
    "file_middle",
    "passed_middle",
    "rank_end",
    "file_end",
    "passed_end",
];

/// The keys of a file that belong to no kind.
const TOP: [&str; 9] = [
    "ruleset",
    "fingerprint",
    "tempo",
    "connected",
    "isolated",
    "doubled",
    "king_attackers_middle",
    "king_attackers_end",
    "piece",
];

/// Largest size of one weight, in centipawns.
const LIMIT: f64 = 20_000.0;

impl Weights {
    /// What weights files from mobility say of themselves.
    pub const ABOUT_MOBILITY: &str = "Start values from mobility, in centipawns [middle game, end game]: an officer is worth [450, 550] times the power\n\
                                      1.5 of its mean mobility over a rook's, on a board of which [31, 20] % is occupied, 3 a square paid as mobility.";

    /// Start values from mobility alone. The worth of an officer grows as the power 1.5 of its mean mobility on a board
    /// of which 31 % is occupied in the middle game and 20 % in the end game, scaled so that a piece with the rook's
    /// mobility is worth 450 and 550; a part of that, 3 centipawns a square, is paid as mobility. A pawn is 60 and gains
    /// by advancing; the king likes the centre in the end game. What threatens an officer costs a part of its worth, and
    /// a passed pawn gains a part of the worth of what it would become. The power, the second density and the pawn were
    /// fitted to values tuned on self-play of the default reading.
    ///
    /// # Source
    /// Ralph Betza, "About the Values of Chess Pieces" (1996), for crowded-board mobility and the 31 %.
    #[must_use]
    pub fn from_mobility(reading: &Reading) -> Weights {
        const PER_SQUARE: f64 = 3.0;
        const POWER: f64 = 1.5;
        // How full the board is, and the worth of a rook.
        const PHASES: [(f64, f64); 2] = [(0.31, 450.0), (0.20, 550.0)];
        let rules = &reading.rules;
        let features = Features::new(rules);
        let mut weights = Weights { values: vec![[0.0; 2]; features.len()], features };
        // A rook on a board of this size, whether or not the ruleset has one.
        let rook = PHASES.map(|(density, _)| rook_mobility(rules, density));
        for (def, kind) in rules.kinds.iter().enumerate() {
            let ranks = weights.features.ranks();
            if kind.royal {
                for rank in 0..ranks {
                    let edge = rank.min(ranks - 1 - rank);
                    let middle = if rank < 2 { 0.0 } else { -15.0 };
                    weights.set(Feature::Rank(def, rank), [middle, 6.0 * edge as f64]);
                }
                for file in 0..weights.features.files() {
                    weights.set(Feature::File(def, file), [0.0, 4.0 * file as f64]);
                }
            } else if kind.pawn {
                weights.set(Feature::Material(def), [60.0; 2]);
                weights.set(Feature::Hanging(def), [-4.0, -7.0]);
                for rank in 0..ranks {
                    let forward = rank as f64 - 3.0;
                    weights.set(Feature::Rank(def, rank), [2.0 * forward, 10.0 * forward]);
                }
            } else {
                let worth: [f64; 2] = std::array::from_fn(|phase| {
                    let (density, worth) = PHASES[phase];
                    worth * libm::pow(crowded_mobility(reading, def, density) / rook[phase], POWER)
                });
                let paid = PER_SQUARE * crowded_mobility(reading, def, PHASES[0].0);
                weights.set(Feature::Material(def), worth.map(|worth| worth - paid));
                weights.set_tactics(def, (worth[0] + worth[1]) / 2.0);
                if empty_mobility(reading, def) > 0.0 {
                    weights.set(Feature::Mobility(def), [PER_SQUARE; 2]);
                }
            }
        }
        weights.set_common();
        weights
    }

    /// The start values of an officer of this worth: a part of it for what threatens it, and for each step that a pawn
    /// is nearer to becoming it.
    fn set_tactics(&mut self, def: usize, worth: f64) {
        self.set(Feature::KingAttack(def), [4.0, 1.0]);
        self.set(Feature::Threatened(def), [-0.08 * worth; 2]);
        self.set(Feature::Hanging(def), [-0.06 * worth; 2]);
        let ranks = self.features.ranks();
        let mut end = 0.5 * worth;
        for rank in (1..ranks).rev().skip(1) {
            end *= 0.66;
            self.set(Feature::Passed(def, rank), [end / 2.0, end]);
        }
    }

    /// The start values of the features that belong to no kind.
    fn set_common(&mut self) {
        const ATTACKERS: [f64; Features::KING_ATTACKERS + 1] = [0.0, 0.0, 8.0, 20.0, 36.0, 50.0, 60.0, 70.0];
        self.set(Feature::Tempo, [10.0, 5.0]);
        self.set(Feature::Connected, [2.0, 3.0]);
        self.set(Feature::Isolated, [-5.0, -7.0]);
        self.set(Feature::Doubled, [-6.0, -12.0]);
        for (count, middle) in ATTACKERS.into_iter().enumerate() {
            self.set(Feature::KingAttackers(count), [middle, middle / 3.0]);
        }
    }

    /// The weights built in for exactly these rules, or else those of [`Weights::from_mobility`].
    #[must_use]
    pub fn default_for(reading: &Reading) -> Weights {
        let builtin = Weights::builtin_text(&reading.rules);
        let builtin =
            builtin.and_then(|text| Weights::from_toml(&reading.rules, &reading.rules.id, text).ok());
        builtin.unwrap_or_else(|| Weights::from_mobility(reading))
    }

    /// The weights file that ships for exactly these rules, if one does.
    #[must_use]
    pub fn builtin_text(rules: &Ruleset) -> Option<&'static str> {
        let (_, text) = BUILTIN.iter().find(|(id, _)| *id == rules.id)?;
        Weights::from_toml(rules, &rules.id, text).ok().map(|_| *text)
    }

    /// All features, in order.
    #[must_use]
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Values by feature index: `[middle game, end game]`.
    #[must_use]
    pub fn values(&self) -> &[[f64; 2]] {
        &self.values
    }

    /// Changes one weight; sizes beyond 20 000 centipawns are cut.
    pub fn set(&mut self, feature: Feature, pair: [f64; 2]) {
        let index = self.features.index(feature);
        self.values[index] = pair.map(|w| if w.is_finite() { w.clamp(-LIMIT, LIMIT) } else { 0.0 });
    }

    /// Changes one weight by index.
    pub fn set_at(&mut self, index: usize, pair: [f64; 2]) {
        self.set(self.features.at(index), pair);
    }

    /// The file's text: `manifest` lines go in as comments.
    #[must_use]
    pub fn to_toml(&self, rules: &Ruleset, manifest: &str) -> String {
        let pair = |feature| {
            let [middle, end] = self.values[self.features.index(feature)];
            format!("[{middle:.4}, {end:.4}]")
        };
        let list = |count: usize, phase: usize, feature: &dyn Fn(usize) -> Feature| {
            let one = |i| format!("{:.4}", self.values[self.features.index(feature(i))][phase]);
            (0..count).map(one).collect::<Vec<_>>().join(", ")
        };
        let mut text = String::new();
        for line in manifest.lines() {
            let _ = writeln!(text, "# {line}");
        }
        let _ = writeln!(text, "ruleset = {:?}\nfingerprint = {:?}", rules.id, hex(&rules.fingerprint()));
        let _ = writeln!(text, "tempo = {}", pair(Feature::Tempo));
        let _ = writeln!(text, "connected = {}", pair(Feature::Connected));
        let _ = writeln!(text, "isolated = {}", pair(Feature::Isolated));
        let _ = writeln!(text, "doubled = {}", pair(Feature::Doubled));
        for (phase, name) in ["middle", "end"].iter().enumerate() {
            let count = Features::KING_ATTACKERS + 1;
            let attackers = list(count, phase, &Feature::KingAttackers);
            let _ = writeln!(text, "king_attackers_{name} = [{attackers}]");
        }
        for (def, kind) in rules.kinds.iter().enumerate() {
            let _ = writeln!(text, "\n[piece.{}]", kind.key);
            let _ = writeln!(text, "material = {}", pair(Feature::Material(def)));
            let _ = writeln!(text, "mobility = {}", pair(Feature::Mobility(def)));
            let _ = writeln!(text, "king_attack = {}", pair(Feature::KingAttack(def)));
            let _ = writeln!(text, "threatened = {}", pair(Feature::Threatened(def)));
            let _ = writeln!(text, "hanging = {}", pair(Feature::Hanging(def)));
            for (phase, name) in ["middle", "end"].iter().enumerate() {
                let rank = |i| Feature::Rank(def, i);
                let file = |i| Feature::File(def, i);
                let _ = writeln!(text, "rank_{name} = [{}]", list(self.features.ranks(), phase, &rank));
                let _ = writeln!(text, "file_{name} = [{}]", list(self.features.files(), phase, &file));
                let passed = |i| Feature::Passed(def, i);
                let _ = writeln!(text, "passed_{name} = [{}]", list(self.features.ranks(), phase, &passed));
            }
        }
        text
    }

    /// Reads a weights file of this ruleset. Keys that came later than the first files may be missing and count as 0,
    /// so that an old file means what it meant: all but `tempo`, `material`, `mobility` and the rank and file lists.
    ///
    /// # Errors
    /// If the text is no such file, or was made for other rules.
    pub fn from_toml(rules: &Ruleset, file: &str, text: &str) -> Result<Weights, WeightsError> {
        let error = |place: String, found: String, expected: String| WeightsError {
            file: file.to_owned(),
            place,
            found,
            expected,
        };
        let table: toml::Table = toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count().max(1));
            error(format!("line {line}"), e.message().to_owned(), "a TOML file".to_owned())
        })?;
        let fingerprint = table.get("fingerprint").and_then(|v| v.as_str()).unwrap_or("none");
        let wanted = hex(&rules.fingerprint());
        if fingerprint != wanted {
            return Err(error(
                "fingerprint".to_owned(),
                format!("{fingerprint:?}"),
                format!("{wanted:?}, that of {}: tune weights for these rules", rules.id),
            ));
        }
        let features = Features::new(rules);
        let mut weights = Weights { values: vec![[0.0; 2]; features.len()], features };
        let list =
            |place: &str, value: Option<&toml::Value>, length: usize| -> Result<Vec<f64>, WeightsError> {
                let number = |v: &toml::Value| {
                    let n = v.as_float().or_else(|| v.as_integer().map(|i| i as f64))?;
                    (n.abs() <= LIMIT).then_some(n)
                };
                let numbers = value.and_then(|v| v.as_array());
                let numbers = numbers.and_then(|a| a.iter().map(number).collect::<Option<Vec<_>>>());
                numbers.filter(|n| n.len() == length).ok_or_else(|| {
                    let found =
                        value.map_or("nothing".to_owned(), |v| v.to_string().chars().take(60).collect());
                    error(place.to_owned(), found, format!("a list of {length} numbers within ±{LIMIT}"))
                })
            };
        if let Some(key) = table.keys().find(|key| !TOP.contains(&key.as_str())) {
            return Err(error(key.clone(), "an unknown key".to_owned(), TOP.join(", ")));
        }
        let pieces = table.get("piece").and_then(|t| t.as_table()).cloned().unwrap_or_default();
        if let Some(key) = pieces.keys().find(|key| rules.kinds.iter().all(|kind| &kind.key != *key)) {
            let kinds: Vec<&str> = rules.kinds.iter().map(|kind| kind.key.as_str()).collect();
            return Err(error(format!("piece.{key}"), "an unknown kind".to_owned(), kinds.join(", ")));
        }
        let tempo = list("tempo", table.get("tempo"), 2)?;
        weights.set(Feature::Tempo, [tempo[0], tempo[1]]);
        let later = |place: &str, value: Option<&toml::Value>, length: usize| match value {
            None => Ok(vec![0.0; length]),
            value => list(place, value, length),
        };
        for (key, feature) in [
            ("connected", Feature::Connected),
            ("isolated", Feature::Isolated),
            ("doubled", Feature::Doubled),
        ] {
            let pair = later(key, table.get(key), 2)?;
            weights.set(feature, [pair[0], pair[1]]);
        }
        let attackers = ["king_attackers_middle", "king_attackers_end"]
            .map(|key| later(key, table.get(key), Features::KING_ATTACKERS + 1));
        let [middle, end] = attackers;
        let (middle, end) = (middle?, end?);
        for count in 0..=Features::KING_ATTACKERS {
            weights.set(Feature::KingAttackers(count), [middle[count], end[count]]);
        }
        for (def, kind) in rules.kinds.iter().enumerate() {
            let keys = pieces.get(&kind.key).and_then(|t| t.as_table()).into_iter().flat_map(|t| t.keys());
            if let Some(key) = keys.into_iter().find(|key| !KEYS.contains(&key.as_str())) {
                let place = format!("piece.{}.{key}", kind.key);
                return Err(error(place, "an unknown key".to_owned(), KEYS.join(", ")));
            }
            let get = |key: &str, length| {
                let value = pieces.get(&kind.key).and_then(|t| t.get(key));
                list(&format!("piece.{}.{key}", kind.key), value, length)
            };
            let material = get("material", 2)?;
            weights.set(Feature::Material(def), [material[0], material[1]]);
            let mobility = get("mobility", 2)?;
            weights.set(Feature::Mobility(def), [mobility[0], mobility[1]]);
            let get_later = |key: &str, length| {
                let value = pieces.get(&kind.key).and_then(|t| t.get(key));
                later(&format!("piece.{}.{key}", kind.key), value, length)
            };
            for (key, feature) in [
                ("king_attack", Feature::KingAttack(def)),
                ("threatened", Feature::Threatened(def)),
                ("hanging", Feature::Hanging(def)),
            ] {
                let pair = get_later(key, 2)?;
                weights.set(feature, [pair[0], pair[1]]);
            }
            let (ranks, files) = (weights.features.ranks(), weights.features.files());
            let (middle, end) = (get_later("passed_middle", ranks)?, get_later("passed_end", ranks)?);
            for rank in 0..ranks {
                weights.set(Feature::Passed(def, rank), [middle[rank], end[rank]]);
            }
            let (middle, end) = (get("rank_middle", ranks)?, get("rank_end", ranks)?);
            for rank in 0..ranks {
                weights.set(Feature::Rank(def, rank), [middle[rank], end[rank]]);
            }
            let (middle, end) = (get("file_middle", files)?, get("file_end", files)?);
            for file in 0..files {
                weights.set(Feature::File(def, file), [middle[file], end[file]]);
            }
        }
        Ok(weights)
    }
}

/// Id and text of the weights files that ship.
const BUILTIN: &[(&str, &str)] = crate::rules::builtin::shipped!("weights");

/// Crowded mobility of a rook, averaged over the board.
fn rook_mobility(rules: &Ruleset, density: f64) -> f64 {
    let line = |length: u8| {
        let mut sum = 0.0;
        for from in 0..i32::from(length) {
            for to in (0..i32::from(length)).filter(|&to| to != from) {
                sum += (1..(to - from).abs()).fold(1.0, |open, _| open * (1.0 - density));
            }
        }
        sum / f64::from(length)
    };
    (line(rules.files) + line(rules.ranks)).max(1.0)
}
