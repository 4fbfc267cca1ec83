//! Tests of the plots. With `PLOT_DIR` set, the samples are also written there, to be looked at.

use super::*;
use crate::stats::{Interval, kendall::TauDistribution, wdl::Wdl};

fn keep(name: &str, svg: &str) {
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    if let Some(dir) = std::env::var_os("PLOT_DIR") {
        std::fs::write(std::path::Path::new(&dir).join(name), svg).unwrap();
    }
}

fn value(value: f64, reach: f64) -> ForestCell {
    ForestCell::Value(ForestValue { value, interval: Interval { low: value - reach, high: value + reach } })
}

#[test]
fn forest_plot() {
    let kinds = ["aanca", "rhinoceros", "rook", "lion", "crocodile", "giraffe", "pawn"];
    let series: Vec<ForestSeries> = ["cazaux-musser", "murray", "codex <literal & long>"]
        .iter()
        .enumerate()
        .map(|(i, name)| ForestSeries {
            name: (*name).to_string(),
            values: (0..7)
                .map(|k| {
                    let v = 1.3 - 0.17 * f64::from(k) + 0.05 * i as f64;
                    match (i, k) {
                        (1, 2) => ForestCell::Undetermined,
                        (0, 3) => ForestCell::Absent,
                        (1, 5) => value(v, 9.0),
                        (2, 6) => value(-0.1, 0.2),
                        _ => value(v, 0.1 + 0.03 * f64::from(k)),
                    }
                })
                .collect(),
        })
        .collect();
    let draw =
        || forest("Measured values, 95 % intervals by game", "log-odds per piece", &kinds, &series).unwrap();
    let svg = draw();
    keep("forest.svg", &svg);
    assert_eq!(svg, draw());
    assert!(svg.contains("undetermined") && svg.contains("codex &lt;literal &amp; long&gt;"));
    assert!(forest("", "", &[], &series).is_err() && forest("", "", &kinds, &[]).is_err());
    let odd =
        ForestSeries { name: String::new(), values: vec![value(f64::NAN, 1.0), value(1.0, f64::INFINITY)] };
    assert!(forest("", "", &kinds, &[odd]).is_ok());
    assert_eq!(svg.matches("undetermined").count(), 1, "a kind that a reading has not is not undetermined");
    let none = ForestSeries { name: "none".to_string(), values: vec![ForestCell::Undetermined; 7] };
    assert!(forest("", "", &kinds, &[none]).is_err(), "an axis without a value would have made-up numbers");
}

#[test]
fn length_plot() {
    let series = |name: &str, shift: u32, n: u32| LengthSeries {
        name: name.to_string(),
        lengths: (0..n).map(|i| 60 + shift + (i * i * 7 + i * 13) % 97 + (i * 31) % 89).collect(),
        unfinished: u64::from(shift) / 5,
    };
    let all = [series("cazaux-musser", 0, 400), series("murray", 55, 300), series("no games", 0, 0)];
    let svg = lengths("Game length", &all).unwrap();
    keep("lengths.svg", &svg);
    assert_eq!(svg, lengths("Game length", &all).unwrap());
    assert!(svg.contains("400 games, median") && svg.contains(", 11 unfinished"));
    assert!(lengths("", &[]).is_err() && lengths("", &all[2..]).is_err());
    let odd = LengthSeries { name: "x".repeat(500), lengths: vec![0, u32::MAX], unfinished: 0 };
    assert!(lengths(&"t".repeat(500), &[odd]).is_ok());
}

#[test]
fn result_plot() {
    let bar = |name: &str, wins, draws, losses| ResultBar {
        name: name.to_string(),
        wdl: Wdl { wins, draws, losses },
    };
    let bars = [
        bar("cazaux-musser", 212, 45, 143),
        bar("murray", 90, 120, 80),
        bar("few", 3, 0, 1),
        bar("one-sided", 200, 1, 0),
        bar("none", 0, 0, 0),
    ];
    let svg = results("Results for White", &bars).unwrap();
    keep("results.svg", &svg);
    assert_eq!(svg, results("Results for White", &bars).unwrap());
    assert!(svg.contains("212") && svg.contains("no finished games"));
    assert!(results("", &[]).is_err());
}

#[test]
fn tau_plot() {
    let taus: Vec<f64> =
        (0..400u32).map(|i| f64::from((i * i + 3 * i) % 11 + i % 5) * 2.0 / 21.0 - 0.4286).collect();
    let full = TauSeries {
        name: "cazaux-musser".to_string(),
        observed: Some(0.52),
        distribution: TauDistribution::new(&taus, 0.95),
    };
    let narrow = TauSeries {
        name: "murray".to_string(),
        observed: Some(1.0),
        distribution: TauDistribution::new(&[1.0, 1.0, 0.904_761_9], 0.95),
    };
    let none = TauSeries { name: "short".to_string(), observed: None, distribution: None };
    let all = [full, narrow, none];
    let svg = tau("Agreement with the pips", &all).unwrap();
    keep("tau.svg", &svg);
    assert_eq!(svg, tau("Agreement with the pips", &all).unwrap());
    assert!(svg.contains("undetermined"));
    assert!(tau("", &[]).is_err());
    // Panels of nothing once stood above the top edge.
    let svg = tau("", &all[2..]).unwrap();
    keep("tau-none.svg", &svg);
    assert!(!svg.contains("y=\"-") && svg.contains("undetermined"), "{svg}");
}
