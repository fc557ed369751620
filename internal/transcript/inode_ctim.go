//go:build linux || openbsd || dragonfly || solaris || illumos

package transcript

import "syscall"

// changeTime is when the inode was changed last, Unix nanoseconds.
func changeTime(st *syscall.Stat_t) int64 { return st.Ctim.Nano() }
