//! Whole-system properties live in `tests/all`; this library is empty.
