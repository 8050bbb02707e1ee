package catalog

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// DeclaredSettings are session settings that hold for a file of declarations, or the options of one declaration. They are written
// out in the statements that carry the declaration out, which therefore mean the same in every session.
type DeclaredSettings struct {
	// Nullability is "not_null", "nullable", or "" for the session's.
	Nullability string
	// Collation is the name of a collation, "" for the session's.
	Collation string
	// Module is the module of tables without USING, "" for the session's.
	Module string
	// Nondeterministic lets defaults, checks and generated columns call functions whose answer varies. No statement says it: who
	// carries the declaration out sets it for the session (see Declared.Nondeterministic).
	Nondeterministic bool
	// args is the text of default_vtab_args, which is read when a table takes it.
	args    string
	hasArgs bool
}

// The settings that shape a schema.
const (
	nullabilitySetting = "default_column_nullability"
	collationSetting   = "default_collation"
	moduleSetting      = "default_vtab_module"
	argsSetting        = "default_vtab_args"
	// NondeterministicSetting is the pragma that lifts the rule of determinism off stored expressions.
	NondeterministicSetting = "nondeterministic_schema"
)

// SetPragma takes a setting that begins a file. ERROR: one that has no meaning for a schema, a bad value, a pragma that asks and
// does not set.
func (s *DeclaredSettings) SetPragma(p *ast.PragmaStmt) error {
	name := types.Fold(p.Name.Text)
	if p.Value == nil {
		return types.Errorf(types.ERROR, "pragma %s in a schema file sets nothing", name)
	}
	value := types.ToText(LiteralValue(p.Value))
	switch name {
	case nullabilitySetting:
		if value = types.Fold(value); value != "not_null" && value != "nullable" {
			return types.Errorf(types.ERROR, "Invalid %s value: %s; want not_null or nullable", name, value)
		}
		s.Nullability = value
	case collationSetting:
		s.Collation = value
	case moduleSetting:
		s.Module = value
	case argsSetting:
		if _, err := parseArgs(value); err != nil {
			return types.Errorf(types.ERROR, "Invalid object value for option %s: %s", name, err)
		}
		s.args, s.hasArgs = value, true
	case NondeterministicSetting:
		switch types.Fold(value) {
		case "true", "on", "yes", "1":
			s.Nondeterministic = true
		case "false", "off", "no", "0":
			s.Nondeterministic = false
		default:
			return types.Errorf(types.ERROR, "Invalid boolean value for option %s: %s", name, value)
		}
	default:
		known := []string{nullabilitySetting, collationSetting, moduleSetting, argsSetting, NondeterministicSetting}
		return types.Errorf(types.ERROR, "pragma %s means nothing in a schema file; write %s, %s, %s, %s or %s",
			name, known[0], known[1], known[2], known[3], known[4]).WithHint(types.NearHint(name, known))
	}
	return nil
}

// Nondeterministic reports whether a file of the declaration lets stored expressions call functions whose answer varies.
func (d *Declared) Nondeterministic() bool {
	return slices.ContainsFunc(d.Items, func(i DeclaredItem) bool { return i.Settings != nil && i.Settings.Nondeterministic })
}

// setOption takes an option of a declaration. Its arguments may be no JSON: that is a fault of the tables that take them.
func (s *DeclaredSettings) setOption(o *ast.Option) {
	value := types.ToText(LiteralValue(o.Value))
	switch types.Fold(o.Key.Text) {
	case moduleSetting:
		s.Module = value
	case argsSetting:
		s.args, s.hasArgs = value, true
	}
}

// parseArgs reads the arguments of a module out of a JSON object.
func parseArgs(text string) ([]ast.ModuleArg, error) {
	v, err := types.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	j := v.JSON()
	if j == nil || !j.Object {
		return nil, types.Errorf(types.ERROR, "'%s' is no JSON object", text)
	}
	var args []ast.ModuleArg
	for i, k := range j.Keys {
		args = append(args, ast.ModuleArg{Key: ast.Ident(k), Named: true, Value: ast.LiteralOf(argumentValue(j.Elems[i]))})
	}
	return args, nil
}

// or gives the settings with those of d where they have none of their own.
func (s *DeclaredSettings) or(d DeclaredSettings) DeclaredSettings {
	if s == nil {
		return d
	}
	out := *s
	if d.Module != "" || d.hasArgs { // the declaration speaks closer to the table than its file
		out.Module, out.args, out.hasArgs = d.Module, d.args, d.hasArgs
	}
	return out
}

// Statement gives the statement that makes item i in any session: what its file's settings and the options of the declaration
// decide is written out in it. Names in it stay unqualified. ERROR for arguments of a module that are no JSON object.
func (d *Declared) Statement(i int, env BuildEnv) (ast.Stmt, error) {
	item := &d.Items[i]
	switch n := item.Stmt.(type) {
	case *ast.CreateTableStmt:
		settings := item.Settings.or(d.defaults)
		c := *n
		var err error
		if c.Using, err = settings.using(n.Using, n.Name.Name.Text, env); err != nil {
			return nil, item.Origin.Fault(n, err)
		}
		c.Columns = settings.columns(n.Columns, env)
		return &c, nil
	case *ast.CreateMaterializedViewStmt:
		c := *n
		settings := item.Settings.or(DeclaredSettings{})
		var err error
		if c.Using, err = settings.using(n.Using, n.Name.Name.Text, env); err != nil {
			return nil, item.Origin.Fault(n, err)
		}
		return &c, nil
	}
	return item.Stmt, nil
}

// using fills a module clause that is not written.
func (s *DeclaredSettings) using(written *ast.UsingClause, table string, env BuildEnv) (*ast.UsingClause, error) {
	if written != nil || s.Module == "" && !s.hasArgs {
		return written, nil
	}
	u := &ast.UsingClause{Module: ast.Ident(s.Module)}
	if s.Module == "" {
		u.Module = ast.Ident(env.Module)
	}
	if s.hasArgs {
		args, err := parseArgs(s.args)
		if err != nil {
			return nil, types.Errorf(types.ERROR, "Invalid JSON in schema default vtab args for table '%s': %s", table, err)
		}
		u.Args = args
	}
	return u, nil
}

// columns writes nullability and collation out in definitions that leave them open.
func (s *DeclaredSettings) columns(defs []*ast.ColumnDef, env BuildEnv) []*ast.ColumnDef {
	if s.Nullability == "" && s.Collation == "" {
		return defs
	}
	out := make([]*ast.ColumnDef, len(defs))
	for i, def := range defs {
		c := *def
		c.Constraints = append(s.clauses(def, env), def.Constraints...)
		out[i] = &c
	}
	return out
}

// clauses gives what is written before the clauses of a definition.
func (s *DeclaredSettings) clauses(def *ast.ColumnDef, env BuildEnv) []*ast.ColumnConstraint {
	var out []*ast.ColumnConstraint
	if s.Nullability != "" && LeavesNullabilityOpen(def) {
		k := &ast.ColumnConstraint{Span: def.Span, Kind: ast.NotNullClause}
		if s.Nullability == "nullable" {
			k.Kind = ast.NullClause
		}
		out = append(out, k)
	}
	isCollated := slices.ContainsFunc(def.Constraints, func(k *ast.ColumnConstraint) bool { return k.Kind == ast.CollateClause })
	if s.Collation != "" && !isCollated && def.Type != nil && takesDefaultCollation(env.Types.Lookup(def.Type.Name)) {
		out = append(out, &ast.ColumnConstraint{Span: def.Span, Kind: ast.CollateClause, Collation: ast.Ident(s.Collation)})
	}
	return out
}
