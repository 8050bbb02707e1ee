package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// Rows are the rows of one statement, in order. One goroutine uses them; they must be closed. A statement without rows has no columns.
type Rows struct {
	conn    *Conn // nil when nothing is held
	columns []plan.Column
	changes int64
	run     run         // what yields rows; zero when nothing does
	list    []types.Row // the rows, when nothing runs
	kept    *exec.Kept  // the rows, when nothing runs and memory does not hold them; nil otherwise
	gone    error       // why there are no more rows, when the connection was closed before them
}

// run is a statement under way, with the state that it holds.
type run struct {
	ctx  context.Context
	conn *Conn
	read *reading
	rows *exec.Rows
	stmt statement
	stop func() // ends the statement's clock; nil without one
}

func (r *run) next() (row types.Row, err error) {
	defer func() {
		if v := recover(); v != nil {
			closing := r.close()
			row, err = nil, errors.Join(r.conn.internal(r.stmt, v), closing)
		}
	}()
	row, err = r.rows.Next()
	return row, cancelled(r.ctx, err)
}

func (r *run) close() error {
	if r.stop != nil {
		defer r.stop()
	}
	return r.read.close(r.rows.Close())
}

// endsWith has a function called when the rows have ended, at once where nothing runs any more. r may be nil.
func (r *Rows) endsWith(stop func()) {
	if r == nil || r.run.rows == nil {
		stop()
		return
	}
	r.run.stop = stop
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

// Column is a column of a result.
type Column struct {
	Name string
	Type *types.Type // the static type; ANY where nothing is known
	// Nullable tells that values may be NULL; where it is false none is.
	Nullable bool
}

// ColumnTypes describes the columns.
func (r *Rows) ColumnTypes() []Column {
	list := make([]Column, len(r.columns))
	for i, c := range r.columns {
		list[i] = Column{c.Name, c.Type, c.Nullable}
	}
	return list
}

// Changes is the number of rows that the statement inserted, updated or deleted.
func (r *Rows) Changes() int64 { return r.changes }

// Next returns the next row, nil at the end and on an error. The row is the caller's to keep; it must not be written to.
func (r *Rows) Next() (types.Row, error) {
	if r.conn != nil {
		r.conn.use.Lock()
		defer r.conn.use.Unlock()
	}
	if r.run.rows != nil {
		return r.run.next()
	}
	if r.kept != nil {
		return r.kept.Next()
	}
	if len(r.list) == 0 {
		return nil, r.gone
	}
	row := r.list[0]
	r.list = r.list[1:]
	return row, nil
}

// drain runs the statement to its end, so that what fails in it does, and closes the rows.
func (r *Rows) drain() error {
	if r.run.rows == nil {
		return r.Close() // what was to happen has happened
	}
	for {
		row, err := r.Next()
		if err != nil {
			return errors.Join(err, r.Close())
		}
		if row == nil {
			return r.Close()
		}
	}
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
	r.list = nil
	if !r.holds() {
		return nil
	}
	ended, kept := r.run, r.kept
	r.run, r.kept, r.gone = run{}, nil, gone
	if r.conn != nil {
		r.conn.rows = slices.DeleteFunc(r.conn.rows, func(o *Rows) bool { return o == r })
	}
	if kept != nil {
		return kept.Close()
	}
	return ended.close()
}

// holds reports whether the rows hold something that is given back when they end.
func (r *Rows) holds() bool { return r.run.rows != nil || r.kept != nil }

// noRows is the answer of a statement that yields nothing.
func noRows() *Rows { return &Rows{} }

// fixedRows are rows that are there already.
func fixedRows(columns []plan.Column, rows []types.Row) *Rows {
	return &Rows{columns: columns, list: rows}
}
