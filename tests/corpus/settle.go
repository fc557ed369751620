package corpus

import (
	"os"
	"path/filepath"
	"time"
)

// Settle makes the files below dir that were just written old enough for a cache to trust
// them, and leaves the others as they are.
func Settle(dir string) error {
	now := time.Now()
	return filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && now.Sub(info.ModTime()) < time.Minute {
			err = os.Chtimes(p, now.Add(-time.Minute), now.Add(-time.Minute))
		}
		return err
	})
}
