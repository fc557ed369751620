//go:build !unix

package transcript

import "io/fs"

// inode is 0 where the system has none: size and time then have to tell.
func inode(fs.FileInfo) uint64 { return 0 }
