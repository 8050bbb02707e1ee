package differ

import (
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// requireHints refuses, under rename_policy = 'require-hint', a plan in which one kind has both something new and something that goes:
// it might be a rename (docs/reference/declarative-schema.md). Drop and create of one matched object do not count.
func (c *comparison) requireHints() error {
	if c.opts.Policy != ast.RenameRequireHint {
		return nil
	}
	type tally struct {
		scope      string
		created    bool
		hasDropped bool
	}
	tallies := []tally{
		{"table", anyNew(c.tables, func(p *tablePair) bool { return p.live == nil }), len(c.lostTables) > 0},
		{"view", anyNew(c.views, func(p *viewPair) bool { return p.live == nil }), len(c.lostViews) > 0},
		{"index", anyNew(c.indexes, func(p *indexPair) bool { return p.live == nil }), len(c.lostIndexes) > 0},
	}
	for _, p := range c.tables {
		tallies = append(tallies,
			tally{"column (" + p.name + ")", anyNew(p.columns, func(q *columnPair) bool { return q.live < 0 }), len(p.lost) > 0},
			tally{"constraint (" + p.name + ")", anyNew(p.constraints, func(q *constraintPair) bool { return q.live == nil }), anyNew(p.lostConstraints, isAddressed)})
	}
	for _, t := range tallies {
		if t.created && t.hasDropped {
			return types.Errorf(types.ERROR, "rename_policy = 'require-hint': %s drops and creates both present", t.scope)
		}
	}
	return nil
}

// isAddressed reports whether a declaration can address a constraint by its name, and so give it a hint.
func isAddressed(k storedConstraint) bool { return !catalog.IsHiddenName(k.name) }

func anyNew[P any](pairs []P, isNew func(P) bool) bool {
	for _, p := range pairs {
		if isNew(p) {
			return true
		}
	}
	return false
}

// refuseMoves refuses to drop and create maintained tables in another backing module unless the caller allows it.
func (c *comparison) refuseMoves() error {
	var moved []string
	for _, p := range c.tables {
		if p.moved {
			moved = append(moved, "'"+p.name+"'")
		}
	}
	if moved == nil || c.opts.AllowDestructive {
		return nil
	}
	return types.Errorf(types.ERROR, "backing-module change on maintained table(s) %s: the table is dropped and filled anew; "+
		"allow it with options (allow_destructive = true)", strings.Join(moved, ", "))
}
