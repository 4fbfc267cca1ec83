//! Tables: export to each format, filters, and import.

use super::*;

#[test]
fn the_csv_has_a_row_for_every_ply() {
    let directory = tempfile::tempdir().unwrap();
    let reading = reading();
    for dice in [false, true] {
        let (_, records, bytes) = sample(dice);
        let out = directory.path().join("games.csv");
        let reader = Reader::new(name(), &bytes[..]).unwrap();
        let (rows, all) = export(reader, &reading, &Filter::default(), ExportFormat::Csv, &out).unwrap();
        assert_eq!(rows, all);
        let mut csv = csv::Reader::from_path(&out).unwrap();
        assert_eq!(csv.headers().unwrap().iter().collect::<Vec<_>>(), CSV_COLUMNS);
        let lines: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
        assert_eq!(lines.len() as u64, rows);
        assert_eq!(lines.len(), records.iter().map(|record| record.plies.len()).sum::<usize>());
        for line in &lines {
            let record = &records[line[0].parse::<usize>().unwrap()];
            let ply = line[1].parse::<usize>().unwrap();
            let position = acedrex_engine::game::Position::from_fen(&reading, &line[2]).unwrap();
            if &line[3] != "pass" {
                let mv = position.parse_move(&line[3]).unwrap();
                assert_eq!(mv, record.plies[ply].mv);
                let capture = position.board().piece_at(mv.to()).is_some();
                assert_eq!(&line[7], if capture { "1" } else { "0" });
            }
            assert_eq!(line[4].parse::<i16>().ok(), record.plies[ply].score_white_cp);
            assert_eq!(line[5], record.result.to_string());
            assert_eq!(&line[6], if position.in_check() { "1" } else { "0" });
            assert_eq!(&line[8], if ply < 8 { "1" } else { "0" });
            assert_eq!(line[9].parse::<u8>().ok(), record.plies[ply].die);
        }
    }
}

#[test]
fn a_damaged_dataset_leaves_no_csv() {
    let directory = tempfile::tempdir().unwrap();
    let (_, _, bytes) = sample(false);
    let out = directory.path().join("games.csv");
    let reader = Reader::new(name(), &bytes[..bytes.len() - 3]).unwrap();
    assert!(export(reader, &reading(), &Filter::default(), ExportFormat::Csv, &out).is_err());
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

fn lines(bytes: &[u8], filter: &Filter, format: ExportFormat) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let reader = Reader::new(name(), bytes).unwrap();
    let (rows, all) = export(reader, &reading(), filter, format, &out).unwrap();
    let text = std::fs::read_to_string(&out).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let head = usize::from(format == ExportFormat::Csv);
    assert!(rows <= all && (lines.len() - head) as u64 == rows);
    lines[head..].to_vec()
}

#[test]
fn text_has_scored_positions_of_finished_games() {
    let (header, mut records, _) = sample(false);
    records[0].end = End::PlyCap;
    records[0].result = GameResult::Unfinished;
    for (record, result) in records[1..].iter_mut().zip([GameResult::WhiteWins, GameResult::Draw]) {
        (record.end, record.result) = (End::Rule(Reason::Checkmate), result);
    }
    let bytes = bytes_of(&header, &records);
    let found = lines(&bytes, &Filter::default(), ExportFormat::Text);
    let scored = |record: &Record| record.plies.iter().filter(|ply| ply.score_white_cp.is_some()).count();
    let counts = [scored(&records[1]), scored(&records[2])];
    assert_eq!(found.len(), counts.iter().sum::<usize>());
    for (i, line) in found.iter().enumerate() {
        let cells: Vec<&str> = line.split(" | ").collect();
        let [fen, score, result] = cells[..] else { panic!("{line}") };
        acedrex_engine::game::Position::from_fen(&reading(), fen).unwrap();
        score.parse::<i16>().unwrap();
        assert_eq!(result, if i < counts[0] { "1.0" } else { "0.5" });
    }
    for (file, format) in [
        ("a.csv", Some(ExportFormat::Csv)),
        ("a.txt", Some(ExportFormat::Text)),
        ("a.EPD", Some(ExportFormat::Text)),
        ("a.text", Some(ExportFormat::Text)),
        ("a.acd", None),
        ("csv", None),
    ] {
        assert_eq!(ExportFormat::of(Path::new(file)), format, "{file}");
    }
}

#[test]
fn filters_take_what_they_say() {
    let (_, records, bytes) = sample(false);
    let all = lines(&bytes, &Filter::default(), ExportFormat::Csv);
    let cells = |line: &String| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let expect = |filter: &Filter, takes: &dyn Fn(&[String]) -> bool| {
        let expected: Vec<String> = all.iter().filter(|line| takes(&cells(line))).cloned().collect();
        assert_eq!(lines(&bytes, filter, ExportFormat::Csv), expected, "{filter:?}");
        expected.len()
    };
    let score = |cells: &[String]| cells[4].parse::<i16>().ok();
    let captures = expect(&Filter { skip_captures: true, ..Filter::default() }, &|c| c[7] == "0");
    let checks = expect(&Filter { skip_checks: true, ..Filter::default() }, &|c| c[6] == "0");
    assert!(captures < all.len() && checks <= all.len());
    let plies = Some(10..=20);
    expect(&Filter { plies, ..Filter::default() }, &|c| (10..=20).contains(&c[1].parse::<u32>().unwrap()));
    let scores = Some(-30..=40);
    let within = expect(&Filter { scores: scores.clone(), ..Filter::default() }, &|c| {
        score(c).is_some_and(|score| (-30..=40).contains(&score))
    });
    assert!(within > 0 && within < all.len());
    let both = Filter { scores, plies: Some(9..=u16::MAX), ..Filter::default() };
    expect(&both, &|c| score(c).is_some_and(|s| (-30..=40).contains(&s)) && c[1].parse::<u32>().unwrap() > 8);

    let some = |per_game, seed| {
        lines(&bytes, &Filter { per_game: Some(per_game), seed, ..Filter::default() }, ExportFormat::Csv)
    };
    assert_eq!(some(0, 1).len(), 0);
    assert_eq!(some(1_000, 1), all);
    let (five, again, other) = (some(5, 1), some(5, 1), some(5, 2));
    assert_eq!(five, again);
    assert_ne!(five, other);
    for record in &records {
        let game = record.game.to_string();
        assert_eq!(five.iter().filter(|line| cells(line)[0] == game).count(), 5);
    }
    assert!(five.iter().all(|line| all.contains(line)));
    // Over many seeds each position is drawn about as often as any other.
    let mut drawn = vec![0; all.len()];
    for line in (0..300).flat_map(|seed| some(5, seed)) {
        drawn[all.iter().position(|other| *other == line).unwrap()] += 1;
    }
    let expected = 300.0 * 5.0 * records.len() as f64 / all.len() as f64;
    assert!(drawn.iter().all(|&n| (f64::from(n) - expected).abs() < 5.0 * expected.sqrt()), "{drawn:?}");
}

#[test]
fn what_is_exported_is_imported_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let reading = reading();
    let (csv, again) = (directory.path().join("games.csv"), directory.path().join("again.acd"));
    for dice in [false, true] {
        let (header, records, bytes) = sample(dice);
        let reader = Reader::new(name(), &bytes[..]).unwrap();
        export(reader, &reading, &Filter::default(), ExportFormat::Csv, &csv).unwrap();
        let counts = import(&csv, &reading, Some(&header), &again).unwrap();
        assert_eq!(counts.games, 3);
        assert_eq!(std::fs::read(&again).unwrap(), bytes);
        // Without the header nothing is known of how they were played, and the rules alone judge.
        import(&csv, &reading, None, &again).unwrap();
        let mut reader = Reader::open(&again).unwrap();
        let run = reader.header().runs[0].clone();
        assert!(run.config.is_none() && !run.complete && run.program.contains("import of "), "{run:?}");
        assert_eq!(reader.by_ref().collect::<Result<Vec<_>, _>>().unwrap(), records);
        validate(Reader::open(&again).unwrap(), &reading).unwrap();
    }
    // From a position of its own, with the least that a table must have.
    let fen = "k11/8P3/12/12/12/12/12/12/p11/12/12/R10K w - 3 9";
    std::fs::write(
        &csv,
        format!("game,ply,fen,move,result,end\n7,0,{fen},a1a2,*,ply-cap\n7,1,,a12b12,*,ply-cap\n"),
    )
    .unwrap();
    import(&csv, &reading, None, &again).unwrap();
    let record = Reader::open(&again).unwrap().next().unwrap().unwrap();
    assert_eq!((record.game, record.start.as_deref(), record.plies.len()), (7, Some(fen), 2));
    validate(Reader::open(&again).unwrap(), &reading).unwrap();
}

#[test]
fn tables_that_are_no_games_are_refused_with_the_line() {
    let directory = tempfile::tempdir().unwrap();
    let (csv, out) = (directory.path().join("games.csv"), directory.path().join("games.acd"));
    let head = "game,ply,move,result,end";
    for (table, says) in [
        (String::new(), "no column \"game\""),
        ("game,ply,move,result".into(), "no column \"end\""),
        (format!("{head},game"), "once more"),
        (format!("{head},score"), "score_white_cp"),
        (format!("{head}\n0,0,a4a5,*"), "line 2: found 4 cells, expected 5"),
        (format!("{head}\n0,1,a4a5,*,ply-cap"), "line 2: found ply \"1\", expected 0"),
        (format!("{head}\n0,0,a4a6,*,ply-cap"), "a legal move"),
        (format!("{head}\n0,0,pass,*,ply-cap"), "a legal move"),
        (format!("{head}\n0,0,a4a5,2-0,ply-cap"), "1-0, 1/2-1/2"),
        (format!("{head}\n0,0,a4a5,*,bored"), "ply-cap"),
        (format!("{head}\n0,0,a4a5,1-0,ply-cap"), "line 2: found 1-0 by ply-cap in game 0, expected "),
        (format!("{head}\n0,0,a4a5,1-0,ply-cap"), "unfinished game exactly"),
        (
            format!("{head}\n0,0,a4a5,*,ply-cap\n0,1,a9a8,1-0,ply-cap"),
            "line 3: found result \"1-0\", expected *",
        ),
        (
            format!("{head},openings_tried\n0,0,a4a5,*,ply-cap,3\n0,1,a9a8,*,ply-cap,junk"),
            "line 3: found openings_tried \"junk\", expected 0 to 65535",
        ),
        (
            format!("{head},openings_tried\n0,0,a4a5,*,ply-cap,3\n0,1,a9a8,*,ply-cap,4"),
            "line 3: found openings_tried \"4\", expected 3, as in the game's first row",
        ),
        (format!("{head}\n-1,0,a4a5,*,ply-cap"), "a whole number"),
        (format!("{head}\n,0,a4a5,*,ply-cap"), "a whole number"),
        (format!("{head}\n1,0,a4a5,*,ply-cap\n0,0,a4a5,*,ply-cap"), "comes after game 1"),
        (
            format!("{head}\n1,0,a4a5,*,ply-cap\n0,0,a4a5,*,ply-cap"),
            "line 3: found game 0 of run 0 in game 0",
        ),
        (format!("{head},die\n0,0,a4a5,*,ply-cap,9"), "1 to 8"),
        (format!("{head},opening\n0,0,a4a5,*,ply-cap,yes"), "0 for others"),
        (format!("{head},opening\n0,0,a4a5,*,ply-cap,0\n0,1,a9a8,*,ply-cap,1"), "random plies come first"),
        (format!("{head},score_white_cp\n0,0,a4a5,*,ply-cap,-32768"), "-32767"),
        (format!("{head},stream\n0,0,a4a5,*,ply-cap,1"), "run 1"),
        (format!("{head},fen\n0,0,a4a5,*,ply-cap,8/8 w - 0 1"), "a position of murray"),
    ] {
        std::fs::write(&csv, &table).unwrap();
        let error = import(&csv, &reading(), None, &out).unwrap_err().to_string();
        assert!(error.contains(says), "{table:?}: {error}");
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "{table:?}");
    }
    std::fs::write(&csv, b"game,ply,move,result,end\n0,0,a4\xff,*,ply-cap\n").unwrap();
    let error = import(&csv, &reading(), None, &out).unwrap_err().to_string();
    assert!(error.contains("games.csv, line 2: found bytes that are no UTF-8"), "{error}");
}

#[test]
fn a_result_or_an_end_that_is_not_that_of_the_rules_is_refused_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let (csv, out) = (directory.path().join("games.csv"), directory.path().join("games.acd"));
    let fen = "k11/12/12/12/12/12/12/2p9/12/12/2R9/1R9K w - 0 1";
    let import = |rows: &[&str]| {
        let table = format!("game,ply,fen,move,result,end\n7,0,{fen},{}\n", rows.join("\n7,"));
        std::fs::write(&csv, table).unwrap();
        import(&csv, &reading(), None, &out).map_err(|error| error.to_string())
    };
    assert_eq!(import(&["c2a2,1-0,checkmate"]).unwrap().games, 1);
    assert_eq!(import(&["c2c3,*,ply-cap", "1,,a12a11,*,ply-cap"]).unwrap().games, 1);
    std::fs::remove_file(&out).unwrap();
    for (rows, says) in [
        (&["c2a2,*,ply-cap"][..], "line 2: found * by ply-cap in game 7, expected 1-0 by checkmate"),
        (&["c2a2,0-1,checkmate"], "line 2: found 0-1 by checkmate in game 7, expected 1-0 by checkmate"),
        (&["c2a2,1-0,adjudicated-score"], "line 2: found 1-0 by adjudicated-score in game 7, expected 1-0"),
        (
            &["c2c3,1/2-1/2,repetition"],
            "line 2: found 1/2-1/2 by repetition in game 7, expected that it goes on",
        ),
        (&["c2c3,1/2-1/2,adjudicated-kings"], "line 2: found 1/2-1/2 by adjudicated-kings in game 7"),
        (
            &["c2c3,*,ply-cap", "1,,c5c4,*,ply-cap", "2,,c3c4,*,ply-cap", "3,,a12a11,*,ply-cap"],
            "line 5: found a12a11 in game 7, expected no move: the game has ended",
        ),
    ] {
        let error = import(rows).unwrap_err();
        assert!(error.contains(&format!("games.csv, {says}")), "{rows:?}: {error}");
        assert!(!out.exists(), "{rows:?}");
    }
}

#[test]
fn lines_are_counted_whatever_ends_them_and_a_mark_of_utf_8_is_skipped() {
    let directory = tempfile::tempdir().unwrap();
    let (csv, out) = (directory.path().join("games.csv"), directory.path().join("games.acd"));
    let good = "game,ply,move,result,end\n0,0,a4a5,*,ply-cap\n";
    for text in
        [good.to_owned(), format!("\u{feff}{good}"), good.replace('\n', "\r\n"), good.replace('\n', "\n\n")]
    {
        std::fs::write(&csv, &text).unwrap();
        assert_eq!(import(&csv, &reading(), None, &out).unwrap().games, 1, "{text:?}");
    }
    for (end, line) in [("\n", 3), ("\r\n", 3), ("\n\n", 5), ("\r\n\r\n", 5)] {
        for (row, found) in [("1,0,a4a6,*,ply-cap", "move"), ("1,0,a4a5", "3 cells")] {
            std::fs::write(&csv, format!("{good}{row}\n").replace('\n', end)).unwrap();
            let error = import(&csv, &reading(), None, &out).unwrap_err().to_string();
            assert!(error.contains(&format!("games.csv, line {line}: found {found}")), "{end:?}: {error}");
        }
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_the_rows_of_the_csv() {
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::RowAccessor;

    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("games.parquet");
    for dice in [false, true] {
        let (_, _, bytes) = sample(dice);
        let csv = lines(&bytes, &Filter::default(), ExportFormat::Csv);
        let reader = Reader::new(name(), &bytes[..]).unwrap();
        export(reader, &reading(), &Filter::default(), ExportFormat::Parquet, &out).unwrap();
        let table = SerializedFileReader::new(std::fs::File::open(&out).unwrap()).unwrap();
        let mut rows = 0;
        for (row, line) in table.get_row_iter(None).unwrap().zip(&csv) {
            let row = row.unwrap();
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(row.get_ulong(0).unwrap().to_string(), cells[0]);
            assert_eq!(row.get_ushort(1).unwrap().to_string(), cells[1]);
            for (column, cell) in [(2, cells[2]), (3, cells[3]), (5, cells[5]), (10, cells[10])] {
                assert_eq!(row.get_string(column).unwrap(), cell);
            }
            assert_eq!(row.get_short(4).ok(), cells[4].parse().ok());
            for (column, cell) in [(6, cells[6]), (7, cells[7]), (8, cells[8])] {
                assert_eq!(row.get_bool(column).unwrap(), cell == "1");
            }
            assert_eq!(row.get_ubyte(9).ok(), cells[9].parse().ok());
            rows += 1;
        }
        assert_eq!(rows, csv.len());
    }
}
