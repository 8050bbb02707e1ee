package engine

import (
	"math/big"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// settings are a session's options (docs/reference/functions.md): by option name, values in their own kind. They are not transactional and not
// kept on disk.
type settings map[string]types.Value

// effective is what the settings mean for every statement, worked out once for each revision of them.
type effective struct {
	rev    uint64
	known  bool
	path   []string
	form   catalog.FormatOptions
	budget int64
	limits *limit.Set
	rules  []string // of the planner that are left out
}

// effective gives what the settings mean now. It must not be changed.
func (c *Conn) effective() *effective {
	e := &c.session.effective
	if !e.known || e.rev != c.session.rev {
		s := c.session.settings
		*e = effective{rev: c.session.rev, known: true, path: s.schemaPath(), form: s.sessionForm(c.db.home.name), budget: s.count("memory_budget"), limits: s.limits(), rules: s.rules()}
	}
	return e
}

// option is one known pragma.
type option struct {
	name    string
	aliases []string
	// initial gives the value of a new session.
	initial types.Value
	// read turns what was written into the option's kind, or refuses it with an error that names the option.
	read func(db *DB, name string, v types.Value) (types.Value, error)
}

var options = append([]option{
	{"foreign_keys", []string{"fk_enforcement"}, types.True, readBoolean},
	{"default_column_nullability", []string{"column_nullability_default", "nullable_default"}, types.Text("not_null"), readWord("not_null", "nullable")},
	{"default_collation", nil, types.Text("BINARY"), readCollation},
	{"default_vtab_module", nil, types.Null, readText},
	{"default_vtab_args", nil, types.FromJSON(&types.JSON{Object: true}), readObject},
	{"schema_path", []string{"search_path"}, types.Text(catalog.MainSchema), readText},
	{"ddl_transaction_policy", nil, types.Text("permissive"), readWord("permissive", "strict")},
	{"nondeterministic_schema", []string{"allow_nondeterministic_schema_expressions"}, types.False, readBoolean},
	// It bounds a statement that is UNSUPPORTED, and is kept for what will ask it.
	{"materialized_view_rebuild_row_threshold", nil, types.Int(10000), readCount},
	{"memory_budget", nil, types.Int(defaultMemoryBudget), readCount},
	{"runtime_stats", []string{"runtime_metrics"}, types.False, readOnly(types.False, "EXPLAIN ANALYZE shows rows, time and memory of each operator of a statement")},
	{"validate_plan", []string{"plan_validation"}, types.False, readBoolean},
	{"disabled_rules", nil, types.Text(""), readRules},
	{"trace_plan_stack", nil, types.False, readOnly(types.False, "EXPLAIN shows the plan; pragma disabled_rules shows it without a rule of the planner")},
	{"runtime_fuse_scalars", nil, types.True, readOnly(types.True, "expressions are always compiled whole")},
}, limitOptions()...)

// defaultMemoryBudget is what a transaction's overlay, and a sort or hash of a statement, may each hold before it spills.
const defaultMemoryBudget = 64 << 20

// limitOptions are the limits of a session as options.
func limitOptions() []option {
	var list []option
	for _, l := range limit.Table {
		if l.Pragma != "" {
			list = append(list, option{l.Pragma, nil, types.Int(l.Default), readLimit(l)})
		}
	}
	return list
}

func readLimit(l limit.Limit) func(*DB, string, types.Value) (types.Value, error) {
	return func(_ *DB, _ string, v types.Value) (types.Value, error) {
		n, err := l.Read(types.ToText(v))
		return types.Int(n), err
	}
}

// limits gives the limits that the session has set.
func (s settings) limits() *limit.Set {
	set := limit.Defaults()
	for _, l := range limit.Table {
		if l.Pragma != "" {
			set[l.ID] = s.count(l.Pragma)
		}
	}
	return set
}

// findOption resolves a pragma's name or alias; nil when there is none.
func findOption(name string) *option {
	name = types.Fold(name)
	for i := range options {
		if options[i].name == name {
			return &options[i]
		}
		for _, a := range options[i].aliases {
			if a == name {
				return &options[i]
			}
		}
	}
	return nil
}

// unknownPragma says that no option has the name, and which is near.
func unknownPragma(name string) error {
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = o.name
	}
	return types.Errorf(types.ERROR, "Unknown pragma: %s", name).WithHint(types.NearHint(name, names))
}

func newSettings(db *DB) settings {
	s := make(settings, len(options))
	for _, o := range options {
		s[o.name] = o.initial
	}
	s["default_vtab_module"] = types.Text(db.home.name)
	if n := db.opts.MemoryBudget; n > 0 {
		s["memory_budget"] = types.Int(n)
	}
	for _, l := range limit.Table {
		if l.Pragma != "" {
			s[l.Pragma] = types.Int(db.opts.Limits.Of(l.ID))
		}
	}
	return s
}

// get gives the value of an option under its name or an alias.
func (s settings) get(name string) (types.Value, error) {
	o := findOption(name)
	if o == nil {
		return types.Null, unknownPragma(name)
	}
	return s[o.name], nil
}

// set checks and stores a value; the old one stays when it is refused.
func (s settings) set(db *DB, name string, v types.Value) error {
	o := findOption(name)
	if o == nil {
		return unknownPragma(name)
	}
	read, err := o.read(db, o.name, v)
	if err != nil {
		return err
	}
	s[o.name] = read
	return nil
}

func (s settings) boolean(name string) bool { return s[name].Bool() }
func (s settings) text(name string) string  { return s[name].Str() }
func (s settings) count(name string) int64  { n, _ := s[name].Int64(); return n }

// rules lists the names in the disabled_rules option.
func (s settings) rules() []string { return ruleNames(s.text("disabled_rules")) }

func ruleNames(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// readRules takes the names of rules of the planner, between commas.
func readRules(_ *DB, name string, v types.Value) (types.Value, error) {
	known := plan.RuleNames()
	text := types.ToText(v)
	for _, n := range ruleNames(text) {
		if !slices.Contains(known, n) {
			return types.Null, types.Errorf(types.ERROR, "Invalid value for option %s: no rule %s; there are %s", name, n, strings.Join(known, ", "))
		}
	}
	return types.Text(text), nil
}

// schemaPath splits the schema_path option; an empty one acts as main.
func (s settings) schemaPath() []string {
	var path []string
	for _, p := range strings.Split(s.text("schema_path"), ",") {
		if p = types.Fold(strings.TrimSpace(p)); p != "" {
			path = append(path, p)
		}
	}
	if path == nil {
		path = []string{catalog.MainSchema}
	}
	return path
}

// sessionForm says what definitions leave out when the session shows them (docs/reference/declarative-schema.md).
func (s settings) sessionForm(home string) catalog.FormatOptions {
	return catalog.FormatOptions{
		Nullable: s.text("default_column_nullability") == "nullable", Module: s.text("default_vtab_module"),
		ModuleArgs: s.moduleArgs(), HomeModule: home,
	}
}

func refused(name, kind string, v types.Value) error {
	return types.Errorf(types.ERROR, "Invalid %s value for option %s: %s", kind, name, types.ToText(v))
}

func readBoolean(_ *DB, name string, v types.Value) (types.Value, error) {
	if v.Kind() == types.KindText {
		switch types.Fold(v.Str()) {
		case "true", "on", "yes", "1":
			return types.True, nil
		case "false", "off", "no", "0":
			return types.False, nil
		}
		return types.Null, refused(name, "boolean", v)
	}
	if !v.IsNumber() {
		return types.Null, refused(name, "boolean", v)
	}
	truth, _ := types.Truth(v)
	return types.Bool(truth), nil
}

// readOnly takes the one value of a switch that there is no other side to; instead tells what serves in place of that.
func readOnly(only types.Value, instead string) func(*DB, string, types.Value) (types.Value, error) {
	return func(db *DB, name string, v types.Value) (types.Value, error) {
		read, err := readBoolean(db, name, v)
		if err == nil && read.Bool() != only.Bool() {
			err = types.Errorf(types.UNSUPPORTED, "pragma %s = %s is not supported", name, types.ToText(read)).WithHint(instead)
		}
		return read, err
	}
}

func readText(_ *DB, name string, v types.Value) (types.Value, error) {
	if v.IsNull() {
		return types.Null, refused(name, "text", v)
	}
	return types.Text(types.ToText(v)), nil
}

func readWord(words ...string) func(*DB, string, types.Value) (types.Value, error) {
	return func(_ *DB, name string, v types.Value) (types.Value, error) {
		for _, w := range words {
			if types.EqualFold(types.ToText(v), w) {
				return types.Text(w), nil
			}
		}
		return types.Null, types.Errorf(types.ERROR, "Invalid %s value: %s; want %s", name, types.ToText(v), strings.Join(words, " or "))
	}
}

func readCollation(db *DB, name string, v types.Value) (types.Value, error) {
	text := types.ToText(v)
	if _, ok := db.types.Collation(text); !ok {
		return types.Null, types.Errorf(types.ERROR, "Unknown collation '%s' for %s", text, name)
	}
	return types.Text(text), nil
}

func readObject(_ *DB, name string, v types.Value) (types.Value, error) {
	if v.Kind() == types.KindText {
		v, _ = types.ParseJSON(v.Str())
	}
	if j := v.JSON(); j == nil || !j.Object {
		return types.Null, refused(name, "object", v)
	}
	return v, nil
}

// readCount takes a whole number ≥ 0, also as text.
func readCount(_ *DB, name string, v types.Value) (types.Value, error) {
	n := v
	if v.Kind() == types.KindText {
		big, ok := new(big.Int).SetString(strings.TrimSpace(v.Str()), 10)
		if !ok {
			return types.Null, refused(name, "number", v)
		}
		n = types.BigInt(big)
	}
	if i, ok := n.Int64(); !ok || i < 0 || n.Kind() == types.KindBoolean {
		return types.Null, refused(name, "number", v)
	}
	return n, nil
}

// moduleArgs gives default_vtab_args as arguments of a module, in the object's order.
func (s settings) moduleArgs() []catalog.ModuleArg {
	j := s["default_vtab_args"].JSON()
	var args []catalog.ModuleArg
	for i, k := range j.Keys {
		args = append(args, catalog.ModuleArg{Key: k, Value: j.Elems[i]})
	}
	return args
}
