package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// What compares two columns may have no meaning while one of them has its new collation and the other the old one. CHECKs, views and
// assertions are judged in the end; generated columns and the expressions of indexes are computed at every step, so they make way.

// collationResource ends with the collation that a column has before the plan.
func collationResource(table, name string) resource {
	return resource{collationOf, types.Fold(table), types.Fold(name)}
}

// comparesRecollated reports whether a live expression over the row of a table reads several columns of which one gets another collation.
func (p *tablePair) comparesRecollated(x ast.Expr) bool {
	names, reads, recollated := catalog.ColumnNamesIn(x), 0, false
	for i, col := range p.live.Columns {
		if names[types.Fold(col.Name)] {
			reads++
			recollated = recollated || p.isRecollated(i)
		}
	}
	return reads > 1 && recollated
}

func (p *tablePair) isRecollated(live int) bool {
	return slices.ContainsFunc(p.columns, func(q *columnPair) bool { return q.live == live && q.recollated })
}

// rebuildComparing rebuilds the generated columns of a table that compare recollated columns. One in the key cannot be.
func (p *tablePair) rebuildComparing() {
	for _, q := range p.columns {
		if q.live < 0 || q.rebuilt || q.degenerated || q.from.Generated == nil || p.after.InKey(q.live) {
			continue
		}
		if p.comparesRecollated(p.live.Columns[q.live].Generated) {
			*q = columnPair{def: q.def, decl: q.decl, live: q.live, from: q.from, oldName: q.oldName, rebuilt: true}
		}
	}
}

// indexCompares reports whether an expression of a live index compares recollated columns.
func (p *tablePair) indexCompares(ix *catalog.Index) bool {
	for e := range ix.Expressions() {
		if p.comparesRecollated(e.X) {
			return true
		}
	}
	return false
}

// collationLets gives the old collations that a live generated column is computed under.
func (p *tablePair) collationLets(x ast.Expr) []resource {
	var out []resource
	if x == nil || !p.comparesRecollated(x) {
		return nil
	}
	for name := range catalog.ColumnNamesIn(x) {
		if i := p.live.ColumnIndex(name); i >= 0 && p.isRecollated(i) {
			out = append(out, collationResource(p.name, p.after.Columns[i].Name))
		}
	}
	return out
}
