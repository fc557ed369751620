//go:build !amd64

package transcript

// skipString starts after the opening quote and ends after the closing one.
func skipString(b []byte, i int) (end int, escaped bool) { return skipStringWords(b, i) }
