//go:build darwin || freebsd || netbsd

package transcript

import "syscall"

// changeTime is when the inode was changed last, Unix nanoseconds.
func changeTime(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }
