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
	notes    []parse.Note              // of the statement that is being read
	found    bool                      // a declaration
	isSQLite bool                      // forms of SQLite have been met
	hasNoted bool                      // that columns take no NULL
	seeds    []*fileSeed               // what INSERT statements make, in the order of their tables
}

// readSQL reads a file of pragmas, then DECLARE SCHEMA or CREATE statements; found tells whether there is any of the latter. The error
// joins all faults of the file in the order of their places.
func (c *collection) readSQL(src *ast.Source) (found bool, err error) {
	f := sqlFile{collection: c, origin: catalog.Origin{Source: src}}
	parts, bad := parse.Bounds{Ctx: c.reader.Ctx, Limits: c.reader.Limits}.File(src)
	var faults []error
	for _, e := range bad {
		faults = append(faults, parseFault(src, e))
	}
	for i, part := range parts {
		f.notes = part.Notes
		if n, ok := part.Stmt.(*ast.DropStmt); ok && len(bad) == 0 {
			faults = append(faults, f.drop(n, parts[i+1:]))
		} else {
			faults = append(faults, f.read(part.Stmt))
		}
	}
	if catalog.JoinFaults(faults...) == nil {
		faults = append(faults, f.addSeeds()...)
	}
	return f.found, catalog.JoinFaults(faults...)
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
	switch n := stmt.(type) {
	case *ast.PragmaStmt:
		return f.pragma(n)
	case *ast.DropStmt: // of something that holds a fault, perhaps
		return nil
	case *ast.InsertStmt:
		return f.insert(n)
	}
	f.found = true
	switch n := stmt.(type) {
	case *ast.DeclareSchemaStmt:
		return f.declare(n)
	case *ast.DeclareLensStmt:
		return f.origin.Fault(n, types.Errorf(types.UNSUPPORTED, "lens for '%s': lenses are not supported", n.For.Text))
	case *ast.CreateTableStmt:
		if isOfSQLite(n.Name.Name) {
			return nil
		}
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
	case *ast.DeleteStmt:
		if isOfSQLite(n.Table.Name.Name) {
			return nil
		}
	}
	return f.misplaced(stmt)
}

func (f *sqlFile) misplaced(stmt ast.Stmt) error {
	return at(f.origin, stmt, "'%s' does not belong in a schema file, which says what there is and not how to get there", f.firstWord(stmt))
}

// firstWord gives the word that a statement begins with.
func (f *sqlFile) firstWord(stmt ast.Stmt) string {
	words := strings.Fields(f.origin.Source.Text[stmt.Pos():stmt.End()])
	return words[0]
}

func (f *sqlFile) pragma(p *ast.PragmaStmt) error {
	if isConnectionPragma(p.Name.Text) {
		f.isSQLite = true
		return nil
	}
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
	f.tell(d)
	return d.Declare(n, f.origin, f.settings)
}

// create takes one object of a schema, main unless the statement says another.
func (f *sqlFile) create(schema ast.Name, item ast.DeclareItem) error {
	d, err := f.schema(schemaName(schema), part{f.origin, item, false})
	if err != nil {
		return err
	}
	f.tell(d)
	if table, ok := item.(*ast.CreateTableStmt); ok {
		f.noteNullability(d, table)
	}
	return d.Add(item, f.origin, f.settingsOf(d, item))
}

// schemaName gives the schema that an object is qualified with, main for none.
func schemaName(n ast.Name) string {
	if n.IsZero() {
		return catalog.MainSchema
	}
	return n.Text
}

// tell adds the notes on the statement to its schema.
func (f *sqlFile) tell(d *catalog.Declared) {
	for _, n := range f.notes {
		f.isSQLite = f.isSQLite || n.SQLite
		d.Notes = append(d.Notes, f.origin.Note(n, n.Message))
	}
}
