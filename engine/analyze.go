package engine

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/axiomhq/hyperloglog"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// analyze collects the statistics of tables (docs/reference/functions.md) on the state that the session sees, keeps them with the catalog,
// and gives a row a table.
func (c *Conn) analyze(ctx context.Context, s *ast.AnalyzeStmt) (*Rows, error) {
	var rows []types.Row
	err := c.inTx(ctx, func(t *tx) error {
		tables, err := t.analyzed(s)
		if err != nil {
			return err
		}
		rows, err = t.analyze(ctx, tables, len(tables) == 1 && !s.Name.Name.IsZero())
		return err
	})
	if err != nil {
		return nil, err
	}
	return fixedRows([]plan.Column{{Name: "table", Type: types.TypeText}, {Name: "rows", Type: types.TypeInteger}}, rows), nil
}

// analyzed lists the tables that a statement names.
func (t *tx) analyzed(s *ast.AnalyzeStmt) ([]*catalog.Table, error) {
	switch {
	case !s.AllOf.IsZero():
		if !t.cat.HasSchema(s.AllOf.Text) {
			return nil, types.Errorf(types.ERROR, "Schema not found: %s", s.AllOf.Text)
		}
		return slices.Collect(t.cat.Tables(s.AllOf.Text)), nil
	case s.Name.Name.IsZero():
		return slices.Collect(t.cat.Tables(catalog.MainSchema)), nil
	}
	path := t.conn.effective().path
	if !s.Name.Schema.IsZero() {
		path = []string{types.Fold(s.Name.Schema.Text)}
	}
	switch r := t.cat.Resolve(path, s.Name.Name.Text).(type) {
	case *catalog.Table:
		return []*catalog.Table{r}, nil
	case *catalog.View:
		return nil, types.Errorf(types.ERROR, "Cannot ANALYZE view '%s.%s': a view has no stored rows to collect statistics from.", r.Schema, r.Name)
	}
	return nil, types.Errorf(types.NOTFOUND, "Table '%s' not found in schema path: %s", s.Name.Name.Text, strings.Join(path, ", "))
}

// analyze collects statistics and puts them into the transaction's catalog. A table whose module fails is left out, unless it alone was
// named.
func (t *tx) analyze(ctx context.Context, tables []*catalog.Table, named bool) ([]types.Row, error) {
	var rows []types.Row
	edit := t.cat.Edit()
	for _, table := range tables {
		found, err := t.collect(ctx, table)
		switch {
		case err != nil && (named || ctx.Err() != nil):
			return nil, err
		case err != nil:
			t.db.opts.Logger.Warn("a table could not be analyzed", "table", table.Name, "error", err)
			continue
		}
		edit.PutStatistics(found)
		rows = append(rows, types.Row{types.Text(table.Name), types.Int(found.Rows)})
	}
	t.cat = edit.Done()
	return rows, t.lock(ctx)
}

const (
	// analyzedRows is about how many rows are read: of a bigger table stretches that lie evenly over its key.
	analyzedRows = 1_000_000
	// sampledRows is how many of them are kept to find common values and bounds.
	sampledRows = 10_000
)

// collect reads a table, or a sample of it.
func (t *tx) collect(ctx context.Context, table *catalog.Table) (out *catalog.Statistics, err error) {
	read := t.reading()
	defer func() {
		if e := read.close(nil); err == nil {
			err = e
		}
	}()
	opened, err := read.OpenTable(ctx, table, false)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := opened.Close(); err == nil {
			err = e
		}
	}()
	total := int64(-1)
	if p, ok := opened.(vtab.StatisticsProvider); ok {
		if n, exact, err := p.RowCount(ctx); err == nil && exact {
			total = n
		}
	}
	s := newSampler(table)
	if err := s.read(ctx, opened, total); err != nil {
		return nil, err
	}
	if total < s.seen {
		total = s.seen
	}
	return s.statistics(table, total, t.conn.runtime(&read.source, t.cat, Params{}).Call.Now), nil
}

// read shows rows to the sampler. Behind the first rows of a table that is too big, one part in so many is read.
func (s *sampler) read(ctx context.Context, t vtab.Table, total int64) error {
	f := &vtab.Filter{Columns: vtab.AllColumns(len(s.columns))}
	c, err := t.Scan(ctx, f)
	if err != nil {
		return err
	}
	var parts []vtab.Part
	batch := vtab.NewBatch(vtab.BatchRows, len(s.columns))
	if splitter, ok := c.(vtab.Splitter); ok && total > analyzedRows {
		n, err := c.Next(ctx, batch)
		if err == nil {
			s.take(batch.Rows[:n])
			parts, err = splitter.Split()
		}
		if err != nil {
			c.Close()
			return err
		}
	}
	if err := s.drain(ctx, c, batch); err != nil {
		return err
	}
	step := max(1, int(total/analyzedRows))
	for i := 0; i < len(parts); i += step {
		c, err := t.(vtab.PartScanner).ScanPart(ctx, f, parts[i])
		if err != nil {
			return err
		}
		if err := s.drain(ctx, c, batch); err != nil {
			return err
		}
	}
	return nil
}

// drain takes all rows of a cursor and closes it.
func (s *sampler) drain(ctx context.Context, c vtab.Cursor, batch *vtab.Batch) (err error) {
	defer func() {
		if e := c.Close(); err == nil {
			err = e
		}
	}()
	for {
		n, err := c.Next(ctx, batch)
		if err != nil || n == 0 {
			return err
		}
		s.take(batch.Rows[:n])
	}
}

// sampler looks at rows: all of them count, some of them are kept.
type sampler struct {
	columns []columnSampler
	seen    int64
	random  uint64
}

type columnSampler struct {
	key     types.KeyPart
	keyed   bool // its values have keys to be told apart by
	nulls   int64
	sketch  *hyperloglog.Sketch
	buf     []byte
	sample  []types.Value // of each row that was kept
	compare types.Comparator
}

func newSampler(t *catalog.Table) *sampler {
	s := &sampler{columns: make([]columnSampler, len(t.Columns)), random: uint64(t.ID)}
	for i, c := range t.Columns {
		key, err := types.NewKeyPart(c.Type, c.Collation, false)
		s.columns[i] = columnSampler{
			key: key, keyed: err == nil, sketch: hyperloglog.New14(), compare: types.NewComparator(c.Type, c.Collation),
		}
	}
	return s
}

// take looks at rows, which are valid during the call. The sample is uniform: each row takes the place of a random one with the right chance.
func (s *sampler) take(rows []types.Row) {
	for _, row := range rows {
		at := int(s.seen)
		if s.seen++; at >= sampledRows {
			at = int(s.next() % uint64(s.seen))
		}
		for i := range s.columns {
			s.columns[i].take(row[i], at)
		}
	}
}

// next gives random bits, the same in every run (xorshift*).
func (s *sampler) next() uint64 {
	s.random ^= s.random >> 12
	s.random ^= s.random << 25
	s.random ^= s.random >> 27
	return s.random * 0x2545F4914F6CDD1D
}

func (c *columnSampler) take(v types.Value, at int) {
	if v.IsNull() {
		c.nulls++
	} else if c.keyed {
		if key, err := c.key.Append(c.buf[:0], v); err == nil {
			c.buf = key
			c.sketch.Insert(key)
		}
	}
	switch {
	case at < len(c.sample):
		c.sample[at] = shortened(v)
	case at < sampledRows:
		c.sample = append(c.sample, shortened(v))
	}
}

// shortBytes is how much of a long text or blob is kept, which is enough to place others before and after it.
const shortBytes = 64

// shortened gives a copy of a value, cut short where it is long.
func shortened(v types.Value) types.Value {
	switch v.Kind() {
	case types.KindText:
		s := v.Str()
		if len(s) > shortBytes {
			s = s[:shortBytes]
			for !utf8.ValidString(s) {
				s = s[:len(s)-1]
			}
		}
		return types.Text(strings.Clone(s))
	case types.KindBlob:
		return types.Blob(slices.Clone(v.Bytes()[:min(shortBytes, len(v.Bytes()))]))
	case types.KindJSON:
		return types.Null
	}
	return v.Clone()
}

// statistics sums up what was seen, for a table of total rows.
func (s *sampler) statistics(t *catalog.Table, total int64, now time.Time) *catalog.Statistics {
	out := &catalog.Statistics{Table: t.ID, At: now, Rows: total, Columns: map[catalog.ColumnID]*catalog.ColumnStatistics{}}
	scale := 1.0
	if s.seen > 0 {
		scale = float64(total) / float64(s.seen)
	}
	for i, c := range t.Columns {
		if s.columns[i].keyed {
			out.Columns[c.ID] = s.columns[i].statistics(c, s.seen, scale)
		}
	}
	return out
}

// statistics sums up a column of which rows were seen, each of which stands for scale rows of the table.
func (c *columnSampler) statistics(of *catalog.Column, seen int64, scale float64) *catalog.ColumnStatistics {
	out := &catalog.ColumnStatistics{Type: of.Type.Name, Collation: of.Collation.Name, Nulls: int64(float64(c.nulls) * scale)}
	present := seen - c.nulls
	out.Distinct = min(int64(c.sketch.Estimate()), present)
	if float64(out.Distinct) > 0.9*float64(present) { // about every value is another one, and so are those that were not seen
		out.Distinct = int64(float64(out.Distinct) * scale)
	}
	sample := slices.DeleteFunc(slices.Clone(c.sample), types.Value.IsNull)
	slices.SortFunc(sample, c.compare)
	each := scale * float64(present) / max(1, float64(len(sample))) // rows that one of the sample stands for
	out.Common, sample = common(sample, c.compare, each)
	out.Bounds = bounds(sample)
	return out
}

const (
	commonValues = 32
	boundParts   = 64
)

// common takes the values out of a sorted sample that occur much more often than the average, and gives what is left.
func common(sample []types.Value, compare types.Comparator, each float64) (most []catalog.CommonValue, rest []types.Value) {
	type run struct{ from, to int }
	var runs []run
	for from := 0; from < len(sample); {
		to := from + 1
		for to < len(sample) && compare(sample[from], sample[to]) == 0 {
			to++
		}
		runs = append(runs, run{from, to})
		from = to
	}
	frequent := slices.DeleteFunc(slices.Clone(runs), func(r run) bool {
		n := r.to - r.from
		return n < 2 || 4*n*len(runs) < 5*len(sample) || isShortened(sample[r.from])
	})
	slices.SortStableFunc(frequent, func(a, b run) int { return (b.to - b.from) - (a.to - a.from) })
	frequent = frequent[:min(len(frequent), commonValues)]
	isCommon := map[int]bool{}
	for _, r := range frequent {
		isCommon[r.from] = true
		most = append(most, catalog.CommonValue{Value: sample[r.from], Rows: int64(float64(r.to-r.from) * each)})
	}
	for _, r := range runs {
		if !isCommon[r.from] {
			rest = append(rest, sample[r.from:r.to]...)
		}
	}
	return most, rest
}

// isShortened reports whether a value may have been longer.
func isShortened(v types.Value) bool {
	switch v.Kind() {
	case types.KindText:
		return len(v.Str()) > shortBytes-utf8.UTFMax
	case types.KindBlob:
		return len(v.Bytes()) == shortBytes
	}
	return false
}

// bounds cuts a sorted sample into parts of one size.
func bounds(sample []types.Value) []types.Value {
	if len(sample) == 0 {
		return nil
	}
	parts := min(boundParts, len(sample))
	out := make([]types.Value, parts+1)
	for i := range out {
		out[i] = sample[i*(len(sample)-1)/parts]
	}
	return out
}
