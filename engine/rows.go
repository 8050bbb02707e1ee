package engine

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// Rows are the rows of one statement, in order. One goroutine uses them; they must be closed. A statement without rows has no columns.
type Rows struct {
	conn    *Conn // nil when nothing is held
	columns []plan.Column
	changes int64
	next    func() (types.Row, error) // nil when there are no rows
	close   func() error              // nil when nothing is held
	gone    error                     // why there are no more rows, when the connection was closed before them
}

// Columns lists the names of the columns.
func (r *Rows) Columns() []string {
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = c.Name
	}
	return names
}

// Types lists the static types of the columns.
func (r *Rows) Types() []*types.Type {
	list := make([]*types.Type, len(r.columns))
	for i, c := range r.columns {
		list[i] = c.Type
	}
	return list
}

// Changes is the number of rows that the statement inserted, updated or deleted.
func (r *Rows) Changes() int64 { return r.changes }

// Next gives the next row, nil at the end and on an error. The row is valid until the next call.
func (r *Rows) Next() (types.Row, error) {
	if r.conn != nil {
		r.conn.use.Lock()
		defer r.conn.use.Unlock()
	}
	if r.next == nil {
		return nil, r.gone
	}
	return r.next()
}

// Close ends the statement. A second call does nothing.
func (r *Rows) Close() error {
	if r.conn != nil {
		r.conn.use.Lock()
		defer r.conn.use.Unlock()
	}
	return r.end(nil)
}

// end gives back what the statement holds. gone is what Next tells from then on.
func (r *Rows) end(gone error) error {
	f := r.close
	if f == nil {
		r.next = nil
		return nil
	}
	r.next, r.close, r.gone = nil, nil, gone
	if r.conn != nil {
		r.conn.rows = slices.DeleteFunc(r.conn.rows, func(o *Rows) bool { return o == r })
	}
	return f()
}

// noRows is the answer of a statement that yields nothing.
func noRows() *Rows { return &Rows{} }

// fixedRows are rows that are there already.
func fixedRows(columns []plan.Column, rows []types.Row) *Rows {
	return &Rows{columns: columns, next: func() (types.Row, error) {
		if len(rows) == 0 {
			return nil, nil
		}
		row := rows[0]
		rows = rows[1:]
		return row, nil
	}}
}
