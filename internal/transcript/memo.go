package transcript

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"
)

// A memo is what a caller once computed from a history. It holds as long as no file of
// the history has changed, so a run over an unchanged history reads nothing but it.

// maxMemo bounds a memo.
const maxMemo = 16 << 20

// memoPath is where the memo for a key stands. A program that was built anew asks under
// another name: what it computes may differ.
func (s *store) memoPath(key string) string {
	h := xxhash.New()
	h.Write(appendStrings(nil, s.name, key))
	if exe, err := os.Executable(); err == nil {
		if info, err := os.Stat(exe); err == nil {
			h.Write(binary.AppendVarint(binary.AppendVarint(nil, info.Size()), info.ModTime().UnixNano()))
		}
	}
	return filepath.Join(s.dir, "transcripts-"+hex.EncodeToString(h.Sum(nil))+".memo")
}

// manifest is a hash of everything that tells the files from a later state of them.
func manifest(sources []source) uint64 {
	b := make([]byte, 0, 8*len(sources))
	for i := range sources {
		b = binary.LittleEndian.AppendUint64(b, sources[i].identity())
	}
	return xxhash.Sum64(b)
}

// recall is the memo for a key, nil where there is none for these files.
func (s *store) recall(key string, sources []source) []byte {
	path := s.memoPath(key)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	if data = unseal(path, data); len(data) < 8 || binary.LittleEndian.Uint64(data) != manifest(sources) {
		return nil
	}
	return data[8:]
}

// Remember keeps what was computed from the history under Options.MemoKey, for the next
// Open of the unchanged files. It does nothing where that could not be trusted: without
// a cache directory or a key, or when a file was touched within two seconds of the scan
// or not read to its end.
func (h *History) Remember(memo []byte) error {
	if h.memoPath == "" || !h.settled || len(memo) > maxMemo {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(h.memoPath), "transcripts-*.tmp")
	if err != nil {
		return err
	}
	head := binary.LittleEndian.AppendUint64(nil, h.manifest)
	err = replace(f, h.memoPath, head, memo)
	h.store.sweep()
	return err
}
