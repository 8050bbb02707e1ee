package catalog

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/resolve"
	"github.com/quereus/quereus-migrate/types"
)

// Allocator hands out the numbers of new objects; an Edit is one.
type Allocator interface {
	NewID() ID
	NewSeq() uint64
}

// BuildEnv is what a definition needs beside its own text: the session's settings and the database's registries. A definition
// is built once, and the settings are concrete in it from then on (docs/reference/language.md).
type BuildEnv struct {
	Types *types.Registry
	// Schema is the schema of unqualified names; "" is main.
	Schema string
	// Nullable is default_column_nullability = 'nullable'.
	Nullable bool
	// Collation is default_collation; nil is BINARY.
	Collation *types.Collation
	// Module and ModuleArgs are default_vtab_module and its arguments.
	Module     string
	ModuleArgs []ModuleArg
	IDs        Allocator
	// Resolver knows the relations that subqueries of generated columns name; nil when there are none.
	Resolver resolve.Catalog
	// CheckExpression judges what takes a binder: names, functions, determinism. It is called for each expression of a
	// definition but literal defaults, at its place in the documented order of checks; nil judges nothing.
	CheckExpression func(t *Table, e Expression) error

	// stored is set while a record is read: its definition was judged when it was made, and is not judged again.
	stored bool
}

// schemaOf gives the folded schema that a name at the head of a definition means.
func (env *BuildEnv) schemaOf(name ast.QName) string {
	if !name.Schema.IsZero() {
		return types.Fold(name.Schema.Text)
	}
	if env.Schema != "" {
		return types.Fold(env.Schema)
	}
	return MainSchema
}

// DefaultCollation gives the collation of a column of type t that declares none: the session's for text, else BINARY.
func (env *BuildEnv) DefaultCollation(t *types.Type) *types.Collation {
	if env.Collation != nil && takesDefaultCollation(t) {
		return env.Collation
	}
	return types.Binary
}

// takesDefaultCollation reports whether default_collation applies to columns of the type: text, and not ANY.
func takesDefaultCollation(t *types.Type) bool { return t.CollationAware && t.Class == types.KindText }

// ModuleOf gives the module, folded, and the arguments that a USING clause names, the session's without one (nil).
func (env *BuildEnv) ModuleOf(using *ast.UsingClause) (module string, args []ModuleArg) {
	if using == nil {
		for _, a := range env.ModuleArgs {
			args = append(args, ModuleArg{Key: a.Key, Value: argumentValue(a.Value)})
		}
		return types.Fold(env.Module), args
	}
	for _, a := range using.Args {
		args = append(args, ModuleArg{Key: a.Key.Text, Value: argumentValue(constantValue(a.Value))})
	}
	return types.Fold(using.Module.Text), args
}

// argumentValue gives a value as an argument of a module holds it, which is also how it prints and reads back: true and false
// are 1 and 0, a document is its text.
func argumentValue(v types.Value) types.Value {
	switch v.Kind() {
	case types.KindBoolean:
		return types.Plus(v)
	case types.KindJSON:
		return types.Text(types.ToText(v))
	}
	return v
}
