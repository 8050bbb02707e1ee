package differ

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Options say how two schemas are compared. The zero value compares as DIFF SCHEMA does in a session with initial settings, except
// that it refuses to move the backing of a maintained table.
type Options struct {
	// Policy is the rename policy (docs/reference/declarative-schema.md).
	Policy ast.RenamePolicy
	// AllowDestructive lets the plan drop and create maintained tables whose backing module changes; without it such a plan is
	// refused. DIFF SCHEMA sets it, since it only shows.
	AllowDestructive bool
	// Env has the session's settings and registries, as for a CREATE. Schema, IDs, Resolver and CheckExpression are not read. No
	// registry is the built-in types.
	Env catalog.BuildEnv
	// Path is the schema path that bodies search behind their own schema; nil is main.
	Path []string
	// Function tells what functions look like to the resolution of names, as resolve.Catalog asks; nil knows none.
	Function func(name string, args int) (columns []string, aggregate bool)
	// Resolved is what declared.Resolve gives under Env and with the live names for Resolver, when the caller has it already; else nil.
	Resolved *catalog.Resolved
	// Whole makes everything that a declaration says or leaves out count: nullability that it leaves open is that of a fresh table, and
	// constraints without a name, conflict actions, deferrability and mutation contexts are
	// compared. DIFF SCHEMA leaves these alone.
	Whole bool
	// ColumnOrder, in a whole comparison, puts the columns into the declared order; else another order is a note.
	ColumnOrder bool
	// Supported tells why a statement cannot be carried out at all, nil for one that can; nil asks nobody.
	Supported func(ast.Stmt) error
	// Stats are row counts for effects and hazards.
	Stats Stats
	// NoHashes leaves Plan.From and Plan.To empty, for callers that only print statements: the hashes cost about as much as the
	// comparison.
	NoHashes bool
}

// Settings are the session settings that a plan was made under (settings are resolved, and stored in the plan).
type Settings struct {
	// Nullable is default_column_nullability = 'nullable'.
	Nullable bool
	// Collation is the name of default_collation.
	Collation string
	// Module and ModuleArgs are default_vtab_module and its arguments.
	Module     string
	ModuleArgs []catalog.ModuleArg
	Policy     ast.RenamePolicy
}

func (o *Options) settings() Settings {
	s := Settings{Nullable: o.Env.Nullable, Collation: types.Binary.Name, Module: o.Env.Module, ModuleArgs: o.Env.ModuleArgs, Policy: o.Policy}
	if o.Env.Collation != nil {
		s.Collation = o.Env.Collation.Name
	}
	return s
}
