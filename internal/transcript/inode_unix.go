//go:build unix

package transcript

import (
	"io/fs"
	"syscall"
)

// inode tells a file that was replaced from one that was written to.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}
