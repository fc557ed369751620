package transcript

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"
)

// The cache keeps digests between runs: for each set of configuration directories and
// shaper an index, which is written whole to a temporary file and renamed, and the events
// that it names. A cache that is missing, damaged, of another version or of another
// history is no error: everything is read again. What a digest says is the same whether it
// was kept or made anew, since the merge sees nothing else.
//
// A file is taken from the cache when its size, modification time, inode and the inode's
// time are what they were. A file that had been touched within two seconds of the scan that read it
// is not: it may have changed again within the same tick of its clock. The clock is the
// file system's own, read from the temporary file that the scan begins with.
const (
	cacheMagic   = "iadigest"
	cacheVersion = 4
	// racy is how long before a scan a file must have been touched last to be trusted.
	racy = 2 * time.Second
	// maxSegments is how often a file may be read from its end before it is read whole; the
	// pieces that it was cut into do not count.
	maxSegments = 64
)

// store is the place of one history's cache.
type store struct {
	dir, name string
	begun     *os.File // temporary file, made before anything was read
	at        int64    // its modification time, Unix nanoseconds
}

// storeFor names the cache of what o reads; nil without a cache directory.
func storeFor(o Options) *store {
	if o.CacheDir == "" {
		return nil
	}
	h := xxhash.New()
	for _, d := range o.ConfigDirs {
		if abs, err := filepath.Abs(d); err == nil {
			d = abs
		}
		h.Write(appendStrings(nil, d))
	}
	h.Write(appendStrings([]byte{cacheVersion}, o.ShaperID))
	return &store{dir: o.CacheDir, name: "transcripts-" + hex.EncodeToString(h.Sum(nil))}
}

func (s *store) path() string { return filepath.Join(s.dir, s.name+".digests") }

// begin makes the temporary file, whose time is the scan's.
func (s *store) begin() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, s.name+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		discard(f)
		return err
	}
	s.begun, s.at = f, info.ModTime().UnixNano()
	return nil
}

// abandon removes the temporary file, if it is still there.
func (s *store) abandon() {
	if s.begun != nil {
		discard(s.begun)
		s.begun = nil
	}
}

// discard gives a temporary file up.
func discard(f *os.File) {
	f.Close()
	os.Remove(f.Name())
}

// trusts says whether a file's time, and that of what stands beside it, are old enough to
// tell them from a later state.
func (s *store) trusts(src *source) bool { return max(src.mtime, src.meta.mtime) < s.at-int64(racy) }

// take hands the temporary file over to who will finish it.
func (s *store) take() *os.File {
	f := s.begun
	s.begun = nil
	return f
}

// sealed writes a file that ends with the hash of its name and of everything before: what
// has come under another's name is as good as damaged.
type sealed struct {
	file *os.File
	path string // where it will stand
	hash *xxhash.Digest
	out  *bufio.Writer
}

// newSealed writes to the temporary file f what will stand at path.
func newSealed(f *os.File, path string) *sealed {
	h := sealOf(path)
	return &sealed{f, path, h, bufio.NewWriterSize(io.MultiWriter(f, h), 64<<10)}
}

// sealOf begins the hash of a file.
func sealOf(path string) *xxhash.Digest {
	h := xxhash.New()
	h.Write(appendStrings(nil, filepath.Base(path)))
	return h
}

// write and text add to the file; finish has the error.
func (s *sealed) write(b []byte) { s.out.Write(b) }
func (s *sealed) text(t string)  { s.out.WriteString(t) }

// finish writes the hash and puts the file in its place. What cannot be finished is removed.
func (s *sealed) finish() error {
	err := s.out.Flush()
	if err == nil {
		_, err = s.file.Write(binary.LittleEndian.AppendUint64(nil, s.hash.Sum64()))
	}
	if e := s.file.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(s.file.Name(), s.path)
	}
	if err != nil {
		os.Remove(s.file.Name())
	}
	return err
}

// sealSize is what the hash takes.
const sealSize = 8

// replace seals a temporary file with parts in it and puts it in the place of another.
func replace(f *os.File, path string, parts ...[]byte) error {
	s := newSealed(f, path)
	for _, p := range parts {
		s.write(p)
	}
	return s.finish()
}

// unseal is what stands before the hash of a file that was read whole, nil where that is wrong.
func unseal(path string, data []byte) []byte {
	n := len(data) - sealSize
	if n < 0 {
		return nil
	}
	h := sealOf(path)
	h.Write(data[:n])
	if binary.LittleEndian.Uint64(data[n:]) != h.Sum64() {
		return nil
	}
	return data[:n]
}

const (
	// abandoned is how old a temporary file is that nobody writes any more.
	abandoned = time.Hour
	// So many histories' caches are kept, so many memos, and the parts of so many memos.
	keptStores, keptMemos, keptPartsFiles = 8, 16, 8
)

// sweep removes temporary files of scans that were killed, and the caches and memos that
// were written longest ago beyond those that are kept. It returns all files by kind.
func (s *store) sweep() (byKind map[string][]fs.FileInfo) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil
	}
	byKind = map[string][]fs.FileInfo{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), "transcripts-") {
			kind := filepath.Ext(e.Name())
			byKind[kind] = append(byKind[kind], info)
		}
	}
	for _, info := range byKind[".tmp"] {
		if s.at-info.ModTime().UnixNano() > int64(abandoned) {
			os.Remove(filepath.Join(s.dir, info.Name()))
		}
	}
	s.thin(byKind[".digests"], keptStores)
	s.thin(byKind[".memo"], keptMemos)
	s.thin(byKind[".parts"], keptPartsFiles)
	return byKind
}

// thin removes the oldest files beyond a number.
func (s *store) thin(list []fs.FileInfo, keep int) {
	for len(list) > keep {
		oldest := 0
		for i, info := range list {
			if info.ModTime().Before(list[oldest].ModTime()) {
				oldest = i
			}
		}
		os.Remove(filepath.Join(s.dir, list[oldest].Name()))
		list = append(list[:oldest], list[oldest+1:]...)
	}
}
