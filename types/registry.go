package types

import (
	"slices"
	"strings"
	"sync"
)

// Registry holds the types and collations of one database: the built-in ones and those of the embedding program. It is safe
// for concurrent use. A registration binds later lookups only; what was resolved before keeps what it has.
type Registry struct {
	mu         sync.RWMutex
	types      map[string]*Type
	collations map[string]*Collation
}

// NewRegistry gives a registry of the built-in types and collations.
func NewRegistry() *Registry {
	r := &Registry{types: map[string]*Type{}, collations: map[string]*Collation{}}
	for _, t := range builtinTypes {
		r.types[t.Name] = t
	}
	for _, c := range []*Collation{Binary, NoCase, RTrim} {
		r.collations[c.Name] = c
	}
	return r
}

// aliases are the other exact names of built-in types (docs/reference/types.md).
var aliases = map[string]*Type{
	"INT": TypeInteger, "BIGINT": TypeInteger, "SMALLINT": TypeInteger, "TINYINT": TypeInteger, "MEDIUMINT": TypeInteger,
	"FLOAT": TypeReal, "DOUBLE": TypeReal,
	"DECIMAL": TypeNumeric,
	"VARCHAR": TypeText, "CHAR": TypeText, "CHARACTER": TypeText, "CLOB": TypeText, "STRING": TypeText,
	"BYTES": TypeBlob, "BINARY": TypeBlob, "VARBINARY": TypeBlob,
	"BOOL":     TypeBoolean,
	"INTERVAL": TypeTimespan, "DURATION": TypeTimespan,
}

// fallbacks decide names that are not exact: the first that the name contains.
var fallbacks = [...]struct {
	part string
	t    *Type
}{
	{"INT", TypeInteger}, {"CHAR", TypeText}, {"CLOB", TypeText}, {"TEXT", TypeText}, {"BLOB", TypeBlob},
	{"REAL", TypeReal}, {"FLOA", TypeReal}, {"DOUB", TypeReal}, {"BOOL", TypeBoolean},
	{"NUMERIC", TypeNumeric}, {"DECIMAL", TypeNumeric},
}

// Lookup gives the type that a declared name means, in any case: an exact name, else the fallback by substring, else BLOB,
// which is also the type of a missing name.
func (r *Registry) Lookup(name string) *Type {
	name = strings.ToUpper(name)
	if t := r.exact(name); t != nil {
		return t
	}
	for _, f := range fallbacks {
		if strings.Contains(name, f.part) {
			return f.t
		}
	}
	return TypeBlob
}

// IsKnown reports whether name is the exact name of a type: built in, an alias, or registered. A name that Lookup resolves
// by substring or to BLOB is not.
func (r *Registry) IsKnown(name string) bool { return r.exact(strings.ToUpper(name)) != nil }

func (r *Registry) exact(upper string) *Type {
	r.mu.RLock()
	t := r.types[upper]
	r.mu.RUnlock()
	if t == nil {
		t = aliases[upper]
	}
	return t
}

// RegisterType adds a type of the embedding program, or replaces the one it registered under that name before. The type must
// not change afterwards. Parse and Valid may be nil: then every value passes, but a CAST that fails gives NULL. MISUSE: a
// name that is empty or not in upper case, the name or alias of a built-in type, and SemanticOrder without Compare.
func (r *Registry) RegisterType(t *Type) error {
	switch {
	case t.Name == "" || t.Name != strings.ToUpper(t.Name):
		return Errorf(MISUSE, "type name %q must be upper-case and not empty", t.Name)
	case isBuiltinName(t.Name):
		return Errorf(MISUSE, "type %s is built in and cannot be replaced", t.Name)
	case t.SemanticOrder && t.Compare == nil:
		return Errorf(MISUSE, "type %s declares an order of its own but no comparison", t.Name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.types[t.Name] = t
	return nil
}

func isBuiltinName(name string) bool {
	return aliases[name] != nil || name == TypeNull.Name ||
		slices.ContainsFunc(builtinTypes, func(t *Type) bool { return t.Name == name })
}

// RegisterCollation adds a collation or replaces the one of its name. The collation must not change afterwards. MISUSE: a
// name that is empty or not in upper case, BINARY, a missing comparison, and OrderPreserving without a normalizer.
func (r *Registry) RegisterCollation(c *Collation) error {
	switch {
	case c.Name == "" || c.Name != strings.ToUpper(c.Name):
		return Errorf(MISUSE, "collation name %q must be upper-case and not empty", c.Name)
	case c.Name == Binary.Name:
		return Errorf(MISUSE, "collation BINARY cannot be replaced")
	case c.Compare == nil:
		return Errorf(MISUSE, "collation %s has no comparison", c.Name)
	case c.OrderPreserving && c.Normalize == nil:
		return Errorf(MISUSE, "collation %s cannot preserve order without a key normalizer", c.Name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.collations[c.Name] = c
	return nil
}

// Collation finds a collation by name, in any case.
func (r *Registry) Collation(name string) (c *Collation, ok bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	c, ok = r.collations[strings.ToUpper(name)]
	return c, ok
}

// ExprCollation finds the collation that a COLLATE operator names; an unknown one is ERROR.
func (r *Registry) ExprCollation(name string) (*Collation, error) {
	c, ok := r.Collation(name)
	if !ok {
		return nil, Errorf(ERROR, "no such collation sequence: %s", strings.ToUpper(name)).WithHint(r.nearCollation(name))
	}
	return c, nil
}

// CheckCollation finds the collation that a column of type t declares. ERROR when it is unknown, and when t takes BINARY
// only (temporal types and JSON) and it is another. The message names the column unless that is empty.
func (r *Registry) CheckCollation(t *Type, name, column string) (*Collation, error) {
	c, ok := r.Collation(name)
	if ok && (c == Binary || !t.BinaryOnly) {
		return c, nil
	}
	where, why := "", "type supports no collations"
	if column != "" {
		where = " on column '" + column + "'"
	}
	if !t.BinaryOnly {
		why = "expected one of: " + strings.Join(r.collationNames(), ", ")
	}
	e := Errorf(ERROR, "Unknown collation '%s' for type '%s'%s (%s)", name, t.Name, where, why)
	if !t.BinaryOnly {
		e.Hint = r.nearCollation(name)
	}
	return nil, e
}

// foreignCollations say what to write for collations of other systems.
var foreignCollations = map[string]string{
	"C": "BINARY", "POSIX": "BINARY", "UTF8_BIN": "BINARY", "UTF8MB4_BIN": "BINARY", "UCS_BASIC": "BINARY",
	"LOCALIZED": "NOCASE", "UNICODE": "NOCASE", "CASE_INSENSITIVE": "NOCASE", "UTF8_GENERAL_CI": "NOCASE", "UTF8MB4_GENERAL_CI": "NOCASE",
	"UTF8_UNICODE_CI": "NOCASE", "UTF8MB4_UNICODE_CI": "NOCASE", "UTF8MB4_0900_AI_CI": "NOCASE", "LATIN1_SWEDISH_CI": "NOCASE",
	"SQL_LATIN1_GENERAL_CP1_CI_AS": "NOCASE",
}

// nearCollation gives the hint with the collation that a name may mean, "" when none is near.
func (r *Registry) nearCollation(name string) string {
	if write := foreignCollations[strings.ToUpper(name)]; write != "" {
		return "write: collate " + strings.ToLower(write)
	}
	return NearHint(name, r.collationNames())
}

// collationNames lists BINARY and then the others by name.
func (r *Registry) collationNames() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	names := []string{Binary.Name}
	for name := range r.collations {
		if name != Binary.Name {
			names = append(names, name)
		}
	}
	slices.Sort(names[1:])
	return names
}
