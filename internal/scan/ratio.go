package scan

import "math/bits"

// million is one, in parts per million.
const million = 1_000_000

// ppm is a/b in parts per million, rounded down; 0 when b is 0.
func ppm(a, b int64) int64 {
	if b <= 0 || a <= 0 {
		return 0
	}
	return mulDiv(a, million, b)
}

// mulDiv is a×b/c without overflow in between, rounded down; the result saturates.
func mulDiv(a, b, c int64) int64 {
	if a <= 0 || b <= 0 || c <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, 1<<63-1))
}

// logBits is the number of binary places of log2.
const logBits = 16

// log2 is the binary logarithm of n in units of 2^-16, rounded down; 0 for n ≤ 1.
// The mantissa is squared once per binary place: each time it passes two, that place is
// one. Thirty-one fractional bits of mantissa are kept, so the last place is exact for
// every count that a history can hold.
func log2(n int64) int64 {
	if n <= 1 {
		return 0
	}
	whole := bits.Len64(uint64(n)) - 1
	const frac = 31
	m := uint64(n)
	if whole >= frac {
		m >>= whole - frac
	} else {
		m <<= frac - whole
	}
	out := int64(whole) << logBits
	for place := logBits - 1; place >= 0; place-- {
		m = m * m >> frac
		if m >= 2<<frac {
			m >>= 1
			out |= 1 << place
		}
	}
	return out
}

// value is offload_value (rubric 3.5): waste × (1 − judgment density) × (1 + log2(recurrences)).
func value(waste, judgmentPPM, recurrences int64) int64 {
	v := mulDiv(waste, million-min(judgmentPPM, million), million)
	return mulDiv(v, 1<<logBits+log2(recurrences), 1<<logBits)
}
