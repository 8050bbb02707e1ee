package parse

// slab hands out zeroed nodes from chunks, so that a long script costs one allocation for many nodes. A node that is kept
// keeps its chunk, at most maxChunk nodes, as it keeps the text of its source.
type slab[T any] struct {
	chunk []T
	size  int
}

const maxChunk = 1024

func (s *slab[T]) new() *T {
	if len(s.chunk) == 0 {
		s.size = min(max(2*s.size, 1), maxChunk)
		s.chunk = make([]T, s.size)
	}
	x := &s.chunk[0]
	s.chunk = s.chunk[1:]
	return x
}

// list gathers the members of lists of unknown length on one stack, lists within lists included, and cuts the finished
// ones to size.
type list[T any] struct {
	stack []T
	chunk []T
	size  int
}

// mark begins a list: the members pushed from here on are taken by take(mark).
func (l *list[T]) mark() int { return len(l.stack) }

func (l *list[T]) push(x T) { l.stack = append(l.stack, x) }

// take ends the list begun at mark and gives its members, nil for none. Appending to the result copies it.
func (l *list[T]) take(mark int) []T {
	n := len(l.stack) - mark
	if n == 0 {
		return nil
	}
	if n > len(l.chunk) {
		l.chunk = make([]T, max(n, l.size))
		l.size = min(2*len(l.chunk), maxChunk)
	}
	out := l.chunk[:n:n]
	l.chunk = l.chunk[n:]
	copy(out, l.stack[mark:])
	l.stack = l.stack[:mark]
	return out
}
