package catalog

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Edit builds the successor of a snapshot. It is used by one goroutine; the snapshot it came from stays as it was.
type Edit struct {
	next *Snapshot
}

// Edit begins a change of the snapshot.
func (s *Snapshot) Edit() *Edit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Edit{next: &Snapshot{
		schemas:    slices.Clone(s.schemas),
		relations:  s.relations.Copy(),
		indexes:    s.indexes.Copy(),
		assertions: s.assertions.Copy(),
		byID:       s.byID.Copy(),
		readers:    s.readers.Copy(),
		children:   s.children.Copy(),
		statistics: s.statistics.Copy(),
		next:       s.next,
	}}
}

// Done gives the new snapshot; the Edit must not be used afterwards.
func (e *Edit) Done() *Snapshot { return e.next }

// Snapshot gives the state built so far, for reading between the steps of one change.
func (e *Edit) Snapshot() *Snapshot { return e.next }

// NewID takes an object id.
func (e *Edit) NewID() ID { e.next.next.ID++; return e.next.next.ID - 1 }

// NewSeq takes a creation number.
func (e *Edit) NewSeq() uint64 { e.next.next.Seq++; return e.next.next.Seq - 1 }

// AddSchema makes a schema exist; it does nothing when it does already.
func (e *Edit) AddSchema(name string) {
	if f := types.Fold(name); !e.next.HasSchema(f) {
		e.next.schemas = append(e.next.schemas, f)
	}
}

// SetAllocators raises the allocators to at least a.
func (e *Edit) SetAllocators(a Allocators) {
	n := &e.next.next
	n.ID, n.Seq = max(n.ID, a.ID), max(n.Seq, a.Seq)
}

// PutTable adds a table or replaces the one of its name, with its indexes and foreign keys.
func (e *Edit) PutTable(t *Table) {
	k := key(t.Schema, t.Name)
	e.take(k)
	e.next.relations.Set(k, t)
	e.link(t)
	for _, ix := range t.Indexes {
		e.next.indexes.Set(key(t.Schema, ix.Name), &IndexEntry{Table: t, Index: ix})
	}
}

// addIndex gives an index to a table that nobody but this Edit has seen yet.
func (e *Edit) addIndex(t *Table, ix *Index) {
	t.Indexes = append(t.Indexes, ix)
	e.next.indexes.Set(key(t.Schema, ix.Name), &IndexEntry{Table: t, Index: ix})
	for x := range ix.Expressions() {
		if ast.HoldsQuery(x.X) {
			e.link(t)
		}
	}
}

// PutSchema puts all objects of a schema of another snapshot, and the schema itself. They are shared, with the ids they have.
func (e *Edit) PutSchema(from *Snapshot, schema string) {
	e.AddSchema(schema)
	for t := range from.Tables(schema) {
		e.PutTable(t)
	}
	for v := range from.Views(schema) {
		e.PutView(v)
	}
	for a := range from.Assertions(schema) {
		e.PutAssertion(a)
	}
}

// WithSchema gives the snapshot with a schema of another one, which need not have it, in place of its own. It takes no time to speak of
// where neither has other schemas that hold something.
func (s *Snapshot) WithSchema(from *Snapshot, schema string) *Snapshot {
	if !s.holdsBeside(schema) && !from.holdsBeside(schema) {
		e := from.Edit()
		for _, own := range s.schemas {
			e.AddSchema(own)
		}
		return e.Done()
	}
	e := NewSnapshot().Edit()
	for _, own := range s.schemas {
		if !types.EqualFold(own, schema) {
			e.PutSchema(s, own)
		}
	}
	e.PutSchema(from, schema)
	return e.Done()
}

// holdsBeside reports whether a schema other than the one named holds something.
func (s *Snapshot) holdsBeside(schema string) bool {
	for _, own := range s.schemas {
		if types.EqualFold(own, schema) {
			continue
		}
		for range s.Tables(own) {
			return true
		}
		for range s.Views(own) {
			return true
		}
		for range s.Assertions(own) {
			return true
		}
	}
	return false
}

// PutView adds a view or replaces the one of its name.
func (e *Edit) PutView(v *View) {
	k := key(v.Schema, v.Name)
	e.take(k)
	e.next.relations.Set(k, v)
	e.link(v)
}

// PutAssertion adds an assertion or replaces the one of its name.
func (e *Edit) PutAssertion(a *Assertion) {
	e.DropAssertion(a.Schema, a.Name)
	e.next.assertions.Set(key(a.Schema, a.Name), a)
	e.link(a)
}

// DropRelation removes the table or view of that name with its indexes.
func (e *Edit) DropRelation(schema, name string) {
	k := key(schema, name)
	e.take(k)
	e.next.relations.Delete(k)
}

// DropAssertion removes the assertion of that name.
func (e *Edit) DropAssertion(schema, name string) {
	if old, ok := e.next.assertions.Delete(key(schema, name)); ok {
		e.unlink(old)
	}
}

// take removes what stands at k from the other maps.
func (e *Edit) take(k objectKey) {
	r := mustRelation(e.next.relations, k)
	if r == nil {
		return
	}
	e.unlink(r.(Object))
	if t, ok := r.(*Table); ok {
		for _, ix := range t.Indexes {
			e.next.indexes.Delete(key(t.Schema, ix.Name))
		}
	}
}

func (fk *ForeignKey) parentKey(child *Table) objectKey { return key(fk.ParentName(child)) }
