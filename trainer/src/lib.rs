//! Self-play, datasets, tuning and the comparison of readings.
