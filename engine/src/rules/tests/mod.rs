mod betza;
mod builtin;
mod file;
mod fuzz;
