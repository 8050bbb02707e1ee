package catalog

import (
	"cmp"
	"slices"

	"github.com/tidwall/btree"
)

// Object is a table, view or assertion of the catalog.
type Object interface{ object() objectInfo }

// objectInfo is what identifies and places an object.
type objectInfo struct {
	kind         ObjectKind
	id           ID
	schema, name string
}

func (t *Table) object() objectInfo     { return objectInfo{TableKind, t.ID, t.Schema, t.Name} }
func (v *View) object() objectInfo      { return objectInfo{ViewKind, v.ID, v.Schema, v.Name} }
func (a *Assertion) object() objectInfo { return objectInfo{AssertionKind, a.ID, a.Schema, a.Name} }

// ObjectChange is an object that differs between two snapshots: Before is nil for a new one, After for one that is gone. The two
// sides of a renamed object are one change: objects are matched by their ids.
type ObjectChange struct {
	Kind          ObjectKind
	ID            ID
	Before, After Object
}

// Changes lists the objects that differ between two states of one database, in order of kind, schema and name (the later one where
// there is one). An object that an Edit has not touched does not differ: objects are compared by identity. It is linear in the
// size of both snapshots.
func Changes(before, after *Snapshot) []ObjectChange {
	c := changeList{}
	diffMaps(before.relations, after.relations, func(x Relation) Object { return x.(Object) }, c.note)
	diffMaps(before.assertions, after.assertions, func(x *Assertion) Object { return x }, c.note)
	out := make([]ObjectChange, 0, len(c))
	for _, change := range c {
		if change.Before != change.After {
			out = append(out, *change)
		}
	}
	slices.SortFunc(out, func(a, b ObjectChange) int { return compareInfo(a.info(), b.info()) })
	return out
}

func (c *ObjectChange) info() objectInfo {
	if c.After != nil {
		return c.After.object()
	}
	return c.Before.object()
}

func compareInfo(a, b objectInfo) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(key(a.schema, a.name), key(b.schema, b.name)), cmp.Compare(a.id, b.id))
}

// changeList collects the two sides of each object.
type changeList map[objectIdentity]*ObjectChange

type objectIdentity struct {
	kind ObjectKind
	id   ID
}

// note takes one side of what stands under a key in both snapshots; either side may be nil.
func (l changeList) note(before, after Object) {
	if before != nil {
		l.at(before).Before = before
	}
	if after != nil {
		l.at(after).After = after
	}
}

func (l changeList) at(o Object) *ObjectChange {
	info := o.object()
	k := objectIdentity{info.kind, info.id}
	if l[k] == nil {
		l[k] = &ObjectChange{Kind: info.kind, ID: info.id}
	}
	return l[k]
}

// diffMaps walks two maps side by side and tells note the entries that differ under each key.
func diffMaps[V comparable](before, after *btree.Map[objectKey, V], object func(V) Object, note func(before, after Object)) {
	b, a := before.Iter(), after.Iter()
	moreB, moreA := b.First(), a.First()
	for moreB || moreA {
		switch {
		case !moreA || moreB && b.Key() < a.Key():
			note(object(b.Value()), nil)
			moreB = b.Next()
		case !moreB || a.Key() < b.Key():
			note(nil, object(a.Value()))
			moreA = a.Next()
		default:
			if b.Value() != a.Value() {
				note(object(b.Value()), object(a.Value()))
			}
			moreB, moreA = b.Next(), a.Next()
		}
	}
}
