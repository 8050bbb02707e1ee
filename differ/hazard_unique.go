package differ

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// collisions finds steps after which rows must differ that may be equal: a new key, a new uniqueness rule, another collation under
// one.
func collisions(c *comparison, s *step) []Hazard {
	if !c.hasRows(s) {
		return nil
	}
	switch n := s.Stmt.(type) {
	case *ast.CreateIndexStmt:
		if n.Unique && s.pair != nil && !s.pair.holdsKey(memberColumns(n)) {
			return duplicates(UniqueCollides, s.pair.name, "unique index "+n.Name.Name.Text, memberColumns(n))
		}
	case *ast.AlterStmt:
		switch a := n.Action.(type) {
		case *ast.AlterPrimaryKey:
			columns := make([]string, len(a.Key))
			for i, k := range a.Key {
				columns[i] = k.Name.Text
			}
			if !s.pair.holdsKey(columns) {
				return duplicates(RekeyCollides, s.Object, "the new key", columns)
			}
		case *ast.AddConstraint:
			if columns := nameTexts(a.Constraint.Columns); a.Constraint.Kind == ast.UniqueClause && !s.pair.holdsKey(columns) {
				return duplicates(UniqueCollides, s.Object, "the UNIQUE constraint", columns)
			}
		case *ast.SetCollate:
			return c.mergedValues(s)
		}
	}
	return nil
}

func duplicates(code HazardCode, table, rule string, columns []string) []Hazard {
	return one(code, Warning, fmt.Sprintf("rows of %s that are equal in (%s) refuse %s", table, strings.Join(columns, ", "), rule),
		"look for duplicates first")
}

func memberColumns(n *ast.CreateIndexStmt) []string {
	columns := make([]string, len(n.Columns))
	for i := range n.Columns {
		columns[i] = ast.Format(n.Columns[i].X)
		if ref, ok := n.Columns[i].X.(*ast.ColumnRef); ok {
			columns[i] = ref.Column.Text
		}
	}
	return columns
}

// holdsKey reports whether the columns include the live key, so that rows which differ in it differ in them.
func (p *tablePair) holdsKey(columns []string) bool {
	if p.after == nil || len(p.after.Key.Columns) == 0 {
		return false
	}
	for _, k := range p.after.Key.Columns {
		name := p.after.Columns[k.Column].Name
		if !slices.ContainsFunc(columns, func(c string) bool { return types.EqualFold(c, name) }) {
			return false
		}
	}
	return true
}

// mergedValues warns of a collation that takes more texts for equal than the one before, under a rule that keeps them apart.
func (c *comparison) mergedValues(s *step) []Hazard {
	q := s.column
	if c.targetCollation(q) == types.Binary {
		return nil
	}
	var rules []string
	if s.pair.after.InKey(q.live) {
		rules = append(rules, "the key")
	}
	for _, r := range c.uniqueRulesOver(s.pair, q.live) {
		rules = append(rules, ruleName(s.pair.after, r))
	}
	if rules == nil {
		return nil
	}
	return one(CollationMerges, Warning, fmt.Sprintf("texts in %s.%s that differ may be equal under %s and break %s",
		s.Object, q.decl.Name, c.targetCollation(q).Name, strings.Join(rules, ", ")), "look for such texts first")
}

func ruleName(t *catalog.Table, r catalog.UniqueRule) string {
	if r.Index != nil {
		return "unique index " + r.Index.Name
	}
	return "UNIQUE (" + strings.Join(t.ColumnNames(r.Unique.Columns), ", ") + ")"
}
