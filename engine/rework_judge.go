package engine

import (
	"hash/maphash"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// reworkJudge tells which rows refuse an alteration: in memory that does not grow with the table, it reads the rows three times. survey marks
// each key in a table of bits, and what is marked twice is suspect; count counts the suspects exactly; offends tells.
type reworkJudge struct {
	a       *vtab.Alteration
	rules   []*reworkRule
	columns []int // for each column after, its position before, -1 for a new one
	row     types.Row
	key     []byte
	refuses bool  // some row does not convert
	words   int64 // the size of a table of marks
}

// reworkRule is a uniqueness rule of the table as it will be.
type reworkRule struct {
	keys *types.KeyEncoder
	// columns are the members' positions, -1 for an expression; index is the position of a unique index, -1 for the key and a UNIQUE.
	columns []int
	index   int
	// nullsEqual: the rule is the key.
	nullsEqual bool

	seed maphash.Seed
	// once and twice are marked by hashes; counts has the exact keys of those marked twice, nil once there are too many.
	once, twice []uint64
	counts      map[string]int64
}

// mostSuspects is how many keys are counted for a rule.
const mostSuspects = 1 << 20

// newReworkJudge makes the judge of an alteration of a table with about so many rows.
func newReworkJudge(a *vtab.Alteration, rows int64) (*reworkJudge, error) {
	j := &reworkJudge{a: a, row: make(types.Row, len(a.After.Columns)), words: 64}
	for j.words < rows/4 && j.words < 1<<22 { // sixteen bits a row, not more than 32 MiB a table of marks
		j.words *= 2
	}
	for _, c := range a.After.Columns {
		j.columns = append(j.columns, slices.IndexFunc(a.Before.Columns, func(b *catalog.Column) bool { return b.ID == c.ID }))
	}
	t := a.After
	key := &reworkRule{index: -1, nullsEqual: true, columns: t.KeyColumns()}
	if err := j.add(key, nil); err != nil {
		return nil, err
	}
	for _, u := range t.Uniques {
		if err := j.add(&reworkRule{index: -1, columns: u.Columns}, nil); err != nil {
			return nil, err
		}
	}
	for i, ix := range t.Indexes {
		if !ix.Unique {
			continue
		}
		r := &reworkRule{index: i}
		for _, m := range ix.Members {
			r.columns = append(r.columns, m.Column)
		}
		if err := j.add(r, ix.Members); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// add completes a rule; members are those of an index.
func (j *reworkJudge) add(r *reworkRule, members []catalog.IndexMember) error {
	parts := make([]types.KeyPart, len(r.columns))
	for i, column := range r.columns {
		var typ *types.Type
		var collation *types.Collation
		if column >= 0 {
			typ, collation = j.a.After.Columns[column].Type, j.a.After.Columns[column].Collation
		}
		if members != nil {
			collation = members[i].Collation
		}
		var err error
		if parts[i], err = types.NewKeyPart(typ, collation, false); err != nil {
			return err
		}
	}
	r.keys, r.seed = types.NewKeyEncoder(parts...), maphash.MakeSeed()
	r.once, r.twice, r.counts = make([]uint64, j.words), make([]uint64, j.words), map[string]int64{}
	j.rules = append(j.rules, r)
	return nil
}

// convert makes the row as it will be; ok is false when it cannot be.
func (j *reworkJudge) convert(row types.Row) (ok bool) {
	if j.a.Convert != nil {
		return j.a.Convert(j.row, row) == nil
	}
	for i, from := range j.columns {
		if from < 0 {
			j.row[i] = j.a.After.Columns[i].Fill
		} else {
			j.row[i] = row[from]
		}
	}
	return true
}

// keyOf sets j.key to the key under which a rule knows the converted row; ok is false when the rule does not count for it.
func (j *reworkJudge) keyOf(r *reworkRule) (ok bool, err error) {
	spec := j.a.AfterSpec
	if r.index >= 0 && spec != nil && spec.Predicates[r.index] != nil {
		if in, err := spec.Predicates[r.index](j.row); err != nil || !in {
			return false, err
		}
	}
	j.key = j.key[:0]
	values := make(types.Row, len(r.columns))
	for i, column := range r.columns {
		if column >= 0 {
			values[i] = j.row[column]
		} else if values[i], err = spec.Members[r.index][i](j.row); err != nil {
			return false, err
		}
		if values[i].IsNull() && !r.nullsEqual {
			return false, nil
		}
	}
	j.key, err = r.keys.Append(j.key, values...)
	return err == nil, err
}

func (j *reworkJudge) survey(row types.Row) error {
	if !j.convert(row) {
		j.refuses = true
		return nil
	}
	for _, r := range j.rules {
		ok, err := j.keyOf(r)
		if err != nil {
			return err
		}
		if ok {
			r.mark(j.key)
		}
	}
	return nil
}

func (r *reworkRule) bit(key []byte) (word int, mask uint64) {
	h := maphash.Bytes(r.seed, key)
	return int(h >> 6 % uint64(len(r.once))), 1 << (h % 64)
}

func (r *reworkRule) mark(key []byte) {
	word, mask := r.bit(key)
	if r.once[word]&mask != 0 {
		r.twice[word] |= mask
	}
	r.once[word] |= mask
}

func (j *reworkJudge) isSuspect() bool {
	if j.refuses {
		return true
	}
	return slices.ContainsFunc(j.rules, func(r *reworkRule) bool {
		return slices.ContainsFunc(r.twice, func(w uint64) bool { return w != 0 })
	})
}

func (j *reworkJudge) count(row types.Row) error {
	if !j.convert(row) {
		return nil
	}
	for _, r := range j.rules {
		ok, err := j.keyOf(r)
		if err != nil {
			return err
		}
		if word, mask := r.bit(j.key); !ok || r.twice[word]&mask == 0 {
			continue
		}
		if r.counts[string(j.key)]++; len(r.counts) > mostSuspects {
			return types.Errorf(types.FULL, "more than %d values collide", mostSuspects)
		}
	}
	return nil
}

func (j *reworkJudge) offends(row types.Row) (bool, error) {
	if !j.convert(row) {
		return true, nil
	}
	for _, r := range j.rules {
		ok, err := j.keyOf(r)
		if err != nil {
			return false, err
		}
		if ok && r.counts[string(j.key)] > 1 {
			return true, nil
		}
	}
	return false, nil
}
