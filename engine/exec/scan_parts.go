package exec

import (
	"context"
	"runtime"
	"sync"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// partScan reads the parts of a scan by several goroutines, each with a table of its own, and hands the rows out in the order of the
// scan. What is read ahead waits in batches, up to partBytes in all, save that whoever reads the part at hand never waits.
type partScan struct {
	scan   *scanOp
	ctx    context.Context
	cancel context.CancelFunc
	tables []vtab.Table
	wg     sync.WaitGroup

	mu      sync.Mutex
	changed sync.Cond // what follows changed
	parts   []scanPart
	taken   int // parts that somebody reads or has read
	at      int // the part that is handed out
	held    int // bytes of batches that wait
	idle    []*partBatch
	stopped bool
	shown   *partBatch
}

// scanPart is one part with what was read of it.
type scanPart struct {
	vtab.Part
	waiting []*partBatch
	done    bool
	err     error
	crash   any // what its reader panicked with
}

// partBatch is a batch with its rows that passed.
type partBatch struct {
	*vtab.Batch
	rows  []types.Row
	bytes int
}

// partBytes is how much may be read ahead.
const partBytes = 16 << 20

// startParts lets the cursor give away what it has not read, and begins to read it; nil when it keeps everything.
func (o *scanOp) startParts() (*partScan, error) {
	splitter, ok := o.cursor.(vtab.Splitter)
	if !ok {
		return nil, nil
	}
	parts, err := splitter.Split()
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	s := &partScan{scan: o, parts: make([]scanPart, len(parts))}
	for i, p := range parts {
		s.parts[i].Part = p
	}
	s.changed.L = &s.mu
	s.ctx, s.cancel = context.WithCancel(o.ec.ctx)
	for range min(runtime.GOMAXPROCS(0), len(parts)) {
		t, err := o.ec.rt.Source.OpenTable(o.ec.ctx, o.table, o.committed)
		if err != nil {
			return nil, firstError(err, s.close())
		}
		s.tables = append(s.tables, t)
	}
	for _, t := range s.tables {
		s.wg.Add(1)
		go s.work(t.(vtab.PartScanner))
	}
	return s, nil
}

// work reads part after part.
func (s *partScan) work(t vtab.PartScanner) {
	defer s.wg.Done()
	o := s.scan
	ec := &Context{ctx: s.ctx, rt: o.ec.rt, call: o.ec.call, param: o.ec.param}
	ec.call.Ctx = s.ctx
	ec.beginLimits()
	for p := s.take(); p >= 0; p = s.take() {
		s.readPart(t, ec, p)
	}
}

// take gives the next part to read, -1 when there is none.
func (s *partScan) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.stopped && s.taken < len(s.parts) && s.taken > s.at && s.held > partBytes {
		s.changed.Wait()
	}
	if s.stopped || s.taken == len(s.parts) {
		return -1
	}
	s.taken++
	return s.taken - 1
}

// readPart reads one part; an error, or a panic, is its end and waits there for its turn.
func (s *partScan) readPart(t vtab.PartScanner, ec *Context, p int) {
	var err error
	defer func() {
		crash := recover()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.parts[p].done, s.parts[p].err, s.parts[p].crash = true, err, crash
		s.changed.Broadcast()
	}()
	c, err := t.ScanPart(s.ctx, &s.scan.filter, s.parts[p].Part)
	if err != nil {
		return
	}
	defer func() { err = firstError(err, c.Close()) }() // after a panic too
	err = s.readAll(c, ec, p)
}

func (s *partScan) readAll(c vtab.Cursor, ec *Context, p int) error {
	for {
		b := s.emptyBatch()
		n, err := c.Next(s.ctx, b.Batch)
		if err != nil || n == 0 {
			return err
		}
		b.rows = append(b.rows[:0], b.Rows[:n]...)
		if s.scan.pred != nil {
			if b.rows, err = s.scan.pred.passing(ec, b.Rows[:n], b.rows[:0]); err != nil {
				return err
			}
		}
		b.bytes = len(b.Rows)*len(b.Rows[0])*int(valueBytes) + b.Arena.Bytes()
		if !s.put(p, b) {
			return nil
		}
	}
}

// emptyBatch gives a batch to fill.
func (s *partScan) emptyBatch() *partBatch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		b := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return b
	}
	return &partBatch{Batch: vtab.NewBatch(batchRows, len(s.scan.table.Columns))}
}

// put adds a batch to a part, and waits while too much has been read ahead; false when nobody wants more.
func (s *partScan) put(p int, b *partBatch) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(b.rows) == 0 {
		s.idle = append(s.idle, b)
	} else {
		s.parts[p].waiting = append(s.parts[p].waiting, b)
		s.held += b.bytes
		s.changed.Broadcast()
	}
	for !s.stopped && s.held > partBytes && p != s.at {
		s.changed.Wait()
	}
	return !s.stopped
}

// next gives the next rows, which are valid until the next call; none is the end.
func (s *partScan) next() ([]types.Row, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown != nil {
		s.held -= s.shown.bytes
		s.idle = append(s.idle, s.shown)
		s.shown = nil
		s.changed.Broadcast()
	}
	for s.at < len(s.parts) {
		switch p := &s.parts[s.at]; {
		case len(p.waiting) > 0:
			s.shown = p.waiting[0]
			p.waiting = p.waiting[1:]
			return s.shown.rows, nil
		case p.crash != nil:
			panic(p.crash)
		case p.err != nil:
			return nil, p.err
		case p.done:
			s.at++
			s.changed.Broadcast()
		default:
			s.changed.Wait()
		}
	}
	return nil, nil
}

// close stops the readers and waits for them.
func (s *partScan) close() error {
	s.mu.Lock()
	s.stopped = true
	s.changed.Broadcast()
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
	var first error
	for _, t := range s.tables {
		first = firstError(first, t.Close())
	}
	return first
}
