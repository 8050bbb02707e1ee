package vtabtest

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// Variables is as little as a module can be whose tables are created, read and written: names with their values, as a process has its
// environment. It takes no part in transactions, plans no access and keeps no records. All its tables show the same variables.
type Variables struct {
	mu     sync.Mutex
	values map[string]string
}

var _ vtab.Creator = (*Variables)(nil)

// NewVariables makes a module with these variables.
func NewVariables(values map[string]string) *Variables { return &Variables{values: maps.Clone(values)} }

// Create takes a table of two texts, the first of which is the key.
func (m *Variables) Create(_ context.Context, _ vtab.Conn, t *catalog.Table) (*catalog.Table, error) {
	if len(t.Columns) != 2 || len(t.Key.Columns) != 1 || t.Key.Columns[0].Column != 0 || len(t.Uniques)+len(t.Indexes) > 0 {
		return nil, types.Errorf(types.ERROR, "a table of variables has two columns, the first of which is its key")
	}
	return t, nil
}

// Connect opens a table.
func (m *Variables) Connect(_ context.Context, r vtab.ConnectRequest) (vtab.Table, error) {
	return variableTable{m, r.Table}, nil
}

type variableTable struct {
	*Variables
	def *catalog.Table
}

func (t variableTable) Close() error { return nil }

func (t variableTable) Scan(context.Context, *vtab.Filter) (vtab.Cursor, error) {
	return &variableCursor{m: t.Variables}, nil
}

// variableCursor goes from name to name as they are then, so that it shows what is written under it.
type variableCursor struct {
	m    *Variables
	last string // no variable has an empty name
}

func (c *variableCursor) Next(_ context.Context, b *vtab.Batch) (n int, err error) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.m.values)) {
		if name > c.last && n < len(b.Rows) {
			b.Rows[n][0], b.Rows[n][1] = types.Text(name), types.Text(c.m.values[name])
			n, c.last = n+1, name
		}
	}
	return n, nil
}

func (c *variableCursor) Close() error { return nil }

func (t variableTable) Update(_ context.Context, op *vtab.RowOp) (r vtab.UpdateResult, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var old, name string
	if op.Kind != vtab.OpInsert {
		old = op.Old[0].Str()
		if _, ok := t.values[old]; !ok {
			return vtab.UpdateResult{Status: vtab.Nothing}, nil
		}
	}
	if op.Kind != vtab.OpDelete {
		if name = op.New[0].Str(); name == "" {
			return r, types.Errorf(types.CONSTRAINT, "a variable has a name")
		}
		if op.Kind == vtab.OpInsert || name != old {
			if r, stop := t.conflict(name, op.OnConflict); stop {
				return r, nil
			}
		}
	}
	if op.Kind != vtab.OpInsert {
		delete(t.values, old)
	}
	if op.Kind != vtab.OpDelete {
		t.values[name] = op.New[1].Str()
	}
	return r, nil
}

// conflict judges a new name: stop tells that nothing is to be written.
func (t variableTable) conflict(name string, action ast.ConflictAction) (r vtab.UpdateResult, stop bool) {
	value, ok := t.values[name]
	if !ok {
		return r, false
	}
	existing := types.Row{types.Text(name), types.Text(value)}
	switch action {
	case ast.ConflictReplace:
		r.Replaced = existing
		return r, false
	case ast.ConflictIgnore:
		r.Status = vtab.Nothing
		return r, true
	case ast.ConflictDefault:
		action = ast.ConflictAbort
	}
	r.Status = vtab.Conflict
	r.Failed = &vtab.Violation{
		Primary: true, Columns: []int{0}, Message: "UNIQUE constraint failed: " + t.def.Name + " (" + t.def.Columns[0].Name + ")",
		Action: action, Existing: existing,
	}
	return r, true
}
