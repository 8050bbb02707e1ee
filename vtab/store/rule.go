package store

import (
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// conflict is a stored row in the way of a new one.
type conflict struct {
	s   *structure
	key []byte // of the row, with the prefix of the primary key
}

// action gives what the conflict does: what the statement says, else the rule, else ABORT.
func (c *conflict) action(statement ast.ConflictAction) ast.ConflictAction {
	switch {
	case statement != ast.ConflictDefault:
		return statement
	case c.s.onConflict != ast.ConflictDefault:
		return c.s.onConflict
	}
	return ast.ConflictAbort
}

// violation describes a broken rule.
func (s *structure) violation(t *catalog.Table, action ast.ConflictAction, existing types.Row) *vtab.Violation {
	v := &vtab.Violation{Primary: s.kind == primaryKind, Message: s.failure(t), Action: action, Existing: existing}
	switch s.kind {
	case uniqueKind:
		v.Name = t.Uniques[s.ordinal].Name
	case indexKind:
		v.Name = t.Indexes[s.ordinal].Name
	}
	for _, m := range s.members {
		v.Columns = append(v.Columns, m.column)
	}
	return v
}

// failure gives the message of a broken rule.
func (s *structure) failure(t *catalog.Table) string {
	if s.kind == primaryKind {
		return "UNIQUE constraint failed: " + t.Name + " PK."
	}
	names := make([]string, len(s.members))
	for i, m := range s.members {
		if m.column >= 0 {
			names[i] = t.Columns[m.column].Name
		} else {
			names[i] = ast.Format(t.Indexes[s.ordinal].Members[i].X)
		}
	}
	return "UNIQUE constraint failed: " + t.Name + " (" + strings.Join(names, ", ") + ")"
}
