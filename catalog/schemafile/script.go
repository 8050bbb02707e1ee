package schemafile

import (
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// What a script or a dump of SQLite holds beside its definitions: pragmas of a connection and of SQLite's own tables say nothing of a
// schema, DROP clears the way for what the file creates, and INSERT gives the rows that a table begins with.

// connectionPragmas are settings of SQLite's connections and files, which shape no schema.
var connectionPragmas = []string{
	"application_id", "auto_vacuum", "automatic_index", "busy_timeout", "cache_size", "checkpoint_fullfsync", "defer_foreign_keys",
	"encoding", "foreign_key_check", "foreign_keys", "fullfsync", "ignore_check_constraints", "incremental_vacuum", "integrity_check",
	"journal_mode", "journal_size_limit", "legacy_alter_table", "legacy_file_format", "locking_mode", "mmap_size", "optimize", "page_size",
	"quick_check", "recursive_triggers", "schema_version", "secure_delete", "synchronous", "temp_store", "threads", "trusted_schema",
	"user_version", "wal_autocheckpoint", "wal_checkpoint", "writable_schema",
}

func isConnectionPragma(name string) bool {
	return slices.Contains(connectionPragmas, types.Fold(name))
}

// isOfSQLite reports whether a table is one that SQLite keeps for itself.
func isOfSQLite(table ast.Name) bool { return strings.HasPrefix(types.Fold(table.Text), "sqlite_") }

// drop judges a DROP: it clears the way for what the file creates behind it. One of what was declared before it is a fault, and so is one
// of what the file does not create, which goes by not being declared.
func (f *sqlFile) drop(n *ast.DropStmt, rest []parse.Part) error {
	isIt := func(stmt ast.Stmt) bool { return types.EqualFold(createdName(stmt), n.Name.Name.Text) }
	for _, d := range f.schemas {
		if types.EqualFold(d.Name, schemaName(n.Name.Schema)) && slices.ContainsFunc(d.Items, func(i catalog.DeclaredItem) bool { return isIt(i.Stmt) }) {
			return at(f.origin, n, "%s '%s' is declared and then dropped; a schema file says what there is: leave out one of the two",
				n.Kind, n.Name.Name.Text)
		}
	}
	if slices.ContainsFunc(rest, func(p parse.Part) bool { return isIt(p.Stmt) }) {
		return nil
	}
	return f.misplaced(n)
}

// createdName gives the name of what a statement creates, "" for none.
func createdName(stmt ast.Stmt) string {
	switch n := stmt.(type) {
	case *ast.CreateTableStmt:
		return n.Name.Name.Text
	case *ast.CreateIndexStmt:
		return n.Name.Name.Text
	case *ast.CreateViewStmt:
		return n.Name.Name.Text
	case *ast.CreateMaterializedViewStmt:
		return n.Name.Name.Text
	case *ast.CreateAssertionStmt:
		return n.Name.Name.Text
	}
	return ""
}

// noteNullability tells, once a file, that its columns take no NULL where nothing is written, which its writer may not expect.
func (f *sqlFile) noteNullability(d *catalog.Declared, table *ast.CreateTableStmt) {
	if !f.isSQLite || f.hasNoted || f.settings != nil && f.settings.Nullability != "" {
		return
	}
	f.hasNoted = true
	d.Notes = append(d.Notes, f.origin.Note(table, "columns without NULL are NOT NULL here; pragma default_column_nullability = 'nullable' "+
		"at the beginning of the file lets them be NULL as in SQLite"))
}

// settingsOf gives the settings of an item: those of the file, which let a column have the time as its default where one does.
func (f *sqlFile) settingsOf(d *catalog.Declared, item ast.DeclareItem) *catalog.DeclaredSettings {
	clock := clockDefault(item)
	if clock == nil || f.settings != nil && f.settings.Nondeterministic {
		return f.settings
	}
	d.Notes = append(d.Notes, f.origin.Note(clock, "DEFAULT "+strings.ToUpper(clock.Column.Text)+
		" is the time of each insert, so the schema is read with pragma nondeterministic_schema = true; sessions that insert rows set it too"))
	out := catalog.DeclaredSettings{}
	if f.settings != nil {
		out = *f.settings
	}
	out.Nondeterministic = true
	return &out
}

// clockDefault finds a default of a table that is nothing but CURRENT_TIMESTAMP, CURRENT_DATE or CURRENT_TIME, nil for none.
func clockDefault(item ast.DeclareItem) *ast.ColumnRef {
	table, ok := item.(*ast.CreateTableStmt)
	if !ok {
		return nil
	}
	for _, c := range table.Columns {
		for _, k := range c.Constraints {
			ref, ok := k.X.(*ast.ColumnRef)
			if k.Kind != ast.DefaultClause || !ok || ref.Column.Quoted || !ref.Table.IsZero() {
				continue
			}
			switch types.Fold(ref.Column.Text) {
			case "current_timestamp", "current_date", "current_time":
				return ref
			}
		}
	}
	return nil
}

// fileSeed gathers the rows that the INSERT statements of a file put into one table.
type fileSeed struct {
	schema string
	item   *ast.SeedItem
	first  *ast.InsertStmt
}

// insert takes rows of literals as those that a table begins with.
func (f *sqlFile) insert(n *ast.InsertStmt) error {
	if isOfSQLite(n.Table.Name.Name) {
		return nil
	}
	rows, ok := literalRows(n)
	if !ok {
		return f.misplaced(n)
	}
	f.found = true
	s := f.seedOf(n)
	if !slices.EqualFunc(s.item.Columns, n.Columns, func(a, b ast.Name) bool { return types.EqualFold(a.Text, b.Text) }) {
		return at(f.origin, n, "the rows of table '%s' go to other columns than those of the INSERT at %s; name the same ones in both",
			n.Table.Name.Name.Text, f.origin.At(s.first))
	}
	s.item.Rows = append(s.item.Rows, rows...)
	return nil
}

// seedOf gives the seed of the table that the statement fills, beginning it with the first one.
func (f *sqlFile) seedOf(n *ast.InsertStmt) *fileSeed {
	schema, table := schemaName(n.Table.Name.Schema), n.Table.Name.Name
	for _, s := range f.seeds {
		if types.EqualFold(s.schema, schema) && types.EqualFold(s.item.Table.Text, table.Text) {
			return s
		}
	}
	s := &fileSeed{schema, &ast.SeedItem{Span: n.Span, Table: table, Columns: n.Columns}, n}
	f.seeds = append(f.seeds, s)
	return s
}

// literalRows gives the rows of an INSERT that is nothing but VALUES. Rows that are there stay, so that OR IGNORE goes without saying,
// and OR REPLACE would be another thing.
func literalRows(n *ast.InsertStmt) ([][]ast.Expr, bool) {
	isPlain := n.With == nil && !n.DefaultValues && len(n.Upserts) == 0 && len(n.Returning) == 0 && n.Table.Alias.IsZero() &&
		len(n.Context) == 0 && len(n.Tags) == 0 && len(n.SchemaPath) == 0 && n.Source != nil && n.Or != ast.ConflictReplace
	if !isPlain || len(n.Source.OrderBy) > 0 || n.Source.Limit != nil || n.Source.With != nil || len(n.Source.Defaults) > 0 {
		return nil, false
	}
	v, ok := n.Source.Body.(*ast.ValuesClause)
	if !ok {
		return nil, false
	}
	return v.Rows, true
}

// addSeeds adds the seeds of the file to their schemas.
func (f *sqlFile) addSeeds() []error {
	var faults []error
	for _, s := range f.seeds {
		d, err := f.schema(s.schema, part{f.origin, s.item, false})
		if err == nil {
			d.Notes = append(d.Notes, f.origin.Note(s.item, "INSERT is read as the seed of table '"+s.item.Table.Text+
				"': apply inserts rows whose key is not there yet when it is asked to, with --with-seed"))
			err = d.Add(s.item, f.origin, f.settings)
		}
		faults = append(faults, err)
	}
	return faults
}
