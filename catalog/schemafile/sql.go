package schemafile

import (
	"errors"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// sqlFile is an SQL file that is being read.
type sqlFile struct {
	*collection
	origin   catalog.Origin
	settings *catalog.DeclaredSettings // nil without pragmas
	found    bool                      // a declaration
}

// readSQL reads a file of pragmas, then DECLARE SCHEMA or CREATE statements; found tells whether there is any of the latter.
func (c *collection) readSQL(src *ast.Source) (found bool, err error) {
	stmts, err := parse.Stmts(src)
	if err != nil {
		return false, parseFault(src, err)
	}
	f := sqlFile{collection: c, origin: catalog.Origin{Source: src}}
	for _, stmt := range stmts {
		if err := f.read(stmt); err != nil {
			return false, err
		}
	}
	return f.found, nil
}

// parseFault makes a fault of src out of the parser's error, which has a place in it.
func parseFault(src *ast.Source, err error) error {
	var e *types.Error
	if !errors.As(err, &e) {
		e = types.Wrapf(types.ERROR, err, "parse")
	}
	return &catalog.SourceError{Source: src, Err: e}
}

func (f *sqlFile) read(stmt ast.Stmt) error {
	if p, ok := stmt.(*ast.PragmaStmt); ok {
		return f.pragma(p)
	}
	f.found = true
	switch n := stmt.(type) {
	case *ast.DeclareSchemaStmt:
		return f.declare(n)
	case *ast.DeclareLensStmt:
		return f.origin.Fault(n, types.Errorf(types.UNSUPPORTED, "lens for '%s': lenses are not supported", n.For.Text))
	case *ast.CreateTableStmt:
		item := *n
		item.IfNotExists, item.Name.Schema = false, ast.Name{}
		return f.create(n.Name.Schema, &item)
	case *ast.CreateIndexStmt: // it lies in the schema of its table
		item := *n
		item.IfNotExists, item.Name.Schema, item.Table.Schema = false, ast.Name{}, ast.Name{}
		return f.create(n.Table.Schema, &item)
	case *ast.CreateViewStmt:
		item := *n
		item.IfNotExists, item.Name.Schema = false, ast.Name{}
		return f.create(n.Name.Schema, &item)
	case *ast.CreateMaterializedViewStmt:
		item := *n
		item.IfNotExists, item.Name.Schema = false, ast.Name{}
		return f.create(n.Name.Schema, &item)
	case *ast.CreateAssertionStmt:
		item := *n
		item.Name.Schema = ast.Name{}
		return f.create(n.Name.Schema, &item)
	}
	return at(f.origin, stmt, "'%s' does not belong in a schema file, which says what there is and not how to get there", f.firstWord(stmt))
}

// firstWord gives the word that a statement begins with.
func (f *sqlFile) firstWord(stmt ast.Stmt) string {
	words := strings.Fields(f.origin.Source.Text[stmt.Pos():stmt.End()])
	return words[0]
}

func (f *sqlFile) pragma(p *ast.PragmaStmt) error {
	if f.found {
		return at(f.origin, p, "pragma %s stands behind a declaration; the settings of a file stand at its beginning", p.Name.Text)
	}
	if f.settings == nil {
		f.settings = &catalog.DeclaredSettings{}
	}
	return f.origin.Fault(p, f.settings.SetPragma(p))
}

// declare takes a whole schema.
func (f *sqlFile) declare(n *ast.DeclareSchemaStmt) error {
	d, err := f.schema(n.Name.Text, part{f.origin, n, true})
	if err != nil {
		return err
	}
	return d.Declare(n, f.origin, f.settings)
}

// create takes one object of a schema, main unless the statement says another.
func (f *sqlFile) create(schema ast.Name, item ast.DeclareItem) error {
	if schema.IsZero() {
		schema = ast.Ident(catalog.MainSchema)
	}
	d, err := f.schema(schema.Text, part{f.origin, item, false})
	if err != nil {
		return err
	}
	return d.Add(item, f.origin, f.settings)
}
