use super::*;

#[test]
fn presets_are_explained_and_unknown_ones_refused_with_a_list() {
    let (_, help, _) = call(&["study", "--help"]);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("quick: two readings") && help.contains("standard: all ten readings"), "{help}");
    let (code, _, err) = call(&["study", "--preset", "slow"]);
    assert!(code == 2 && err.contains("quick") && err.contains("standard"), "{err}");
    let (code, _, err) = call(&["compare", "muray", "ludii"]);
    assert!(code == 1 && err.contains("did you mean murray") && err.contains("codex-literal"), "{err}");
}
