package exec

import (
	"container/heap"
	"slices"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// maxMerge is the number of runs that are merged at once: each takes about two blocks of memory.
const maxMerge = 64

// sorter orders rows by a comparison, equal rows as they came. Rows beyond the budget are sorted into files, which are merged
// when the rows are read; more than maxMerge files are first merged to fewer.
type sorter struct {
	mem     rowStore
	compare types.RowComparator
	budget  int64
	dir     spillDir
	runs    []*kv.Run
	buf     []byte
	ec      *Context
	moved   int // rows since start, by which canceled is paced
	// reading
	at    int
	merge mergeHeap
	last  *mergeSource // the one whose row was given last
}

// start empties the sorter for rows of a width.
func (s *sorter) start(ec *Context, width int, compare types.RowComparator) error {
	err := s.close()
	s.mem.reset(width)
	s.compare, s.budget, s.dir, s.ec, s.moved = compare, ec.budget(), ec.spillDir(), ec, 0
	return err
}

// canceled counts a row that is read or written, and reports once a batch whether the run is to end: whoever reads a sorter to
// its end needs no look of its own.
func (s *sorter) canceled() error {
	if s.moved++; s.moved%batchRows != 0 {
		return nil
	}
	return s.ec.canceled()
}

// add takes a copy of a row.
func (s *sorter) add(row types.Row) error {
	s.mem.add(row)
	return s.added()
}

// added spills when the store is full. Whoever fills rows of mem himself calls it afterwards.
func (s *sorter) added() error {
	if s.mem.bytes < s.budget {
		return nil
	}
	return s.spill()
}

// numbered is a row with its place before sorting, which decides between equal rows. That is quicker than a stable sort.
type numbered struct {
	row types.Row
	at  int
}

func (s *sorter) sortMemory() {
	list := make([]numbered, len(s.mem.rows))
	for i, row := range s.mem.rows {
		list[i] = numbered{row, i}
	}
	slices.SortFunc(list, func(a, b numbered) int {
		if c := s.compare(a.row, b.row); c != 0 {
			return c
		}
		return a.at - b.at
	})
	for i := range list {
		s.mem.rows[i] = list[i].row
	}
}

// spill writes the rows in memory to a run.
func (s *sorter) spill() error {
	s.sortMemory()
	w, err := s.dir.create(0)
	if err != nil {
		return err
	}
	for _, row := range s.mem.rows {
		s.buf = appendRow(s.buf[:0], row)
		err := s.canceled()
		if err == nil {
			err = w.Set(nil, s.buf)
		}
		if err != nil {
			w.Abort()
			return err
		}
	}
	run, err := w.Finish()
	if err != nil {
		return err
	}
	s.runs = append(s.runs, run)
	s.mem.recycle()
	if len(s.runs) == maxMerge {
		return s.collapse()
	}
	return nil
}

// collapse merges all runs to one.
func (s *sorter) collapse() error {
	if err := s.openMerge(); err != nil {
		return err
	}
	w, err := s.dir.create(0)
	if err != nil {
		return err
	}
	for {
		row, err := s.nextMerged()
		if err == nil && row != nil {
			s.buf = appendRow(s.buf[:0], row)
			err = w.Set(nil, s.buf)
		}
		if err != nil {
			w.Abort()
			return err
		}
		if row == nil {
			break
		}
	}
	run, err := w.Finish()
	if err != nil {
		return err
	}
	err = s.closeRuns()
	s.runs = append(s.runs, run)
	return err
}

// finish ends the adding; next gives the rows in order from now on.
func (s *sorter) finish() error {
	s.at = 0
	if len(s.runs) == 0 {
		s.sortMemory()
		return nil
	}
	if len(s.mem.rows) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	return s.openMerge()
}

// rewind makes next begin at the first row again.
func (s *sorter) rewind() error {
	s.at = 0
	if len(s.runs) == 0 {
		return nil
	}
	return s.openMerge()
}

// next gives the next row, nil at the end. It is valid until the next call, and when nothing spilled, until close.
func (s *sorter) next() (types.Row, error) {
	if len(s.runs) > 0 {
		return s.nextMerged()
	}
	if s.at == len(s.mem.rows) {
		return nil, nil
	}
	if err := s.canceled(); err != nil {
		return nil, err
	}
	s.at++
	return s.mem.rows[s.at-1], nil
}

// spilled reports whether rows went to disk, so that a row lives until the next call only.
func (s *sorter) spilled() bool { return len(s.runs) > 0 }

func (s *sorter) openMerge() error {
	s.merge = mergeHeap{compare: s.compare}
	s.last = nil
	for i, run := range s.runs {
		src := &mergeSource{index: i, in: newRunReader(run, s.mem.width)}
		ok, err := src.advance()
		if err != nil {
			return err
		}
		if ok {
			s.merge.sources = append(s.merge.sources, src)
		}
	}
	heap.Init(&s.merge)
	return nil
}

func (s *sorter) nextMerged() (types.Row, error) {
	if err := s.canceled(); err != nil {
		return nil, err
	}
	if s.last != nil {
		ok, err := s.last.advance()
		if err != nil {
			return nil, err
		}
		if ok {
			heap.Fix(&s.merge, 0)
		} else {
			heap.Pop(&s.merge)
		}
		s.last = nil
	}
	if len(s.merge.sources) == 0 {
		return nil, nil
	}
	s.last = s.merge.sources[0]
	return s.last.row, nil
}

func (s *sorter) closeRuns() error {
	err := closeRuns(s.runs)
	s.runs = s.runs[:0]
	return err
}

// closeRuns removes runs and gives the first error.
func closeRuns(runs []*kv.Run) error {
	var first error
	for _, run := range runs {
		first = firstError(first, run.Close())
	}
	return first
}

// close drops all rows and files.
func (s *sorter) close() error {
	s.merge, s.last, s.at = mergeHeap{}, nil, 0
	s.mem.reset(s.mem.width)
	return s.closeRuns()
}

// mergeSource is one run of a merge with its present row.
type mergeSource struct {
	index int // earlier runs hold earlier rows
	in    *runReader
	row   types.Row
}

func (m *mergeSource) advance() (ok bool, err error) {
	m.row, err = m.in.next()
	return m.row != nil, err
}

// mergeHeap is a heap of sources by their rows, equal rows by the age of the run.
type mergeHeap struct {
	compare types.RowComparator
	sources []*mergeSource
}

func (h *mergeHeap) Len() int { return len(h.sources) }

func (h *mergeHeap) Less(i, j int) bool {
	a, b := h.sources[i], h.sources[j]
	if c := h.compare(a.row, b.row); c != 0 {
		return c < 0
	}
	return a.index < b.index
}

func (h *mergeHeap) Swap(i, j int) { h.sources[i], h.sources[j] = h.sources[j], h.sources[i] }
func (h *mergeHeap) Push(x any)    { h.sources = append(h.sources, x.(*mergeSource)) }

func (h *mergeHeap) Pop() any {
	n := len(h.sources) - 1
	x := h.sources[n]
	h.sources = h.sources[:n]
	return x
}
