//go:build !race

package transcript

const racing = false
