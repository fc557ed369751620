//go:build race

package transcript

// racing: the race detector allocates on its own account.
const racing = true
