package catalog

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/tidwall/btree"

	"github.com/quereus/quereus-migrate/types"
)

// Statistics are what ANALYZE found out about a table (docs/reference/functions.md). They guide the planner and change no answer. They are
// of a moment: what they say in rows is read as a part of Rows, and applied to the number of rows there are.
type Statistics struct {
	Table ID
	At    time.Time
	// Rows is the number of rows that were counted.
	Rows int64
	// Columns are those of the table that were looked at, by id.
	Columns map[ColumnID]*ColumnStatistics
}

// ColumnStatistics are those of one column. Its type and collation are those that it had; under others they say nothing.
type ColumnStatistics struct {
	Type, Collation string
	// Nulls is the number of NULLs, Distinct that of the different other values, both estimates where rows were sampled.
	Nulls, Distinct int64
	// Common are values that occur far more often than the average, most common first, each with its number of rows.
	Common []CommonValue
	// Bounds cut the other values, NULL aside, into parts of as many rows each: the first is the least value, the last the greatest. Long
	// texts are cut short.
	Bounds []types.Value
}

// CommonValue is a value with the number of rows that hold it.
type CommonValue struct {
	Value types.Value
	Rows  int64
}

// Statistics gives what is known of a table, nil when it was never analyzed.
func (s *Snapshot) Statistics(table ID) *Statistics {
	known, _ := s.statistics.Get(table)
	return known
}

// PutStatistics keeps what was found out about a table.
func (e *Edit) PutStatistics(s *Statistics) { e.next.statistics.Set(s.Table, s) }

// DropStatistics forgets what is known of a table.
func (e *Edit) DropStatistics(table ID) { e.next.statistics.Delete(table) }

// StatisticsChanges lists the tables whose statistics differ between two states, in order of id; After is nil where they are gone.
func StatisticsChanges(before, after *Snapshot) (out []StatisticsChange) {
	eachStatistics(after, func(s *Statistics) {
		if before.Statistics(s.Table) != s {
			out = append(out, StatisticsChange{s.Table, s})
		}
	})
	eachStatistics(before, func(s *Statistics) {
		if after.Statistics(s.Table) == nil {
			out = append(out, StatisticsChange{s.Table, nil})
		}
	})
	slices.SortFunc(out, func(a, b StatisticsChange) int { return int(a.Table) - int(b.Table) })
	return out
}

// StatisticsChange is one table's.
type StatisticsChange struct {
	Table ID
	After *Statistics
}

func eachStatistics(s *Snapshot, f func(*Statistics)) {
	s.statistics.Scan(func(_ ID, v *Statistics) bool {
		f(v)
		return true
	})
}

type statisticsMap = btree.Map[ID, *Statistics]

// StatisticsKey is the key of a table's statistics among the engine's facts; IsStatisticsKey tells it from others.
func StatisticsKey(table ID) []byte { return binary.BigEndian.AppendUint64([]byte{'s'}, uint64(table)) }

// IsStatisticsKey reports whether a fact's key is that of statistics.
func IsStatisticsKey(key []byte) bool { return len(key) == 9 && key[0] == 's' }

// statisticsVersion is the first byte of a record. Other versions mean nothing here, which costs nothing but a worse plan.
const statisticsVersion = 1

// EncodeStatistics gives the record of a table's statistics.
func EncodeStatistics(s *Statistics) []byte {
	b := binary.AppendUvarint([]byte{statisticsVersion}, uint64(s.Table))
	b = binary.AppendUvarint(b, uint64(s.At.UnixMilli()))
	b = binary.AppendUvarint(b, uint64(s.Rows))
	ids := make([]ColumnID, 0, len(s.Columns))
	for id := range s.Columns {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	b = binary.AppendUvarint(b, uint64(len(ids)))
	for _, id := range ids {
		b = s.Columns[id].append(binary.AppendUvarint(b, uint64(id)))
	}
	return b
}

func (c *ColumnStatistics) append(b []byte) []byte {
	b = appendText(appendText(b, c.Type), c.Collation)
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(c.Nulls)), uint64(c.Distinct))
	b = binary.AppendUvarint(b, uint64(len(c.Common)))
	for _, v := range c.Common {
		b = binary.AppendUvarint(AppendValue(b, v.Value), uint64(v.Rows))
	}
	b = binary.AppendUvarint(b, uint64(len(c.Bounds)))
	for _, v := range c.Bounds {
		b = AppendValue(b, v)
	}
	return b
}

// DecodeStatistics reads a record; nil for one that means nothing here.
func DecodeStatistics(rec []byte) *Statistics {
	if len(rec) == 0 || rec[0] != statisticsVersion {
		return nil
	}
	r := headerReader{rest: rec[1:]}
	s := &Statistics{Table: ID(r.number()), At: time.UnixMilli(int64(r.number())).UTC(), Rows: int64(r.number())}
	s.Columns = map[ColumnID]*ColumnStatistics{}
	for range r.count() {
		id := ColumnID(r.number())
		s.Columns[id] = r.columnStatistics()
	}
	if r.bad {
		return nil
	}
	return s
}

func (r *headerReader) columnStatistics() *ColumnStatistics {
	c := &ColumnStatistics{Type: r.text(), Collation: r.text(), Nulls: int64(r.number()), Distinct: int64(r.number())}
	for range r.count() {
		c.Common = append(c.Common, CommonValue{Value: r.value(), Rows: int64(r.number())})
	}
	for range r.count() {
		c.Bounds = append(c.Bounds, r.value())
	}
	return c
}

// ColumnFacts are a column's statistics as the planner asks them: every answer is a part of the table's rows, between 0 and 1.
type ColumnFacts struct {
	*ColumnStatistics
	rows    float64
	compare types.Comparator
}

// Facts gives what is known of a column of the table; nil when it is nothing, or of another type or collation than the column has.
func (s *Statistics) Facts(c *Column) *ColumnFacts {
	if s == nil || s.Rows == 0 {
		return nil
	}
	known := s.Columns[c.ID]
	if known == nil || known.Type != c.Type.Name || known.Collation != c.Collation.Name {
		return nil
	}
	return &ColumnFacts{known, float64(s.Rows), types.NewComparator(c.Type, c.Collation)}
}

// Null is the part whose value is NULL.
func (f *ColumnFacts) Null() float64 { return float64(f.Nulls) / f.rows }

// AnyEqual is the part that equals some value which occurs, on average.
func (f *ColumnFacts) AnyEqual() float64 {
	return (1 - f.Null()) / math.Max(1, float64(f.Distinct))
}

// Equal is the part that equals a value.
func (f *ColumnFacts) Equal(v types.Value) float64 {
	common := 0.0
	for _, c := range f.Common {
		if f.compare(c.Value, v) == 0 {
			return float64(c.Rows) / f.rows
		}
		common += float64(c.Rows)
	}
	rest := math.Max(0, 1-f.Null()-common/f.rows)
	if n := len(f.Bounds); n > 0 && (f.compare(v, f.Bounds[0]) < 0 || f.compare(v, f.Bounds[n-1]) > 0) {
		return 0.5 / f.rows // nothing of the kind was there
	}
	return rest / math.Max(1, float64(f.Distinct)-float64(len(f.Common)))
}

// Below is the part that is less than a value.
func (f *ColumnFacts) Below(v types.Value) float64 {
	common, below := 0.0, 0.0
	for _, c := range f.Common {
		common += float64(c.Rows)
		if f.compare(c.Value, v) < 0 {
			below += float64(c.Rows)
		}
	}
	rest := math.Max(0, 1-f.Null()-common/f.rows)
	return below/f.rows + rest*f.position(v)
}

// position is the part of the values in Bounds that lie below a value.
func (f *ColumnFacts) position(v types.Value) float64 {
	parts := len(f.Bounds) - 1
	if parts < 1 {
		return 0.5
	}
	at := sort.Search(len(f.Bounds), func(i int) bool { return f.compare(f.Bounds[i], v) >= 0 })
	switch at {
	case 0:
		return 0
	case len(f.Bounds):
		return 1
	}
	return (float64(at-1) + between(f.Bounds[at-1], f.Bounds[at], v)) / float64(parts)
}

// between is how far a value lies from one bound to the next: in the middle where they are no numbers.
func between(lo, hi, v types.Value) float64 {
	if !lo.IsNumber() || !hi.IsNumber() || !v.IsNumber() {
		return 0.5
	}
	from, to, x := types.NearestReal(lo), types.NearestReal(hi), types.NearestReal(v)
	if part := (x - from) / (to - from); part >= 0 && part <= 1 {
		return part
	}
	return 0.5
}

// Present is the part whose value is not NULL.
func (f *ColumnFacts) Present() float64 { return 1 - f.Null() }
