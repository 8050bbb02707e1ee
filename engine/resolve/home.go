package resolve

// Catalog tells what the relations and functions that a text names look like, in the state of the catalog that the text was
// written against. Names are given as written; lookups ignore case.
type Catalog interface {
	// Columns gives the columns of a table or view in order, as spelled in its definition; ok is false when there is none of
	// that name.
	Columns(schema, name string) (columns []string, ok bool)
	// Function gives the columns of a table-valued function (nil for any other, and for one that is unknown), and whether the
	// name is an aggregate's.
	Function(name string, args int) (columns []string, aggregate bool)
}

// Home is where a stored text lives: what its unqualified names mean.
type Home struct {
	Catalog Catalog
	// Path are the schemas that unqualified relation names are looked up in, the text's own schema first.
	Path []string
	// Row is the table whose row the text is about, for a CHECK, a DEFAULT, a generated column, the predicate or an expression
	// of an index. It is nil for the body of a view and for an assertion.
	Row *Row
}

// Row is a table that owns an expression over its rows.
type Row struct {
	Schema, Name string
	// Variables are the mutation-context variables that the expression sees. A bare name means one of them before it means a
	// column. Generated columns and indexes see none.
	Variables []string
}
