package store

import (
	"context"
	"log/slog"
	"sync"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Options are the options of a module. The zero value has sensible ones.
type Options struct {
	// ReadOnly is for a store that is open to read only: nothing is cleared in it.
	ReadOnly bool
	// Logger hears of ranges that could not be cleared; nil for none.
	Logger *slog.Logger
	// Overlay is the size in bytes of a table below which a rewrite goes through the transaction's overlay, and a dropped range is
	// deleted in the commit's own batch, in place of bulk files; 1 MiB when 0.
	Overlay int64
	// BulkCommit is the size in bytes from which on a commit goes as bulk files in place of one batch (kv.TxnOptions); 256 MiB when 0.
	BulkCommit int64
	// Truncate is the number of rows from which emptying a table takes new incarnations; 1,000 when 0. Below it, the catalog record that
	// must be written, and the statements that must be compiled anew, cost more than the rows.
	Truncate int64
}

const (
	defaultOverlay  = 1 << 20
	defaultTruncate = 1000
)

// Module keeps tables in one key-value store. It implements vtab.Module and every optional interface that the built-in modules
// have. It is safe for concurrent use; one Conn at a time writes.
type Module struct {
	name    string
	store   kv.Store
	options Options
	shapes  shapeCache

	// write is held by whoever writes to the store: a commit, an ingest, or the clearing of ranges. It is taken before mu.
	write sync.Mutex

	mu     sync.Mutex // guards what follows
	seq    uint64     // counts the commits that landed
	pins   pinSet
	next   catalog.Incarnation // the next unused incarnation
	writer *Conn               // the transaction that writes, nil for none
	// retired are the ranges that no catalog names any more and that are still to be cleared.
	retired []retired
	// counts are the rows of incarnations as of the last commit, those that were asked for.
	counts map[catalog.Incarnation]int64
}

var (
	_ vtab.Module             = (*Module)(nil)
	_ vtab.Creator            = (*Module)(nil)
	_ vtab.Alterer            = (*Module)(nil)
	_ vtab.Transactor         = (*Module)(nil)
	_ vtab.AccessPlanner      = (*Module)(nil)
	_ vtab.RecordStore        = (*Module)(nil)
	_ vtab.StatisticsProvider = (*table)(nil)
)

// New makes the module of that name over a store, which it takes over unless it fails. It clears what a transaction that did not
// end, or a commit that could not clear it yet, left behind: exactly what intents and retired records list.
func New(ctx context.Context, name string, s kv.Store, o Options) (*Module, error) {
	if o.Truncate == 0 {
		o.Truncate = defaultTruncate
	}
	if o.Overlay == 0 {
		o.Overlay = defaultOverlay
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	m := &Module{name: name, store: s, options: o, counts: map[catalog.Incarnation]int64{}}
	if err := m.recover(ctx); err != nil {
		return nil, types.Wrapf(types.IOERR, err, "module %s", name)
	}
	return m, nil
}

// Close closes the module and its store. Pins and transactions must have ended, else it is MISUSE and nothing is closed.
func (m *Module) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.writer != nil || m.pins.held() {
		return types.Errorf(types.MISUSE, "module %s cannot close: a transaction or a pin is open", m.name)
	}
	err := m.pins.dropCurrent()
	if e := m.store.Close(); err == nil {
		err = e
	}
	return err
}

// Durable implements vtab.RecordStore.
func (m *Module) Durable() bool { return m.store.Durable() }

// ReadRecords implements vtab.RecordStore.
func (m *Module) ReadRecords(ctx context.Context, p vtab.Pin, space vtab.RecordSpace, yield func(key, value []byte) error) error {
	own, err := m.pinOf(p)
	if err != nil {
		return err
	}
	prefix, err := recordPrefix(space)
	if err != nil {
		return err
	}
	it, err := own.reader().NewIter(kv.IterOptions{Span: kv.PrefixSpan([]byte{prefix})})
	if err != nil {
		return err
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		if err := kv.Interrupted(ctx); err != nil {
			return err
		}
		if err := yield(it.Key()[1:], it.Value()); err != nil {
			return err
		}
	}
	return it.Err()
}

// shapeOf gives the resolved form of a definition.
func (m *Module) shapeOf(t *catalog.Table) (*shape, error) { return m.shapes.get(t) }

// shapeCache keeps the shapes of definitions that are in use. Definitions are immutable, so their pointers are the keys.
type shapeCache struct {
	mu     sync.RWMutex
	shapes map[*catalog.Table]*shape
}

// maxShapes is how many definitions are kept before all are forgotten: a bound for a program that keeps changing its schema.
const maxShapes = 4096

func (c *shapeCache) get(t *catalog.Table) (*shape, error) {
	c.mu.RLock()
	s := c.shapes[t]
	c.mu.RUnlock()
	if s != nil {
		return s, nil
	}
	s, err := newShape(t)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.shapes) >= maxShapes || c.shapes == nil {
		c.shapes = map[*catalog.Table]*shape{}
	}
	c.shapes[t] = s
	return s, nil
}

// rowsOf gives the number of rows in an incarnation as of the last commit, or in the writing transaction for one of its own.
func (m *Module) rowsOf(inc catalog.Incarnation) (n int64, known bool) {
	m.mu.Lock()
	n, known = m.counts[inc]
	m.mu.Unlock()
	if known {
		return n, true
	}
	value, found, err := m.store.Get(incarnationKey(spaceCounts, inc), nil)
	if err != nil || !found {
		return 0, false
	}
	count, err := readUvarint(value)
	if err != nil {
		return 0, false
	}
	m.setCount(inc, int64(count))
	return int64(count), true
}

func (m *Module) setCount(inc catalog.Incarnation, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[inc] = n
}

// readCount gives the number of rows that a state has in an incarnation.
func readCount(r kv.Reader, inc catalog.Incarnation) (int64, error) {
	value, found, err := r.Get(incarnationKey(spaceCounts, inc), nil)
	if err != nil || !found {
		return 0, err
	}
	n, err := readUvarint(value)
	return int64(n), err
}
