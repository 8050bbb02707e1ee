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
			mapChildren(n, visit)
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
	visit = func(n Node) Node { return f(mapChildren(n, visit)) }
	return visit(n)
}

// mapChildren applies f to the children of n in source order. It gives n itself when all answers are the nodes that were
// asked about, else a copy of n that holds the answers. It is the one list of what a node's children are.
func mapChildren(n Node, f func(Node) Node) Node {
	switch n.(type) {
	case *Literal, *ColumnRef, *Param, *TypeName, *TableRef: // most nodes are leaves
		return n
	}
	s := slots{f: f}
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

// slots applies f to children one after the other and notes whether one of them changed.
type slots struct {
	f       func(Node) Node
	changed bool
}

// keep answers n when nothing changed, else the changed copy c of it.
func keep[T any](s *slots, n *T, c T) *T {
	if !s.changed {
		return n
	}
	x := new(T) // not &c, which would be allocated for every node
	*x = c
	return x
}

// one maps a child that is held by pointer or interface; an absent one is skipped.
func one[T interface {
	comparable
	Node
}](s *slots, slot *T) {
	var none T
	if *slot == none {
		return
	}
	if x := answer[T](s, *slot); x != *slot {
		*slot, s.changed = x, true
	}
}

// list maps children that are held by pointer or interface.
func list[T interface {
	comparable
	Node
}](s *slots, slot *[]T) {
	each(s, slot, func(s *slots, x T) T { one(s, &x); return x })
}

// part maps a child that the node holds by value: f sees it in the old node, the answer goes to the copy.
func part[T any, P interface {
	*T
	Node
}](s *slots, old P, slot P) {
	if x := answer[P](s, old); x != old {
		*slot, s.changed = *x, true
	}
}

// parts maps children that the node holds by value.
func parts[T any, P interface {
	*T
	Node
}](s *slots, slot *[]T) {
	old := *slot
	for i := range old {
		if x := answer[P](s, P(&old[i])); x != P(&old[i]) {
			store(s, slot, old, i, *x)
		}
	}
}

// each maps the elements of a list that are no nodes themselves but hold some.
func each[T any](s *slots, slot *[]T, f func(*slots, T) T) {
	old, before := *slot, s.changed
	for i, x := range old {
		s.changed = false
		if x = f(s, x); s.changed {
			store(s, slot, old, i, x)
			before = true
		}
	}
	s.changed = before
}

// store puts x at i of the list in slot, which is copied first if it is still the old one.
func store[T any](s *slots, slot *[]T, old []T, i int, x T) {
	if &(*slot)[0] == &old[0] {
		*slot = slices.Clone(old)
	}
	(*slot)[i], s.changed = x, true
}

func answer[T Node](s *slots, n T) T {
	x, ok := s.f(n).(T)
	if !ok {
		panic(fmt.Sprintf("ast: rewriting put another kind of node in the place of a %T", n))
	}
	return x
}

func (s *slots) assignments(slot *[]Assignment) {
	each(s, slot, func(s *slots, a Assignment) Assignment { one(s, &a.X); return a })
}

func (s *slots) orderBy(slot *[]OrderTerm) {
	each(s, slot, func(s *slots, t OrderTerm) OrderTerm { one(s, &t.X); return t })
}

func (s *slots) rows(slot *[][]Expr) {
	each(s, slot, func(s *slots, row []Expr) []Expr { list(s, &row); return row })
}

func (s *slots) tags(slot *[]Tag) {
	each(s, slot, func(s *slots, t Tag) Tag { one(s, &t.Value); return t })
}

// mapPart maps the children of nodes that belong to no class of their own.
func (s *slots) mapPart(n Node) Node {
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
		return keep(s, n, c)
	case *Option:
		c := *n
		one(s, &c.Value)
		return keep(s, n, c)
	}
	return n
}
