//go:build unix

package transcript

import (
	"io/fs"
	"syscall"
)

// inode tells a file that was replaced from one that was written to, and with its time one
// that was written to from one that was not, whatever its modification time says.
func inode(info fs.FileInfo) (number uint64, changed int64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino, changeTime(st)
	}
	return 0, 0
}
