package function

import (
	"strings"
	"sync/atomic"
)

// memo remembers what was made of the last text, for patterns, paths and schemas that are no constants but rarely change from row
// to row. It is safe for concurrent use.
type memo[T any] struct {
	make func(text string) T
	last atomic.Pointer[memoEntry[T]]
}

type memoEntry[T any] struct {
	text  string
	value T
}

func newMemo[T any](make func(string) T) *memo[T] { return &memo[T]{make: make} }

func (m *memo[T]) get(text string) T {
	if e := m.last.Load(); e != nil && e.text == text {
		return e.value
	}
	text = strings.Clone(text) // it may come from a buffer that is used again
	e := &memoEntry[T]{text, m.make(text)}
	m.last.Store(e)
	return e.value
}
