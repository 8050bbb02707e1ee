package foreign

// Table is a CREATE TABLE.
type Table struct {
	Name        string
	Columns     []*Column
	Key         *Key // nil without one
	Uniques     []*Key
	Checks      []*Check
	ForeignKeys []*ForeignKey
	// Indexes are those that MySQL declares inside.
	Indexes []*Index
	// WithoutRowid and Strict are SQLite's.
	WithoutRowid, Strict bool
	// Collation is that of MySQL's texts without one of their own, "" when it is not said.
	Collation string
	// Skipped are the clauses that have no place in the model, as they are written.
	Skipped []string
	Text    string
}

// Column gives a column by its name, in any case; nil when there is none.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if equalFold(c.Name, name) {
			return c
		}
	}
	return nil
}

// Column is a column of a table.
type Column struct {
	Name string
	// Type is as declared, "" without one; its words in the case in which they are written.
	Type    string
	NotNull bool
	// Default and Generated are nil when there is none.
	Default, Generated []Token
	Stored             bool
	Collation          string
	// Numbered is set for AUTOINCREMENT, AUTO_INCREMENT, identities and serials.
	Numbered bool
	// OnUpdate is MySQL's ON UPDATE CURRENT_TIMESTAMP.
	OnUpdate bool
}

// Key is a PRIMARY KEY or a UNIQUE.
type Key struct {
	Name     string
	Members  []Member
	Conflict string // as written, "" without one
	// AtColumn is set for one that stands at its column.
	AtColumn bool
}

// Member is a member of a key or an index: a column, or else an expression.
type Member struct {
	Column    string
	X         []Token
	Collation string
	Desc      bool
	// IsPrefix is set for one of MySQL that only looks at the beginning of the value.
	IsPrefix bool
}

// Check is a CHECK.
type Check struct {
	Name string
	X    []Token
	// Column is the one that it stands at, "" for the table.
	Column string
}

// ForeignKey is a REFERENCES or FOREIGN KEY. ParentColumns is nil when they are not written.
type ForeignKey struct {
	Name              string
	Columns           []string
	Parent            string
	ParentColumns     []string
	OnDelete          string // "", cascade, restrict, no action, set null, set default
	OnUpdate          string
	Match             string
	Deferrable        bool
	InitiallyDeferred bool
}

// Index is a CREATE INDEX.
type Index struct {
	Name, Table string
	Unique      bool
	Members     []Member
	Where       []Token
	Method      string // as written, "" without one
	Text        string
}

// View is a CREATE VIEW.
type View struct {
	Name         string
	Columns      []string
	Body         []Token
	Materialized bool
	Text         string
}
