package ast

import (
	"fmt"
	"slices"
)

// Walk visits n and the nodes below it in source order, parents first. Where f answers false the children are left out.
//
// Every node with a position of its own is visited: statements, queries, sources, expressions, and the parts that clauses
// consist of, such as *SelectItem, *CTE, *Window, *ColumnDef, *TypeName. Names are not nodes to it; it meets them in the
// node that holds them. Parts that a node holds by value are visited by a pointer into that node, which f must not write to.
func Walk(n Node, f func(Node) bool) {
	var visit func(Node) Node
	visit = func(n Node) Node {
		if f(n) {
			MapChildren(n, visit)
		}
		return n
	}
	visit(n)
}

// Rewrite builds the tree in which every node x has become f(x), children before parents: f sees a node whose children are
// rewritten already. Nodes that nothing changes are shared with the given tree, which stays as it was. f answers its argument
// to keep it, else a node that may stand in the same place; it panics when that place cannot hold the answer.
func Rewrite(n Node, f func(Node) Node) Node {
	var visit func(Node) Node
	visit = func(n Node) Node { return f(MapChildren(n, visit)) }
	return visit(n)
}

// MapChildren applies f to the children of n in source order. It gives n itself when all answers are the nodes that were
// asked about, else a copy of n that holds the answers. It is the one list of what a node's children are.
func MapChildren(n Node, f func(Node) Node) Node {
	switch n.(type) {
	case *Literal, *ColumnRef, *Param, *TypeName, *TableRef: // most nodes are leaves
		return n
	}
	s := Mapper{Map: f}
	switch n := n.(type) {
	case Expr:
		return s.mapExpr(n)
	case TableExpr:
		return s.mapTableExpr(n)
	case QueryTerm:
		return s.mapQueryTerm(n)
	case AlterAction:
		return s.mapAlterAction(n)
	case Stmt:
		return s.mapStmt(n)
	}
	return s.mapPart(n)
}

// Mapper applies Map to children of a node one after the other and notes whether one of them changed. It serves those who rewrite trees and
// have more to say on the way than Rewrite lets them.
type Mapper struct {
	Map     func(Node) Node
	Changed bool
}

// Keep returns n when nothing changed, else the changed copy c of it.
func Keep[T any](s *Mapper, n *T, c T) *T {
	if !s.Changed {
		return n
	}
	x := new(T) // not &c, which would be allocated for every node
	*x = c
	return x
}

// MapOne maps a child that is held by pointer or interface; an absent one is skipped.
func MapOne[T interface {
	comparable
	Node
}](s *Mapper, slot *T) {
	var none T
	if *slot == none {
		return
	}
	if x := answer[T](s, *slot); x != *slot {
		*slot, s.Changed = x, true
	}
}

// MapList maps children that are held by pointer or interface.
func MapList[T interface {
	comparable
	Node
}](s *Mapper, slot *[]T) {
	MapEach(s, slot, func(s *Mapper, x T) T { MapOne(s, &x); return x })
}

// MapPart maps a child that the node holds by value: f sees it in the old node, the answer goes to the copy.
func MapPart[T any, P interface {
	*T
	Node
}](s *Mapper, old P, slot P) {
	if x := answer[P](s, old); x != old {
		*slot, s.Changed = *x, true
	}
}

// MapParts maps children that the node holds by value.
func MapParts[T any, P interface {
	*T
	Node
}](s *Mapper, slot *[]T) {
	old := *slot
	for i := range old {
		if x := answer[P](s, P(&old[i])); x != P(&old[i]) {
			store(s, slot, old, i, *x)
		}
	}
}

// MapEach maps the elements of a list that are no nodes themselves but hold some.
func MapEach[T any](s *Mapper, slot *[]T, f func(*Mapper, T) T) {
	old, before := *slot, s.Changed
	for i, x := range old {
		s.Changed = false
		if x = f(s, x); s.Changed {
			store(s, slot, old, i, x)
			before = true
		}
	}
	s.Changed = before
}

// store puts x at i of the list in slot, which is copied first if it is still the old one.
func store[T any](s *Mapper, slot *[]T, old []T, i int, x T) {
	if &(*slot)[0] == &old[0] {
		*slot = slices.Clone(old)
	}
	(*slot)[i], s.Changed = x, true
}

func answer[T Node](s *Mapper, n T) T {
	x, ok := s.Map(n).(T)
	if !ok {
		panic(fmt.Sprintf("ast: rewriting put another kind of node in the place of a %T", n))
	}
	return x
}

// Assignments maps the values of assignments.
func (s *Mapper) Assignments(slot *[]Assignment) {
	MapEach(s, slot, func(s *Mapper, a Assignment) Assignment { MapOne(s, &a.X); return a })
}

// OrderBy maps the keys of an order.
func (s *Mapper) OrderBy(slot *[]OrderTerm) {
	MapEach(s, slot, func(s *Mapper, t OrderTerm) OrderTerm { MapOne(s, &t.X); return t })
}

func (s *Mapper) rows(slot *[][]Expr) {
	MapEach(s, slot, func(s *Mapper, row []Expr) []Expr { MapList(s, &row); return row })
}

func (s *Mapper) tags(slot *[]Tag) {
	MapEach(s, slot, func(s *Mapper, t Tag) Tag { MapOne(s, &t.Value); return t })
}

// mapPart maps the children of nodes that belong to no class of their own.
func (s *Mapper) mapPart(n Node) Node {
	switch n := n.(type) {
	case *Window, *Frame:
		return s.mapWindowPart(n)
	case *With, *CTE, *SelectItem, *Target, *Upsert:
		return s.mapQueryPart(n)
	case *ColumnDef, *ColumnConstraint, *TableConstraint, *UsingClause, *MaintainedClause, *IndexColumn:
		return s.mapTablePart(n)
	case *SeedItem:
		c := *n
		s.rows(&c.Rows)
		return Keep(s, n, c)
	case *Option:
		c := *n
		MapOne(s, &c.Value)
		return Keep(s, n, c)
	}
	return n
}
