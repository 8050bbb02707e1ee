package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

var rules = []Rule{
	{"column-without-type", Warning, "a column has no type, so that it takes values of every kind", columnsWithoutType},
	{"comparison-with-null", Error, "= NULL and <> NULL are never true", comparisonsWithNull},
	{"foreign-key-type", Warning, "the columns of a foreign key have other types than those they refer to", foreignKeyTypes},
	{"foreign-key-without-index", Warning, "no key or index begins with the columns of a foreign key", foreignKeysWithoutIndex},
	{"limit-without-order", Warning, "a query with LIMIT has no ORDER BY, so that any rows are in its answer", limitsWithoutOrder},
	{"mixed-case-name", Info, "a name has letters in upper case", mixedCaseNames},
	{"nullable-unique", Info, "UNIQUE over a nullable column lets any number of NULLs in", nullableUniques},
	{"real-key", Warning, "a key column is REAL, whose values are seldom equal", realKeys},
	{"redundant-index", Warning, "an index is the beginning of another one or of a key", redundantIndexes},
	{"reserved-name", Info, "a name is a word of the grammar and must be written in quotes", reservedNames},
	{"select-star", Warning, "a view takes all columns, so that it changes with its tables", selectStars},
	{"table-without-key", Warning, "a table declares no primary key, so that all columns together are its key", tablesWithoutKey},
	{"unnamed-constraint", Info, "a constraint has no name, so that no statement can change or drop it alone", unnamedConstraints},
}

func tablesWithoutKey(p *pass) {
	if s, t := p.stmtTable(); s != nil && t.Maintained == nil && !t.Key.Declared {
		p.report(s, fmt.Sprintf("table %s declares no primary key: all its columns together are the key", t.Name), "mark a column, or several in a constraint, as primary key")
	}
}

func columnsWithoutType(p *pass) {
	s, t := p.stmtTable()
	if s == nil || t.Maintained != nil {
		return
	}
	for _, c := range s.Columns {
		if c.Type == nil {
			p.report(c, fmt.Sprintf("column %s has no type", c.Name.Text), "write its type, or any if values of every kind are wanted")
		}
	}
}

func realKeys(p *pass) {
	s, t := p.stmtTable()
	if s == nil || !t.Key.Declared {
		return
	}
	for _, i := range t.KeyColumns() {
		if c := t.Columns[i]; c.Type.Name == "REAL" {
			if def := columnDef(s, c.Name); def != nil {
				p.report(def, fmt.Sprintf("key column %s is REAL: values that look equal may not be", c.Name), "use integer, numeric or text for a key")
			}
		}
	}
}

func nullableUniques(p *pass) {
	s, t := p.stmtTable()
	if s == nil {
		return
	}
	for _, u := range t.Uniques {
		for _, i := range u.Columns {
			if c := t.Columns[i]; !c.NotNull {
				if def := columnDef(s, c.Name); def != nil {
					p.report(def, fmt.Sprintf("column %s of a UNIQUE is nullable: rows with NULL are never equal", c.Name), "write not null, if one row without a value is one too many")
				}
			}
		}
	}
}

func unnamedConstraints(p *pass) {
	s, t := p.stmtTable()
	if s == nil || t.Maintained != nil {
		return
	}
	for _, c := range s.Constraints {
		if c.Name.IsZero() && c.Kind != ast.PrimaryKeyClause {
			p.report(c, fmt.Sprintf("a constraint of %s has no name", t.Name), "write constraint NAME in front of it")
		}
	}
	for _, col := range s.Columns {
		for _, c := range col.Constraints {
			if c.Name.IsZero() && (c.Kind == ast.CheckClause || c.Kind == ast.ReferencesClause) {
				p.report(c, fmt.Sprintf("a constraint of column %s has no name", col.Name.Text), "write constraint NAME in front of it")
			}
		}
	}
}

// foreignKeyNode gives what declares a foreign key: the constraint of the table, or the column.
func foreignKeyNode(s *ast.CreateTableStmt, t *catalog.Table, fk *catalog.ForeignKey) ast.Node {
	names := t.ColumnNames(fk.Columns)
	for _, c := range s.Constraints {
		if c.References != nil && slices.EqualFunc(c.Columns, names, func(n ast.Name, name string) bool { return types.EqualFold(n.Text, name) }) {
			return c
		}
	}
	if def := columnDef(s, names[0]); def != nil {
		return def
	}
	return s
}

// parent gives the table that a foreign key refers to and its columns there; ok is false where they are not known.
func (p *pass) parent(fk *catalog.ForeignKey) (parent *catalog.Table, columns []int, ok bool) {
	schema := fk.ParentSchema
	if schema == "" {
		schema = p.schema
	}
	if parent = p.cat.Table(schema, fk.ParentTable); parent == nil {
		return nil, nil, false
	}
	if fk.ParentColumns == nil {
		columns = parent.KeyColumns()
	}
	for _, name := range fk.ParentColumns {
		columns = append(columns, parent.ColumnIndex(name))
	}
	return parent, columns, len(columns) == len(fk.Columns) && !slices.Contains(columns, -1)
}

func foreignKeyTypes(p *pass) {
	s, t := p.stmtTable()
	if s == nil {
		return
	}
	for _, fk := range t.ForeignKeys {
		parent, columns, ok := p.parent(fk)
		if !ok {
			continue
		}
		for i, at := range columns {
			child, there := t.Columns[fk.Columns[i]], parent.Columns[at]
			if child.Type != there.Type {
				p.report(foreignKeyNode(s, t, fk), fmt.Sprintf("column %s is %s, and %s.%s that it refers to is %s", child.Name, child.Type, parent.Name, there.Name, there.Type),
					"declare both with the same type")
			}
		}
	}
}

func foreignKeysWithoutIndex(p *pass) {
	s, t := p.stmtTable()
	if s == nil {
		return
	}
	for _, fk := range t.ForeignKeys {
		if !isLed(t, fk.Columns) {
			columns := strings.Join(t.ColumnNames(fk.Columns), ", ")
			p.report(foreignKeyNode(s, t, fk), fmt.Sprintf("no key or index of %s begins with %s: each change of %s reads the whole table", t.Name, columns, fk.ParentTable),
				fmt.Sprintf("add index NAME on %s(%s)", t.Name, columns))
		}
	}
}

// isLed reports whether the key, a UNIQUE or a whole index begins with the columns in some order.
func isLed(t *catalog.Table, columns []int) bool {
	begins := func(with []int) bool {
		return len(with) >= len(columns) && !slices.ContainsFunc(with[:len(columns)], func(c int) bool { return !slices.Contains(columns, c) })
	}
	if begins(t.KeyColumns()) || slices.ContainsFunc(t.Uniques, func(u *catalog.Unique) bool { return begins(u.Columns) }) {
		return true
	}
	return slices.ContainsFunc(t.Indexes, func(ix *catalog.Index) bool { return ix.Where == nil && begins(plainColumns(ix)) })
}

// plainColumns gives the columns that an index begins with, up to the first expression.
func plainColumns(ix *catalog.Index) []int {
	var out []int
	for _, m := range ix.Members {
		if m.X != nil {
			break
		}
		out = append(out, m.Column)
	}
	return out
}

func redundantIndexes(p *pass) {
	s, ok := p.item.Stmt.(*ast.CreateIndexStmt)
	if !ok || p.table == nil {
		return
	}
	t := p.table
	at := slices.IndexFunc(t.Indexes, func(ix *catalog.Index) bool { return types.EqualFold(ix.Name, s.Name.Name.Text) })
	if at < 0 {
		return
	}
	ix := t.Indexes[at]
	if other := coveredBy(t, at); other != "" && !ix.Unique {
		p.report(s, fmt.Sprintf("index %s is the beginning of %s, which serves the same searches", ix.Name, other), "drop it")
	}
}

// coveredBy finds what begins with all of an index, "" if nothing does. Of two equal indexes the later one is covered.
func coveredBy(t *catalog.Table, at int) string {
	ix := t.Indexes[at]
	if ix.Where == nil && isKeyPrefix(t, ix) {
		return "the primary key"
	}
	for i, other := range t.Indexes {
		if i == at || len(other.Members) < len(ix.Members) || len(other.Members) == len(ix.Members) && i > at && !other.Unique {
			continue
		}
		if sameExpr(ix.Where, other.Where) && slices.EqualFunc(ix.Members, other.Members[:len(ix.Members)], sameMember) {
			return "index " + other.Name
		}
	}
	return ""
}

func isKeyPrefix(t *catalog.Table, ix *catalog.Index) bool {
	if !t.Key.Declared || len(ix.Members) > len(t.Key.Columns) {
		return false
	}
	for i, m := range ix.Members {
		k := t.Key.Columns[i]
		if m.X != nil || m.Column != k.Column || m.Desc != k.Desc || m.Collation != t.Columns[m.Column].Collation {
			return false
		}
	}
	return true
}

func sameMember(a, b catalog.IndexMember) bool {
	return a.Column == b.Column && sameExpr(a.X, b.X) && a.Collation == b.Collation && a.Desc == b.Desc
}

func sameExpr(a, b ast.Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return ast.SameText(a, b)
}

// query gives the query of a view, nil for other items.
func (p *pass) query() *ast.SelectStmt {
	switch s := p.item.Stmt.(type) {
	case *ast.CreateViewStmt:
		return s.Query
	case *ast.CreateMaterializedViewStmt:
		return s.Query
	}
	return nil
}

func selectStars(p *pass) {
	q := p.query()
	if q == nil {
		return
	}
	core, ok := q.Body.(*ast.SelectCore)
	if !ok {
		return
	}
	for i := range core.Items {
		if item := &core.Items[i]; item.Star {
			p.report(item, fmt.Sprintf("view %s takes all columns: it changes when a column is added to what it reads", p.name.Name.Text), "list the columns")
		}
	}
}

func limitsWithoutOrder(p *pass) {
	if q := p.query(); q != nil {
		ast.Walk(q, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectStmt); ok && s.Limit != nil && len(s.OrderBy) == 0 {
				p.report(s.Limit, "LIMIT without ORDER BY: which rows it lets through is not defined", "add order by")
			}
			return true
		})
	}
}

func comparisonsWithNull(p *pass) {
	ast.Walk(p.item.Stmt, func(n ast.Node) bool {
		b, ok := n.(*ast.Binary)
		if !ok || !isNull(b.L) && !isNull(b.R) {
			return true
		}
		switch b.Op {
		case ast.OpEq, ast.OpEq2:
			p.report(b, "a comparison with NULL is never true", "write is null")
		case ast.OpNe:
			p.report(b, "a comparison with NULL is never true", "write is not null")
		}
		return true
	})
}

func isNull(x ast.Expr) bool {
	l, ok := x.(*ast.Literal)
	return ok && l.Kind == ast.NullLit
}

// names calls f for the names that the item gives, each with the node that it stands in.
func (p *pass) names(f func(n ast.Node, name ast.Name)) {
	f(p.item.Stmt, p.name.Name)
	if s, ok := p.item.Stmt.(*ast.CreateTableStmt); ok {
		for _, c := range s.Columns {
			f(c, c.Name)
		}
	}
}

func mixedCaseNames(p *pass) {
	p.names(func(n ast.Node, name ast.Name) {
		if strings.IndexFunc(name.Text, unicode.IsUpper) >= 0 {
			p.report(n, fmt.Sprintf("name %s has letters in upper case", name.Text), "write names in lower case with _ between words")
		}
	})
}

func reservedNames(p *pass) {
	p.names(func(n ast.Node, name ast.Name) {
		if ast.IsReserved(name.Text) {
			p.report(n, fmt.Sprintf("name %s is a word of the grammar: it must be written in quotes", name.Text), "choose another name")
		}
	})
}
