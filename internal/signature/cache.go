package signature

import (
	"sync"

	"github.com/cespare/xxhash/v2"
)

// cache keeps the shapes of shell texts that were seen: histories repeat a few
// commands very often, and parsing is the dear part. It knows them by the raw values in
// which they stood, so that one that is known need not be unescaped. It is bounded; a full
// shard is emptied, which costs a parse and nothing else.
type cache struct{ shards [shards]shard[uint64, Shape] }

// interner keeps one copy of each name and signature: there are few, and they recur.
// It is bounded likewise.
type interner struct{ shards [shards]shard[string, string] }

// shard is a part of a table under a lock of its own.
type shard[K comparable, V any] struct {
	mu     sync.Mutex
	values map[K]V
}

const (
	shards   = 16
	maxShard = 512
	// maxCachedText bounds the texts worth keeping; longer ones hardly recur.
	maxCachedText = 4 << 10
)

func newCache() *cache {
	c := &cache{}
	for i := range c.shards {
		c.shards[i].values = map[uint64]Shape{}
	}
	return c
}

// get is the shape of the text in a raw value.
func (c *cache) get(raw []byte, parse func(string) Shape) Shape {
	if len(raw) > maxCachedText {
		return parse(text(raw))
	}
	h := xxhash.Sum64(raw)
	s := &c.shards[h%shards]
	s.mu.Lock()
	got, ok := s.values[h]
	s.mu.Unlock()
	if ok {
		return got
	}
	got = parse(text(raw))
	s.set(h, got)
	return got
}

// set adds a value under a key that was not there.
func (s *shard[K, V]) set(key K, v V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.values) >= maxShard {
		clear(s.values)
	}
	s.values[key] = v
}

func newInterner() *interner {
	n := &interner{}
	for i := range n.shards {
		n.shards[i].values = map[string]string{}
	}
	return n
}

// of is b as a string.
func (n *interner) of(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	s := &n.shards[(uint(b[len(b)-1])+uint(len(b)))%shards]
	s.mu.Lock()
	got, ok := s.values[string(b)]
	s.mu.Unlock()
	if !ok {
		got = string(b)
		s.set(got, got)
	}
	return got
}
