//! Operations on 256 bits as one vector. Left to itself the compiler splits a set into words and back again between
//! operations, which costs a tenth of the speed of making moves.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod vector {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_cvtsi128_si64, _mm_or_si128, _mm_unpackhi_epi64, _mm256_and_si256,
        _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_or_si256, _mm256_testz_si256,
        _mm256_xor_si256,
    };

    #[inline(always)]
    fn load(words: [u64; 4]) -> __m256i {
        // SAFETY: both are 256 bits of plain data.
        unsafe { std::mem::transmute(words) }
    }

    #[inline(always)]
    fn store(vector: __m256i) -> [u64; 4] {
        // SAFETY: both are 256 bits of plain data.
        unsafe { std::mem::transmute(vector) }
    }

    #[inline(always)]
    pub fn and(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        // SAFETY: this module exists only where AVX2 does.
        store(unsafe { _mm256_and_si256(load(a), load(b)) })
    }

    #[inline(always)]
    pub fn or(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        // SAFETY: this module exists only where AVX2 does.
        store(unsafe { _mm256_or_si256(load(a), load(b)) })
    }

    #[inline(always)]
    pub fn xor(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        // SAFETY: this module exists only where AVX2 does.
        store(unsafe { _mm256_xor_si256(load(a), load(b)) })
    }

    /// True if no bit is set in both.
    #[inline(always)]
    pub fn disjoint(a: [u64; 4], b: [u64; 4]) -> bool {
        // SAFETY: this module exists only where AVX2 does.
        unsafe { _mm256_testz_si256(load(a), load(b)) != 0 }
    }

    /// The four words together.
    #[inline(always)]
    pub fn together(a: [u64; 4]) -> u64 {
        let a = load(a);
        // SAFETY: this module exists only where AVX2 does.
        let word = unsafe {
            let half: __m128i = _mm_or_si128(_mm256_castsi256_si128(a), _mm256_extracti128_si256::<1>(a));
            _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half)))
        };
        word.cast_unsigned()
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
mod vector {
    use std::array::from_fn;

    #[inline(always)]
    pub fn and(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        from_fn(|i| a[i] & b[i])
    }

    #[inline(always)]
    pub fn or(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        from_fn(|i| a[i] | b[i])
    }

    #[inline(always)]
    pub fn xor(a: [u64; 4], b: [u64; 4]) -> [u64; 4] {
        from_fn(|i| a[i] ^ b[i])
    }

    /// True if no bit is set in both.
    #[inline(always)]
    pub fn disjoint(a: [u64; 4], b: [u64; 4]) -> bool {
        (a[0] & b[0]) | (a[1] & b[1]) | (a[2] & b[2]) | (a[3] & b[3]) == 0
    }

    /// The four words together.
    #[inline(always)]
    pub fn together(a: [u64; 4]) -> u64 {
        a[0] | a[1] | a[2] | a[3]
    }
}

pub(super) use vector::{and, disjoint, or, together, xor};
