package store

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// rework is one pass over the rows of a table as the transaction sees them, which writes new ranges: the rows, converted, or
// entries of structures, or both. Rows are read in key order and handed in chunks to workers, which decode, convert and encode
// them on all cores; what they made is collected in the order of the rows. Nothing that the catalog names changes, so a pass
// that fails leaves nothing but temporary files, which it removes.
type rework struct {
	conn          *Conn
	a             *vtab.Alteration
	before, after *shape

	// rows is the output of the rows, nil when they stay. encode tells that they are written anew; else their stored form is taken over.
	rows   *output
	encode bool
	// entries are the outputs of structures of after.
	entries []*output
	// rekey tells that rows get keys of their own; else they keep them.
	rekey bool

	// decoder reads rows as before has them when they are converted, else as after has them.
	decoder *decoder
	done    int64 // rows
}

// chunkRows is how many rows go to a worker at once, fewer when they take chunkBytes.
const (
	chunkRows  = vtab.BatchRows
	chunkBytes = 1 << 20
)

// chunk is some rows on their way: as they were read, and what was made of them. Chunks are used again.
type chunk struct {
	raw  []byte
	ends []int // of key, value, key, value, … in raw
	made []entryList
	err  error
	done chan struct{}
}

// entryList is entries for one output, one behind the other.
type entryList struct {
	buf  []byte
	ends []int // of key, value, key, value, …
}

func (l *entryList) add(key, value []byte) {
	l.buf = append(l.buf, key...)
	l.ends = append(l.ends, len(l.buf))
	l.buf = append(l.buf, value...)
	l.ends = append(l.ends, len(l.buf))
}

// each visits the entries that lie in buf.
func eachEntry(buf []byte, ends []int, visit func(key, value []byte) error) error {
	at := 0
	for i := 0; i < len(ends); i += 2 {
		if err := visit(buf[at:ends[i]], buf[ends[i]:ends[i+1]]); err != nil {
			return err
		}
		at = ends[i+1]
	}
	return nil
}

// outputs lists all outputs, the rows first.
func (r *rework) outputs() []*output {
	if r.rows == nil {
		return r.entries
	}
	return append([]*output{r.rows}, r.entries...)
}

// run carries the pass out and stages or ingests what it made.
func (r *rework) run(ctx context.Context) (err error) {
	outs := r.outputs()
	defer func() {
		if err != nil {
			for _, o := range outs {
				o.abort()
			}
		}
	}()
	if err := r.read(ctx, outs); err != nil {
		return err
	}
	for _, o := range outs {
		if err := o.finish(ctx, r.after.table); err != nil {
			return err
		}
	}
	return r.hand(ctx, outs)
}

// hand gives the new ranges to the transaction.
func (r *rework) hand(ctx context.Context, outs []*output) error {
	for _, o := range outs {
		if o.bulk.Empty() {
			if err := o.stage(ctx, r.conn.txn); err != nil {
				return err
			}
		}
	}
	var into []catalog.Incarnation
	var files []kv.BulkFile
	for _, o := range outs {
		if !o.bulk.Empty() {
			into = append(into, o.s.inc)
			files = append(files, o.bulk.Take()...) // whatever comes of it, the store takes them over
		}
	}
	if len(files) > 0 {
		if err := r.conn.ingest(ctx, into, files); err != nil {
			return err
		}
	}
	var first error
	for _, o := range outs {
		if err := o.collector.close(); first == nil {
			first = err
		}
	}
	if r.rows != nil && first == nil {
		first = r.conn.setCount(r.rows.s.inc, r.done)
	}
	return first
}

// read sends all rows through the workers into the outputs.
func (r *rework) read(ctx context.Context, outs []*output) error {
	p, err := r.conn.View()
	if err != nil {
		return err
	}
	defer p.Close()
	it, err := p.(*pin).reader().NewIter(kv.IterOptions{Span: kv.PrefixSpan(r.before.primary.prefix)})
	if err != nil {
		return err
	}
	defer it.Close()
	pipe := r.start(runtime.GOMAXPROCS(0), len(outs))
	defer pipe.stop()
	for ok := it.First(); ok; {
		if err := kv.Interrupted(ctx); err != nil {
			return err
		}
		c, err := pipe.free(func(c *chunk) error { return r.collect(c, outs) })
		if err != nil {
			return err
		}
		for len(c.ends) < 2*chunkRows && len(c.raw) < chunkBytes && ok {
			c.raw = append(c.raw, it.Key()...)
			c.ends = append(c.ends, len(c.raw))
			c.raw = append(c.raw, it.Value()...)
			c.ends = append(c.ends, len(c.raw))
			ok = it.Next()
		}
		pipe.send(c)
	}
	if err := it.Err(); err != nil {
		return err
	}
	return pipe.drain(func(c *chunk) error { return r.collect(c, outs) })
}

// collect takes over what was made of a chunk.
func (r *rework) collect(c *chunk, outs []*output) error {
	for i, o := range outs {
		if err := eachEntry(c.made[i].buf, c.made[i].ends, o.add); err != nil {
			return err
		}
	}
	if c.err != nil {
		return c.err
	}
	r.done += int64(len(c.ends) / 2)
	if r.a.Progress != nil {
		r.a.Progress(r.done)
	}
	return nil
}

// pipeline is the workers of a rework, and the chunks that are with them, oldest first.
type pipeline struct {
	jobs    chan *chunk
	workers sync.WaitGroup
	pending []*chunk
	spare   []*chunk
	outputs int
	limit   int // of pending chunks
}

// start begins n workers.
func (r *rework) start(n, outputs int) *pipeline {
	p := &pipeline{jobs: make(chan *chunk, 2*n), outputs: outputs, limit: 2 * n}
	for range n {
		p.workers.Add(1)
		go func() {
			defer p.workers.Done()
			w := r.newWorker()
			for c := range p.jobs {
				c.err = w.guarded(c)
				c.done <- struct{}{}
			}
		}()
	}
	return p
}

// free gives an empty chunk, after the oldest one was collected when enough are under way.
func (p *pipeline) free(collect func(*chunk) error) (*chunk, error) {
	if len(p.pending) == p.limit {
		if err := p.oldest(collect); err != nil {
			return nil, err
		}
	}
	if n := len(p.spare); n > 0 {
		c := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return c, nil
	}
	return &chunk{made: make([]entryList, p.outputs), done: make(chan struct{}, 1)}, nil
}

// oldest waits for the oldest chunk and collects it.
func (p *pipeline) oldest(collect func(*chunk) error) error {
	c := p.pending[0]
	p.pending = append(p.pending[:0], p.pending[1:]...)
	<-c.done
	if err := collect(c); err != nil {
		return err
	}
	c.raw, c.ends = c.raw[:0], c.ends[:0]
	for i := range c.made {
		c.made[i].buf, c.made[i].ends = c.made[i].buf[:0], c.made[i].ends[:0]
	}
	p.spare = append(p.spare, c)
	return nil
}

func (p *pipeline) send(c *chunk) {
	p.pending = append(p.pending, c)
	p.jobs <- c
}

// drain collects everything that is under way.
func (p *pipeline) drain(collect func(*chunk) error) error {
	for len(p.pending) > 0 {
		if err := p.oldest(collect); err != nil {
			return err
		}
	}
	return nil
}

// stop ends the workers, also when chunks are still under way.
func (p *pipeline) stop() {
	close(p.jobs)
	p.workers.Wait()
}

// worker makes the new form of rows. Each has buffers of its own.
type worker struct {
	*rework
	src, dst types.Row
	arena    types.Arena
	pk       []byte
	row      []byte
	entry    entry
}

func (r *rework) newWorker() *worker {
	w := &worker{rework: r, dst: make(types.Row, r.after.rows.width)}
	w.src = w.dst
	if r.a.Convert != nil {
		w.src = make(types.Row, r.before.rows.width)
	}
	return w
}

// guarded is work with a panic of what converts turned into an error, since nothing else could catch it on this goroutine.
func (w *worker) guarded(c *chunk) (err error) {
	defer func() {
		if r := recover(); r != nil {
			w.conn.db.Logger().Error("converting a row panicked", "table", w.before.table.Name, "panic", r, "stack", string(debug.Stack()))
			err = types.Errorf(types.INTERNAL, "table %s: converting a row failed: %v", w.before.table.Name, r)
		}
	}()
	return w.work(c)
}

// work makes the entries of a chunk. At the first row that fails it stops.
func (w *worker) work(c *chunk) error {
	made := c.made
	if w.rows != nil {
		made = made[1:]
	}
	return eachEntry(c.raw, c.ends, func(key, value []byte) error {
		pk := key[len(w.before.primary.prefix):]
		if err := w.convert(value); err != nil {
			return err
		}
		if w.rows != nil {
			var err error
			if pk, err = w.newRow(&c.made[0], pk, value); err != nil {
				return err
			}
		}
		for i, o := range w.entries {
			if err := o.s.compute(&w.entry, w.dst, pk, w.a.AfterSpec); err != nil {
				return err
			}
			if w.entry.present {
				made[i].add(w.entry.key, w.entry.value)
			}
		}
		return nil
	})
}

// convert sets dst to the row as it will be.
func (w *worker) convert(stored []byte) error {
	w.arena.Reset()
	if err := w.decoder.decode(w.src, stored, &w.arena); err != nil {
		return err
	}
	if w.a.Convert != nil {
		return w.a.Convert(w.dst, w.src)
	}
	return nil
}

// newRow makes the new stored row, and gives the bytes of its key.
func (w *worker) newRow(to *entryList, pk, stored []byte) ([]byte, error) {
	prefix := w.rows.s.prefix
	w.pk = append(w.pk[:0], prefix...)
	if w.rekey {
		var err error
		if w.pk, err = w.after.primary.appendPrimaryKey(w.pk, w.dst); err != nil {
			return nil, err
		}
	} else {
		w.pk = append(w.pk, pk...)
	}
	if w.encode {
		w.row = w.after.rows.appendRow(w.row[:0], w.dst)
		stored = w.row
	}
	to.add(w.pk, stored)
	return w.pk[len(prefix):], nil
}
