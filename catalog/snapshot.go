package catalog

import (
	"iter"
	"slices"
	"sync"

	"github.com/tidwall/btree"

	"github.com/quereus/quereus-migrate/types"
)

// Relation is what a name in FROM can mean in the catalog: *Table or *View. Tables and views share one name space a schema.
type Relation interface{ relation() }

func (*Table) relation() {}
func (*View) relation()  {}

// Snapshot is one immutable state of the catalog: all schemas with their objects. Any number of goroutines may read it.
// Lookups take names in any case and cost O(log n); an Edit shares everything it does not touch.
type Snapshot struct {
	mu sync.Mutex // guards the copying of the maps, which marks them shared; reading needs no lock

	schemas    []string // in order of creation; main and temp always first
	relations  *btree.Map[objectKey, Relation]
	indexes    *btree.Map[objectKey, *IndexEntry]
	assertions *btree.Map[objectKey, *Assertion]
	// statistics are those of tables that were analyzed.
	statistics *statisticsMap
	// byID, readers and children are the dependency graph (see graph.go).
	byID     *btree.Map[ID, *Table]
	readers  *btree.Map[edge, Object]
	children *btree.Map[edge, *Table]
	// next are the allocators that the catalog owns.
	next Allocators
}

// Allocators are the next unused numbers of a database. They only grow, also over a rollback's loss of the numbers it took.
type Allocators struct {
	ID  ID
	Seq uint64
}

// IndexEntry is an index with the table that owns it.
type IndexEntry struct {
	Table *Table
	Index *Index
}

// objectKey is folded schema and name, joined so that a schema's objects are contiguous.
type objectKey string

func key(schema, name string) objectKey {
	return objectKey(types.Fold(schema) + "\x00" + types.Fold(name))
}

// MainSchema and TempSchema exist in every database.
const (
	MainSchema = "main"
	TempSchema = "temp"
)

// NewSnapshot gives the empty catalog: schemas main and temp without objects.
func NewSnapshot() *Snapshot {
	return &Snapshot{
		schemas:    []string{MainSchema, TempSchema},
		relations:  new(btree.Map[objectKey, Relation]),
		indexes:    new(btree.Map[objectKey, *IndexEntry]),
		assertions: new(btree.Map[objectKey, *Assertion]),
		statistics: new(statisticsMap),
		byID:       new(btree.Map[ID, *Table]),
		readers:    new(btree.Map[edge, Object]),
		children:   new(btree.Map[edge, *Table]),
		next:       Allocators{ID: 1, Seq: 1},
	}
}

// Allocators gives the next unused numbers.
func (s *Snapshot) Allocators() Allocators { return s.next }

// Schemas lists the schemas in order of creation.
func (s *Snapshot) Schemas() []string { return slices.Clone(s.schemas) }

// HasSchema reports whether the schema exists.
func (s *Snapshot) HasSchema(name string) bool {
	return slices.Contains(s.schemas, types.Fold(name))
}

// Table gives the table of that name, nil when there is none or it is a view.
func (s *Snapshot) Table(schema, name string) *Table {
	t, _ := s.Relation(schema, name).(*Table)
	return t
}

// View gives the view of that name, nil when there is none or it is a table.
func (s *Snapshot) View(schema, name string) *View {
	v, _ := s.Relation(schema, name).(*View)
	return v
}

// Relation gives the table or view of that name, nil when there is none.
func (s *Snapshot) Relation(schema, name string) Relation {
	r, _ := s.relations.Get(key(schema, name))
	return r
}

// Resolve looks an unqualified name up along a schema path; the first schema that has it wins. It gives nil when none has.
func (s *Snapshot) Resolve(path []string, name string) Relation {
	for _, schema := range path {
		if r := s.Relation(schema, name); r != nil {
			return r
		}
	}
	return nil
}

// Index gives the index of that name with its table, nil when there is none.
func (s *Snapshot) Index(schema, name string) *IndexEntry {
	e, _ := s.indexes.Get(key(schema, name))
	return e
}

// Assertion gives the assertion of that name, nil when there is none.
func (s *Snapshot) Assertion(schema, name string) *Assertion {
	a, _ := s.assertions.Get(key(schema, name))
	return a
}

// Tables yields the tables of a schema in order of name; TablesInOrder gives them in order of creation.
func (s *Snapshot) Tables(schema string) iter.Seq[*Table] {
	return func(yield func(*Table) bool) {
		ascend(s.relations, schema, func(r Relation) bool {
			t, ok := r.(*Table)
			return !ok || yield(t)
		})
	}
}

// Views yields the views of a schema in order of name.
func (s *Snapshot) Views(schema string) iter.Seq[*View] {
	return func(yield func(*View) bool) {
		ascend(s.relations, schema, func(r Relation) bool {
			v, ok := r.(*View)
			return !ok || yield(v)
		})
	}
}

// Assertions yields the assertions of a schema in order of name.
func (s *Snapshot) Assertions(schema string) iter.Seq[*Assertion] {
	return func(yield func(*Assertion) bool) { ascend(s.assertions, schema, yield) }
}

// TablesInOrder lists the tables of a schema in order of creation.
func (s *Snapshot) TablesInOrder(schema string) []*Table {
	return inOrder(s.Tables(schema), func(t *Table) uint64 { return t.Seq })
}

// ViewsInOrder lists the views of a schema in order of creation.
func (s *Snapshot) ViewsInOrder(schema string) []*View {
	return inOrder(s.Views(schema), func(v *View) uint64 { return v.Seq })
}

// AssertionsInOrder lists the assertions of a schema in order of creation.
func (s *Snapshot) AssertionsInOrder(schema string) []*Assertion {
	return inOrder(s.Assertions(schema), func(a *Assertion) uint64 { return a.Seq })
}

func inOrder[T any](seq iter.Seq[T], at func(T) uint64) []T {
	out := slices.Collect(seq)
	slices.SortFunc(out, func(a, b T) int {
		switch x, y := at(a), at(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return out
}

// ascend yields the values whose keys belong to the schema.
func ascend[V any](m *btree.Map[objectKey, V], schema string, yield func(V) bool) {
	from := key(schema, "")
	m.Ascend(from, func(k objectKey, v V) bool {
		return len(k) >= len(from) && k[:len(from)] == from && yield(v)
	})
}

func mustRelation(m *btree.Map[objectKey, Relation], k objectKey) Relation {
	r, _ := m.Get(k)
	return r
}
