package signature

import (
	"sync"

	"github.com/cespare/xxhash/v2"
)

// cache keeps the shapes of shell texts that were seen: histories repeat a few
// commands very often, and parsing is the dear part. It is bounded; a full shard
// is emptied, which costs a parse and nothing else.
type cache struct{ shards [16]shard }

type shard struct {
	mu     sync.Mutex
	shapes map[uint64]Shape
}

const (
	maxShard = 512
	// maxCachedText bounds the texts worth keeping; longer ones hardly recur.
	maxCachedText = 4 << 10
)

func newCache() *cache {
	c := &cache{}
	for i := range c.shards {
		c.shards[i].shapes = map[uint64]Shape{}
	}
	return c
}

func (c *cache) get(text string, parse func() Shape) Shape {
	if len(text) > maxCachedText {
		return parse()
	}
	h := xxhash.Sum64String(text)
	s := &c.shards[h%16]
	s.mu.Lock()
	got, ok := s.shapes[h]
	s.mu.Unlock()
	if ok {
		return got
	}
	got = parse()
	s.mu.Lock()
	if len(s.shapes) >= maxShard {
		clear(s.shapes)
	}
	s.shapes[h] = got
	s.mu.Unlock()
	return got
}
