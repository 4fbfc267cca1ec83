//! The start-up guard: a binary built for newer processors says so on an older one, instead of dying of an illegal
//! instruction. It asks the processor itself: `is_x86_feature_detected!` is true for whatever was compiled in.

/// What CPUID and XGETBV say, as far as the compiled-in features need it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Words {
    /// Leaf 1, ECX.
    leaf1_ecx: u32,
    /// Leaf 7, EBX; 0 if there is no such leaf.
    leaf7_ebx: u32,
    /// Leaf `0x8000_0001`, ECX; 0 if there is no such leaf.
    extended_ecx: u32,
    /// The register states that the operating system saves; 0 if it does not say.
    xcr0: u64,
}

const OSXSAVE: u32 = 1 << 27;
const AVX: u32 = 1 << 28;
/// The SSE and AVX states of XCR0.
const AVX_STATE: u64 = 0b110;

/// What to say of a processor that lacks a feature, whether this program was built for it, and whether a processor has it.
type Feature = (&'static str, bool, fn(Words) -> bool);

fn avx(words: Words) -> bool {
    words.leaf1_ecx & (OSXSAVE | AVX) == (OSXSAVE | AVX) && words.xcr0 & AVX_STATE == AVX_STATE
}

macro_rules! feature {
    ($name:tt, $has:expr) => {
        (
            concat!(
                "this program was built for a newer processor: this one lacks ",
                $name,
                "; build it anew with RUSTFLAGS=\"-C target-cpu=x86-64\" cargo build --release"
            ),
            cfg!(target_feature = $name),
            $has,
        )
    };
}

/// All that `x86-64-v3` adds and the compiler uses.
///
/// # Source
/// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID and XGETBV.
const FEATURES: [Feature; 7] = [
    feature!("avx2", |words| avx(words) && words.leaf7_ebx & (1 << 5) != 0),
    feature!("bmi1", |words| words.leaf7_ebx & (1 << 3) != 0),
    feature!("bmi2", |words| words.leaf7_ebx & (1 << 8) != 0),
    feature!("fma", |words| avx(words) && words.leaf1_ecx & (1 << 12) != 0),
    feature!("lzcnt", |words| words.extended_ecx & (1 << 5) != 0),
    feature!("movbe", |words| words.leaf1_ecx & (1 << 22) != 0),
    feature!("popcnt", |words| words.leaf1_ecx & (1 << 23) != 0),
];

/// Passes if the processor has every feature that is wanted; else says what the first missing one is, and the way out.
fn decide(words: Words, features: &[Feature]) -> Result<(), &'static str> {
    features.iter().find(|(_, wanted, has)| *wanted && !has(words)).map_or(Ok(()), |(text, ..)| Err(*text))
}

#[cfg(target_arch = "x86_64")]
fn words() -> Words {
    use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
    let leaf = |most: u32, leaf: u32| (leaf <= most).then(|| __cpuid_count(leaf, 0));
    let (most, most_extended) = (__cpuid(0).eax, __cpuid(0x8000_0000).eax);
    let leaf1_ecx = leaf(most, 1).map_or(0, |found| found.ecx);
    let mut xcr0 = 0;
    if leaf1_ecx & OSXSAVE != 0 {
        // SAFETY: OSXSAVE says that the processor has XGETBV and that the operating system lets programs use it.
        xcr0 = unsafe { _xgetbv(0) };
    }
    Words {
        leaf1_ecx,
        leaf7_ebx: leaf(most, 7).map_or(0, |found| found.ebx),
        extended_ecx: leaf(most_extended, 0x8000_0001).map_or(0, |found| found.ecx),
        xcr0,
    }
}

/// Checks that this processor has what the program was compiled for. To be called before anything else.
///
/// The message is no `String`: copying one may itself use the instructions that are missing.
///
/// # Errors
/// If it has not: a feature that is missing, and how to build without it.
#[inline(never)]
pub fn check_cpu() -> Result<(), &'static str> {
    #[cfg(target_arch = "x86_64")]
    return decide(words(), &FEATURES);
    #[cfg(not(target_arch = "x86_64"))]
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that `x86-64-v3` asks for.
    const NEW: Words = Words {
        leaf1_ecx: OSXSAVE | AVX | 1 << 12 | 1 << 22 | 1 << 23,
        leaf7_ebx: 1 << 3 | 1 << 5 | 1 << 8,
        extended_ecx: 1 << 5,
        xcr0: 0b111,
    };

    fn all() -> [Feature; 7] {
        FEATURES.map(|(text, _, has)| (text, true, has))
    }

    #[test]
    fn the_processor_that_runs_the_tests_passes() {
        assert_eq!(check_cpu(), Ok(()));
    }

    #[test]
    fn a_processor_without_avx2_is_refused_with_a_way_out() {
        let old = Words { leaf7_ebx: NEW.leaf7_ebx & !(1 << 5), ..NEW };
        let text = decide(old, &all()).unwrap_err();
        assert!(text.contains("lacks avx2;"), "{text}");
        assert!(text.contains("RUSTFLAGS=\"-C target-cpu=x86-64\" cargo build --release"), "{text}");
        assert!(!text.contains('\n'));
        assert_eq!(decide(NEW, &all()), Ok(()));
    }

    #[test]
    fn avx2_is_worth_nothing_if_the_operating_system_does_not_save_its_registers() {
        for words in [Words { xcr0: 0b011, ..NEW }, Words { leaf1_ecx: NEW.leaf1_ecx & !OSXSAVE, ..NEW }] {
            assert!(decide(words, &all()).unwrap_err().contains("lacks avx2;"));
        }
    }

    #[test]
    fn every_feature_is_looked_for_and_only_those_compiled_in_are_demanded() {
        let names = ["avx2", "bmi1", "bmi2", "fma", "lzcnt", "movbe", "popcnt"];
        for (name, feature) in names.into_iter().zip(all()) {
            assert!(decide(Words::default(), &[feature]).unwrap_err().contains(&format!("lacks {name};")));
            assert_eq!(decide(NEW, &[feature]), Ok(()));
        }
        assert_eq!(decide(Words::default(), &FEATURES.map(|(text, _, has)| (text, false, has))), Ok(()));
    }
}
