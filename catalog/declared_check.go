package catalog

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Check makes the documented checks that come before any comparison (docs/reference/declarative-schema.md): the reserved tags of every
// item, then duplicate names. ERROR; where a file is known the error is a *SourceError at the second of two. Several of one kind are joined
// (errors.Join).
func (d *Declared) Check() error {
	var faults []error
	for _, item := range d.Items {
		faults = append(faults, item.Origin.Fault(item.Stmt, CheckItemTags(item.Stmt)))
	}
	if err := JoinFaults(faults...); err != nil {
		return err
	}
	return d.checkNames()
}

// nameSpace is a space in which names of items must differ.
type nameSpace uint8

const (
	relationSpace nameSpace = iota // tables, views and materialized views together
	indexSpace
	assertionSpace
)

func spaceOf(stmt ast.Stmt) nameSpace {
	switch stmt.(type) {
	case *ast.CreateIndexStmt:
		return indexSpace
	case *ast.CreateAssertionStmt:
		return assertionSpace
	}
	return relationSpace
}

// checkNames refuses two items of one name, space by space.
func (d *Declared) checkNames() error {
	var faults []error
	for _, space := range []nameSpace{relationSpace, indexSpace, assertionSpace} {
		seen := map[string]*DeclaredItem{}
		for i := range d.Items {
			item := &d.Items[i]
			if spaceOf(item.Stmt) != space {
				continue
			}
			f := types.Fold(itemName(item.Stmt).Text)
			if first := seen[f]; first != nil {
				faults = append(faults, item.Origin.FaultBeside(item.Stmt, d.duplicate(first, item), first.Origin, itemName(first.Stmt),
					"the first one stands here"))
				continue
			}
			seen[f] = item
		}
	}
	return JoinFaults(faults...)
}

// itemKind gives the words for the kind of an item: as a sentence begins with it, and with its article.
func itemKind(stmt ast.Stmt) (word, withArticle string) {
	switch stmt.(type) {
	case *ast.CreateIndexStmt:
		return "Index", "an index"
	case *ast.CreateViewStmt:
		return "View", "a view"
	case *ast.CreateMaterializedViewStmt:
		return "Materialized view", "a materialized view"
	case *ast.CreateAssertionStmt:
		return "Assertion", "an assertion"
	}
	return "Table", "a table"
}

func (d *Declared) duplicate(first, second *DeclaredItem) error {
	name, at := itemName(second.Stmt).Text, firstAt(first.Origin, first.Stmt)
	firstKind, firstArticle := itemKind(first.Stmt)
	kind, article := itemKind(second.Stmt)
	if kind != firstKind {
		return types.Errorf(types.ERROR, "'%s' is declared as both %s and %s in schema '%s'%s", name, firstArticle, article, d.Schema(), at)
	}
	if ix, ok := second.Stmt.(*ast.CreateIndexStmt); ok {
		other := first.Stmt.(*ast.CreateIndexStmt)
		return types.Errorf(types.ERROR, "Index '%s' is declared more than once in schema '%s' (on '%s' and '%s')%s",
			name, d.Schema(), other.Table.Name.Text, ix.Table.Name.Text, at)
	}
	return types.Errorf(types.ERROR, "%s '%s' is declared more than once in schema '%s'%s", kind, name, d.Schema(), at)
}
