use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::MatchArgs;
use crate::arena::{Pair, Terms, pgn};
use crate::cli::create;
use crate::output::Output;

/// The outputs that were asked for, in the making.
pub(super) struct Files<'a> {
    pgn: Option<(Output, &'a Path)>,
    csv: Option<(csv::Writer<Output>, &'a Path)>,
    json: Option<(Output, &'a Path)>,
}

impl<'a> Files<'a> {
    pub(super) fn create(args: &'a MatchArgs) -> anyhow::Result<Files<'a>> {
        let plain = |path: Option<&'a PathBuf>| {
            path.map(|path| Ok::<_, anyhow::Error>((create(path)?, path.as_path()))).transpose()
        };
        let csv = args.csv.as_deref().map(|path| {
            let mut writer = csv::Writer::from_writer(create(path)?);
            writer.write_record(["pair", "game", "white", "black", "result", "reason", "plies", "points"])?;
            Ok::<_, anyhow::Error>((writer, path))
        });
        Ok(Files { pgn: plain(args.pgn.as_ref())?, csv: csv.transpose()?, json: plain(args.json.as_ref())? })
    }

    pub(super) fn add(&mut self, terms: &Terms, names: [&str; 2], pair: &Pair) -> anyhow::Result<()> {
        for game in &pair.games {
            if let Some((file, path)) = &mut self.pgn {
                let written = file.write_all(pgn(&terms.reading, names, game).as_bytes());
                written.with_context(|| format!("cannot write {}", path.display()))?;
            }
            if let Some((writer, path)) = &mut self.csv {
                let points = game.half_points() as f64 / 2.0;
                let row = [
                    (game.pair + 1).to_string(),
                    (game.white + 1).to_string(),
                    names[game.white].to_owned(),
                    names[1 - game.white].to_owned(),
                    game.result.to_string(),
                    game.ending.to_string(),
                    game.plies.len().to_string(),
                    points.to_string(),
                ];
                writer.write_record(row).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        Ok(())
    }

    /// Gives all files their names, with this summary: the paths.
    pub(super) fn commit(self, summary: &serde_json::Value) -> anyhow::Result<Vec<&'a Path>> {
        let mut paths = Vec::new();
        let mut commit = |file: Output, path: &'a Path| {
            paths.push(path);
            file.commit().with_context(|| format!("cannot write {}", path.display()))
        };
        if let Some((file, path)) = self.pgn {
            commit(file, path)?;
        }
        if let Some((writer, path)) = self.csv {
            let file = writer.into_inner().map_err(|error| anyhow::anyhow!("{}", error.error()));
            commit(file.with_context(|| format!("cannot write {}", path.display()))?, path)?;
        }
        if let Some((mut file, path)) = self.json {
            let written = serde_json::to_writer_pretty(&mut file, summary).map_err(std::io::Error::from);
            let written = written.and_then(|()| writeln!(file));
            written.with_context(|| format!("cannot write {}", path.display()))?;
            commit(file, path)?;
        }
        Ok(paths)
    }
}
