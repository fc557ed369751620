package snapshot

import (
	"slices"
	"time"
)

// byMoment puts snapshots in the order of their moments. The file is in the order of recording,
// which is another one where an old run was finished late or again, and where two clones met:
// there "the latest" must not be what happened to be written last. Snapshots of one moment stay
// in the order of their lines; one without a readable moment stays behind the line before it.
func byMoment(docs []Document) []Document {
	type placed struct {
		at  time.Time
		doc Document
	}
	list := make([]placed, len(docs))
	var at time.Time
	for i := range docs {
		if t, err := time.Parse(time.RFC3339, docs[i].CreatedAt); err == nil {
			at = t
		}
		list[i] = placed{at, docs[i]}
	}
	slices.SortStableFunc(list, func(a, b placed) int { return a.at.Compare(b.at) })
	for i := range list {
		docs[i] = list[i].doc
	}
	return docs
}

// Earlier returns the part of a history that a run of the moment now, in RFC 3339, comes after:
// what stands before the very same run, where it is recorded already, and else before the first
// snapshot of a later moment. A run that is recorded late is compared with what there was then.
func Earlier(history []Document, id, now string) []Document {
	history = Before(history, id)
	for i := range history {
		if later(&now, &history[i].CreatedAt) {
			return history[:i:i]
		}
	}
	return history
}

// later says whether b is a later moment than a; false when either is missing or is no RFC 3339.
func later(a, b *string) bool {
	if a == nil || b == nil {
		return false
	}
	x, err := time.Parse(time.RFC3339, *a)
	if err != nil {
		return false
	}
	y, err := time.Parse(time.RFC3339, *b)
	return err == nil && y.After(x)
}
