//! Showing results. In: plain figures. Out: text and SVG as strings; the caller writes the files.

pub mod plots;
pub mod table;
