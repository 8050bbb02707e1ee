package catalog

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// TagPlace is a place where tags stand, as the reserved tags tell places apart.
type TagPlace uint8

// The places. Materialized views are at OnView. The logical places exist in messages only: no statement reaches them.
const (
	OnTable TagPlace = iota
	OnColumn
	OnView
	OnIndex
	OnConstraint
	OnLogicalTable
	OnLogicalColumn
	OnLogicalConstraint
	OnStatement // INSERT, UPDATE, DELETE
)

func (p TagPlace) String() string {
	return [...]string{
		"a basis table", "a physical column", "a view declaration", "a physical index", "a physical constraint",
		"a logical table", "a logical column", "a logical constraint", "a DML statement",
	}[p]
}

// ReservedPrefix begins every key that the dialect keeps for itself.
const ReservedPrefix = "quereus."

// reservedTag is one entry of the registry.
type reservedTag struct {
	key string
	// open: key is a prefix, any non-empty rest follows.
	open   bool
	places []TagPlace
	// check gives what is wrong with a value, as it goes on behind "Reserved tag 'k' on <place> "; "" for a good one.
	check func(types.Value) string
}

var (
	anyPhysicalObject = []TagPlace{OnTable, OnColumn, OnView, OnIndex, OnConstraint}
	synchronised      = []TagPlace{OnView, OnTable}
	decomposed        = []TagPlace{OnTable}
	logicalTable      = []TagPlace{OnLogicalTable}
)

// reservedTags is the registry of reserved tags (docs/reference/language.md).
var reservedTags = []reservedTag{
	{key: TagID, places: anyPhysicalObject, check: wantText},
	{key: TagPreviousName, places: anyPhysicalObject, check: wantText},
	{key: TagExposeImplicitIndex, places: []TagPlace{OnConstraint}, check: wantBoolean},
	{key: TagEngineManaged, places: []TagPlace{OnTable}, check: wantBoolean},
	{key: "quereus.sync.replicate", places: synchronised, check: wantBoolean},
	{key: "quereus.sync.evict", places: synchronised, check: wantEviction},
	{key: "quereus.lens.ack.", open: true, places: []TagPlace{OnLogicalTable, OnLogicalConstraint}, check: wantText},
	{key: "quereus.lens.access.", open: true, places: logicalTable, check: wantText},
	{key: "quereus.lens.policy.error-on", places: logicalTable, check: wantText},
	{key: "quereus.lens.policy.require-ack", places: logicalTable, check: wantText},
	{key: "quereus.lens.writable", places: []TagPlace{OnLogicalColumn}, check: wantBoolean},
	{key: "quereus.lens.decomp.role.", open: true, places: decomposed, check: wantOneOf("primary-storage", "auxiliary-access")},
	{key: "quereus.lens.decomp.presence.", open: true, places: decomposed, check: wantOneOf("mandatory", "optional")},
	{key: "quereus.lens.decomp.keykind.", open: true, places: decomposed, check: wantOneOf("surrogate", "logical-tuple")},
	{key: "quereus.lens.decomp.key.", open: true, places: decomposed, check: wantIdentifiers},
	{key: "quereus.lens.decomp.logical.", open: true, places: decomposed, check: wantText},
	{key: "quereus.lens.decomp.anchor.", open: true, places: decomposed, check: wantText},
	{key: "quereus.lens.decomp.member.", open: true, places: decomposed, check: wantText},
	{key: "quereus.lens.decomp.col.", open: true, places: decomposed, check: wantText},
	{key: "quereus.lens.decomp.pivot.", open: true, places: decomposed, check: wantText},
}

// CheckReservedTags refuses reserved keys that are unknown, stand at a wrong place or have a wrong value; ERROR, the first
// one in the order written. Free keys pass.
func CheckReservedTags(place TagPlace, tags Tags) error {
	for _, t := range tags {
		if !strings.HasPrefix(t.Key, ReservedPrefix) {
			continue
		}
		r := findReserved(t.Key)
		switch {
		case r == nil:
			return types.Errorf(types.ERROR, "Unknown reserved tag '%s' on %s: keys that begin with %s belong to the engine",
				t.Key, place, ReservedPrefix)
		case !r.isLegalOn(place):
			return types.Errorf(types.ERROR, "Reserved tag '%s' is not allowed on %s; it is valid only on: %s",
				t.Key, place, joinPlaces(r.places))
		}
		if fault := r.check(t.Value); fault != "" {
			return types.Errorf(types.ERROR, "Reserved tag '%s' on %s %s", t.Key, place, fault)
		}
	}
	return nil
}

func findReserved(key string) *reservedTag {
	for i := range reservedTags {
		r := &reservedTags[i]
		if key == r.key && !r.open || r.open && len(key) > len(r.key) && strings.HasPrefix(key, r.key) {
			return r
		}
	}
	return nil
}

func (r *reservedTag) isLegalOn(place TagPlace) bool {
	for _, p := range r.places {
		if p == place {
			return true
		}
	}
	return false
}

func joinPlaces(places []TagPlace) string {
	var names []string
	for _, p := range places {
		names = append(names, p.String())
	}
	return strings.Join(names, ", ")
}

func wantText(v types.Value) string {
	if v.Kind() != types.KindText {
		return "must be a text value"
	}
	return ""
}

func wantBoolean(v types.Value) string {
	if v.Kind() != types.KindBoolean {
		return "must be a boolean value"
	}
	return ""
}

func wantOneOf(words ...string) func(types.Value) string {
	return func(v types.Value) string {
		for _, w := range words {
			if v.Kind() == types.KindText && v.Str() == w {
				return ""
			}
		}
		if fault := wantText(v); fault != "" {
			return fault
		}
		return "has invalid value '" + v.Str() + "'; expected one of: " + strings.Join(words, ", ")
	}
}

// wantEviction takes a word, or milliseconds as number or text.
func wantEviction(v types.Value) string {
	n := v
	if v.Kind() == types.KindText {
		if types.EqualFold(v.Str(), "never") || types.EqualFold(v.Str(), "immediate") {
			return ""
		}
		n, _ = types.ParseWholeNumber(types.TrimSpace(v.Str()))
	}
	isNumber := n.Kind() == types.KindInteger || n.Kind() == types.KindReal
	if !isNumber || types.CompareNumbers(n, types.Int(0)) < 0 {
		return "must be 'never', 'immediate', or a number of milliseconds that is not negative"
	}
	return ""
}

func wantIdentifiers(v types.Value) string {
	if fault := wantText(v); fault != "" {
		return fault
	}
	if strings.TrimSpace(v.Str()) == "" {
		return "must be a non-empty comma-separated list of identifiers"
	}
	for _, name := range strings.Split(v.Str(), ",") {
		if !isIdentifier(strings.TrimSpace(name)) {
			return "must be a comma-separated list of identifiers"
		}
	}
	return ""
}

func isIdentifier(s string) bool {
	for i, r := range s {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_'
		if !letter && (i == 0 || r < '0' || '9' < r) {
			return false
		}
	}
	return s != ""
}

// CheckItemTags checks the reserved tags of a whole definition, an item of a declaration included, in the documented order:
// the object, its columns, its table constraints, its inline constraints. ERROR. Nodes without tags pass.
//
// A direct CREATE VIEW or CREATE MATERIALIZED VIEW is not checked (docs/reference/language.md): then do not call it.
func CheckItemTags(item ast.Node) error {
	switch n := item.(type) {
	case *ast.CreateTableStmt:
		return checkTableTags(n)
	case *ast.ColumnDef:
		if err := CheckReservedTags(OnColumn, BuildTags(n.Tags)); err != nil {
			return err
		}
		return checkInlineTags(n)
	case *ast.TableConstraint:
		return CheckReservedTags(OnConstraint, BuildTags(n.Tags))
	case *ast.CreateIndexStmt:
		return CheckReservedTags(OnIndex, BuildTags(n.Tags))
	case *ast.CreateViewStmt:
		return CheckReservedTags(OnView, BuildTags(n.Tags))
	case *ast.CreateMaterializedViewStmt:
		return CheckReservedTags(OnView, BuildTags(n.Tags))
	}
	return nil
}

func checkTableTags(n *ast.CreateTableStmt) error {
	if err := CheckReservedTags(OnTable, BuildTags(n.Tags)); err != nil {
		return err
	}
	for _, c := range n.Columns {
		if err := CheckReservedTags(OnColumn, BuildTags(c.Tags)); err != nil {
			return err
		}
	}
	for _, c := range n.Constraints {
		if err := CheckItemTags(c); err != nil {
			return err
		}
	}
	for _, c := range n.Columns {
		if err := checkInlineTags(c); err != nil {
			return err
		}
	}
	return nil
}

func checkInlineTags(c *ast.ColumnDef) error {
	for _, k := range c.Constraints {
		if err := CheckReservedTags(OnConstraint, BuildTags(k.Tags)); err != nil {
			return err
		}
	}
	return nil
}
