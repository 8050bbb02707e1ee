package engine

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// stats counts the rows of a schema's tables, those whose module knows the number.
func (r *reading) stats(ctx context.Context, schema string) (differ.Stats, error) {
	s := differ.Stats{Rows: map[string]int64{}}
	for t := range r.cat().Tables(schema) {
		n, exact, err := r.count(ctx, t)
		if err != nil {
			return s, err
		}
		if exact {
			s.Rows[types.Fold(t.Name)] = n
		}
	}
	return s, nil
}

func (r *reading) count(ctx context.Context, t *catalog.Table) (n int64, exact bool, err error) {
	table, err := r.OpenTable(ctx, t, false)
	if err != nil {
		return 0, false, err
	}
	defer func() {
		if e := table.Close(); err == nil {
			err = e
		}
	}()
	p, ok := table.(vtab.StatisticsProvider)
	if !ok {
		return 0, false, nil
	}
	return p.RowCount(ctx)
}
