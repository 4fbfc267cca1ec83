use std::collections::BTreeMap;
use std::io::{self, Write};

use super::Flow;
use super::cecp::{Cecp, Purpose};
use super::pieces::{piece_to_char, xboard_pieces};
use super::state::{is_blank, one_line, short, variant_id, variants};
use crate::game::Position;
use crate::rules::BareKing;
use crate::types::{Color, Square};

/// A position that is being set up by `edit`.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    men: BTreeMap<(u8, u8), char>,
    color: Color,
    side: Color,
}

impl Edit {
    /// The present position, ready to be changed.
    pub(super) fn start(cecp: &mut Cecp) -> Edit {
        cecp.abandon();
        let position = &cecp.core.position;
        let (tables, kinds) = (&position.reading().tables, &position.reading().rules.kinds);
        let mut men = BTreeMap::new();
        for square in position.board().occupied() {
            if let Some(piece) = position.board().piece_at(square) {
                let letter = kinds[tables.kind(piece.kind()).def].letter;
                let white = piece.color() == Color::White;
                let letter = if white { letter } else { letter.to_ascii_lowercase() };
                men.insert((square.file(), square.rank()), letter);
            }
        }
        Edit { men, color: Color::White, side: position.board().side() }
    }

    /// The position. Men that stand on their array squares are taken not to have moved: `edit` cannot say it.
    fn finish(&self, position: &Position) -> Result<Position, String> {
        let reading = position.reading();
        let (files, ranks) = (reading.tables.files, reading.tables.ranks);
        let mut rows = Vec::new();
        for rank in (0..ranks).rev() {
            let mut row = String::new();
            let mut empty = 0;
            for file in 0..files {
                match self.men.get(&(file, rank)) {
                    None => empty += 1,
                    Some(letter) => {
                        if empty > 0 {
                            row.push_str(&empty.to_string());
                            empty = 0;
                        }
                        row.push(*letter);
                    }
                }
            }
            if empty > 0 {
                row.push_str(&empty.to_string());
            }
            rows.push(row);
        }
        let mut rights = String::new();
        for &(square, color, def) in &reading.rules.start {
            let kind = &reading.rules.kinds[def];
            let letter = if color == Color::White { kind.letter } else { kind.letter.to_ascii_lowercase() };
            let stands = self.men.get(&(square.file(), square.rank())) == Some(&letter);
            if stands && kind.unmoved().is_some() && !kind.pawn {
                rights.push_str(&square.to_string());
            }
        }
        let rights = if rights.is_empty() { "-" } else { &rights };
        let side = if self.side == Color::White { "w" } else { "b" };
        Position::from_fen(reading, &format!("{} {side} {rights}", rows.join("/")))
            .map_err(|error| error.to_string())
    }
}

impl Cecp {
    pub(super) fn features(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "feature done=0")?;
        writeln!(
            out,
            "feature setboard=1 ping=1 memory=1 smp=1 usermove=1 colors=0 analyze=1 playother=1 san=0 sigint=0 sigterm=0 \
             debug=1 name=1 reuse=1 time=1 draw=0 nps=0 ics=0 pause=0"
        )?;
        writeln!(out, "feature variants=\"{}\"", variants().join(","))?;
        writeln!(out, "feature myname=\"Acedrex {}\"", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "feature option=\"RulesetFile -file \"")?;
        writeln!(out, "feature option=\"WeightsFile -file \"")?;
        writeln!(out, "feature option=\"MultiPV -spin 1 1 256\"")?;
        writeln!(out, "feature done=1")
    }

    /// Board, pieces and array of the present rules, as XBoard needs them for a variant that it does not know.
    fn describe_variant(&self, out: &mut dyn Write) -> io::Result<()> {
        let rules = &self.core.reading().rules;
        // XBoard's shatranj ends a game at a bare king, its fairy chess does not.
        let parent = if rules.end.bare_king == BareKing::None { "fairy" } else { "shatranj" };
        let start = rules.start_fen();
        let placement = start.split(' ').next().unwrap_or_default();
        let king = rules.kinds.iter().any(|kind| kind.royal && kind.unmoved().is_some());
        // Letters, since XBoard does not read squares as first-move rights.
        let rights = if king { "KQkq" } else { "-" };
        let (files, ranks) = (rules.files, rules.ranks);
        let table = piece_to_char(rules);
        writeln!(out, "setup ({table}) {files}x{ranks}+0_{parent} {placement} w {rights} - 0 1")?;
        for piece in xboard_pieces(rules) {
            if let Some(moves) = &piece.moves {
                writeln!(out, "piece {}& {moves}", piece.letter)?;
            }
            for wider in &piece.wider {
                writeln!(out, "# piece {}: {wider}, as far as XBoard knows", piece.letter)?;
            }
        }
        Ok(())
    }

    pub(super) fn new_game(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.abandon();
        self.plays = Some(Color::Black);
        self.hint = None;
        self.level.depth = None;
        self.level.played = 0;
        if self.level.left.is_some() {
            self.level.left = Some(self.level.base);
        }
        // `variant` follows, if the game is by other rules.
        if let Err(error) = self.core.restart_with_first_rules() {
            Cecp::error(out, &one_line(&error), "new")?;
        }
        if self.analyzing { self.think(Purpose::Analyze, out) } else { Ok(()) }
    }

    pub(super) fn variant(&mut self, name: &str, line: &str, out: &mut dyn Write) -> io::Result<()> {
        let Some(id) = variant_id(name) else {
            return Cecp::error(out, "unknown variant", line);
        };
        self.use_rules(id, line, out)?;
        Ok(())
    }

    /// Changes the rules, and tells XBoard what they are: false if they cannot be loaded.
    fn use_rules(&mut self, id_or_path: &str, line: &str, out: &mut dyn Write) -> io::Result<bool> {
        self.abandon();
        match self.core.select(id_or_path) {
            Err(error) => {
                Cecp::error(out, &one_line(&error), line)?;
                return Ok(false);
            }
            Ok(Some(note)) => writeln!(out, "# {note}")?,
            Ok(None) => {}
        }
        self.hint = None;
        self.describe_variant(out)?;
        if self.analyzing {
            self.think(Purpose::Analyze, out)?;
        }
        Ok(true)
    }

    pub(super) fn option(&mut self, rest: &str, line: &str, out: &mut dyn Write) -> io::Result<()> {
        let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
        match name.trim() {
            "RulesetFile" if is_blank(value) => Ok(()),
            "RulesetFile" => {
                let value = value.trim();
                if self.use_rules(value, line, out)? {
                    // From now on a new game is one by these rules.
                    value.clone_into(&mut self.core.setup.ruleset);
                }
                Ok(())
            }
            "WeightsFile" => {
                let interrupted = self.interrupt();
                if let Err(error) = self.core.set_weights(value) {
                    Cecp::error(out, &one_line(&error), line)?;
                }
                self.resume(interrupted, out)
            }
            "MultiPV" => match value.trim().parse::<usize>() {
                Ok(lines) => {
                    self.lines = lines.clamp(1, 256);
                    if self.analyzing { self.think(Purpose::Analyze, out) } else { Ok(()) }
                }
                Err(_) => Cecp::error(out, "bad argument", line),
            },
            _ => Cecp::error(out, "unknown option", line),
        }
    }

    pub(super) fn set_board(&mut self, fen: &str, out: &mut dyn Write) -> io::Result<()> {
        let position = Position::from_fen(self.core.reading(), fen).map_err(|error| error.to_string());
        self.put(position, out)
    }

    /// Takes over a position, or says what is wrong with it and keeps the old one.
    fn put(&mut self, position: Result<Position, String>, out: &mut dyn Write) -> io::Result<()> {
        match position {
            Err(error) => writeln!(out, "tellusererror Illegal position: {}", one_line(&error)),
            Ok(position) => {
                self.abandon();
                self.hint = None;
                self.core.position = position;
                if self.analyzing { self.think(Purpose::Analyze, out) } else { Ok(()) }
            }
        }
    }

    /// A line in edit mode.
    pub(super) fn edit_line(&mut self, line: &str, out: &mut dyn Write) -> io::Result<Flow> {
        let Some(edit) = &mut self.edit else { return Ok(Flow::On) };
        match line {
            "" => {}
            "quit" => return Ok(Flow::Quit),
            "#" => edit.men.clear(),
            "c" => edit.color = !edit.color,
            "." => {
                let position = edit.finish(&self.core.position);
                self.edit = None;
                self.put(position, out)?;
            }
            _ => {
                let kinds = &self.core.position.reading().rules.kinds;
                let tables = &self.core.position.reading().tables;
                let letter = line.chars().next().unwrap_or(' ').to_ascii_uppercase();
                let square = line.get(1..).and_then(|text| text.parse::<Square>().ok());
                let square = square.filter(|&square| tables.board.has(square));
                match square.map(|square| (square.file(), square.rank())) {
                    Some(at) if kinds.iter().any(|kind| kind.letter == letter) => {
                        let white = edit.color == Color::White;
                        edit.men.insert(at, if white { letter } else { letter.to_ascii_lowercase() });
                    }
                    Some(at) if letter == 'X' => {
                        edit.men.remove(&at);
                    }
                    _ => writeln!(out, "Error (no piece and square): {}", short(line))?,
                }
            }
        }
        Ok(Flow::On)
    }
}
