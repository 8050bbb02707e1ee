package engine

import (
	"context"
	"errors"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// measure answers the questions of a plan, reading each table that they are about once.
func (r *reading) measure(ctx context.Context, schema string, questions []differ.Question) (map[differ.Question]differ.ColumnFacts, error) {
	byTable := map[string][]*measurement{}
	var tables []string
	for _, q := range questions {
		if byTable[q.Table] == nil {
			tables = append(tables, q.Table)
		}
		byTable[q.Table] = append(byTable[q.Table], &measurement{question: q})
	}
	out := map[differ.Question]differ.ColumnFacts{}
	for _, name := range tables {
		if err := r.measureTable(ctx, r.cat().Table(schema, name), byTable[name]); err != nil {
			return nil, err
		}
		for _, m := range byTable[name] {
			out[m.question] = m.facts
		}
	}
	return out, nil
}

// measurement is a question on its way to its answer.
type measurement struct {
	question differ.Question
	facts    differ.ColumnFacts
	// column is the position, -1 for a question about the whole table.
	column  int
	from    *types.Type
	key     []int
	convert func(types.Value) (types.Value, error)
}

func (r *reading) measureTable(ctx context.Context, t *catalog.Table, all []*measurement) error {
	var columns vtab.ColumnSet
	for _, m := range all {
		m.column, m.key = t.ColumnIndex(m.question.Column), t.KeyColumns()
		if m.column < 0 {
			columns = vtab.AllColumns(len(t.Columns))
			continue
		}
		columns.Add(m.column)
		if m.question.To != nil {
			m.from = t.Columns[m.column].Type
			m.convert = types.WriteConverter(m.question.To, t.Columns[m.column].Name)
			for _, k := range m.key {
				columns.Add(k)
			}
		}
	}
	err := r.source.eachRow(ctx, t, columns, func(row types.Row) error {
		for _, m := range all {
			m.take(row)
		}
		if len(all) == 1 && all[0].column < 0 && all[0].facts.Values > 0 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// errEnough ends a reading that has nothing more to find out.
var errEnough = errors.New("enough")

func (m *measurement) take(row types.Row) {
	if m.column < 0 {
		for _, v := range row {
			if !v.IsNull() {
				m.facts.Values++
				return
			}
		}
		return
	}
	before := row[m.column]
	if before.IsNull() {
		return
	}
	m.facts.Values++
	if m.convert == nil {
		return
	}
	after, err := m.convert(before)
	switch f := &m.facts; {
	case err != nil:
		f.Refused++
	case differ.Loses(m.from, m.question.To, before, after):
		f.Lost++
		f.LostExamples = m.example(f.LostExamples, row, before, after)
	case differ.Changes(m.from, before, after):
		f.Changed++
		f.ChangedExamples = m.example(f.ChangedExamples, row, before, after)
	}
}

func (m *measurement) example(to []differ.Example, row types.Row, before, after types.Value) []differ.Example {
	if len(to) == differ.MaxExamples {
		return to
	}
	return append(to, differ.Example{Key: pick(row, m.key).Clone(), Before: before.Clone(), After: after.Clone()})
}
