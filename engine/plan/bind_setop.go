package plan

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// setOp binds a set operation (docs/reference/language.md).
func (b *Binder) setOp(t *ast.SetOp, outer *Scope) Node {
	l, r := b.term(t.L, outer), b.term(t.R, outer)
	n := &SetOp{Op: t.Op, L: l, R: r}
	lc, rc := l.Output(), r.Output()
	if len(lc) != len(rc) {
		b.fail(t.Pos(), types.ERROR, "SET operation column count mismatch: left has %d, right has %d", len(lc), len(rc))
		return l
	}
	castL, castR := make([]*types.Type, len(lc)), make([]*types.Type, len(lc))
	for i := range lc {
		var c Column
		c, castL[i], castR[i] = b.mergeColumns(t, lc[i], rc[i])
		n.Cols = append(n.Cols, c)
	}
	n.L, n.R = b.castColumns(l, castL), b.castColumns(r, castR)
	b.branchFlags(t, n)
	return n
}

// mergeColumns gives the column that two legs make, and what each is cast to, nil for nothing. Operators that compare rows
// resolve one collation from both sides, and a conflict is a fault; UNION ALL passes on what they agree on.
func (b *Binder) mergeColumns(t *ast.SetOp, l, r Column) (c Column, castL, castR *types.Type) {
	c = Column{ID: b.newID(), Name: l.Name, Nullable: l.Nullable || r.Nullable}
	c.Type, castL, castR = types.MergeSetOp(l.Type, r.Type)
	c.Nullable = c.Nullable || castL != nil || castR != nil
	if t.Op == ast.UnionAll {
		c.Collation = types.PropagateContributions(l.Collation, r.Collation)
		return c, castL, castR
	}
	merged, err := types.MergeContributions(l.Collation, r.Collation)
	if err != nil {
		b.failWith(t.Pos(), err)
	}
	c.Collation = merged
	return c, castL, castR
}

// castColumns puts casts above a leg; the leg itself when there are none.
func (b *Binder) castColumns(n Node, casts []*types.Type) Node {
	cols := n.Output()
	exprs := make([]Expr, len(cols))
	converts := false
	for i, c := range cols {
		exprs[i] = b.cast(b.ref(c, ast.NoPos), casts[i], ast.NoPos)
		converts = converts || casts[i] != nil
	}
	if !converts {
		return n
	}
	return b.project(n, columnNames(cols), exprs)
}

// branchFlags binds `exists left|right as name`.
func (b *Binder) branchFlags(t *ast.SetOp, n *SetOp) {
	for _, f := range t.Flags {
		if t.Op == ast.Diff {
			b.fail(f.Name.Pos(), types.ERROR, "'exists <branch> as' membership columns are not valid on DIFF")
			return
		}
		c := Column{ID: b.newID(), Name: f.Name.Text, Type: types.TypeBoolean}
		n.Flags = append(n.Flags, SetFlag{Column: c, Right: f.Right})
	}
}
