/// The option that a field of [`crate::selfplay::Config`] comes from, for messages; of an option with parts also which of
/// them.
pub(super) fn flag(field: &str) -> String {
    let name = match field {
        "opening.plies" => "--opening-plies",
        "opening.margin_cp" => "--margin",
        "opening.check_nodes" => "--check-nodes",
        "opening.start.deletions" => "--deletions",
        "hash_mib" => "--hash",
        "softmax.temperature_cp" => "--softmax CP",
        "softmax.plies" => "--softmax PLIES",
        "softmax.lines" => "--softmax LINES",
        "adjudication.score_cp" => "--adjudicate CP",
        "adjudication.plies" => "--adjudicate PLIES",
        "draw.score_cp" => "--adjudicate-draw CP",
        "draw.plies" => "--adjudicate-draw PLIES",
        "draw.from_ply" => "--adjudicate-draw FROM",
        "resignation.score_cp" => "--resign CP",
        "resignation.moves" => "--resign MOVES",
        same => return format!("--{}", same.replace('_', "-")),
    };
    name.to_owned()
}
