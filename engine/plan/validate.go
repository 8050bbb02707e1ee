package plan

import (
	"fmt"

	"github.com/quereus/quereus-migrate/types"
)

// validate checks what every rule must keep: a node has one parent, makes each of its columns once, and its expressions read only
// what its inputs make, or an enclosing query. It is for the hunt for faults of ours (pragma validate_plan, builds with
// invariants); rule names the step after which it looks.
func (o *optimizer) validate(root Node, rule string) {
	v := validator{seen: map[Node]bool{}}
	v.node(root, ColSet{})
	if v.fault != "" {
		o.fail(types.Errorf(types.INTERNAL, "the plan is broken after %s: %s", rule, v.fault))
	}
}

type validator struct {
	seen  map[Node]bool
	fault string
}

func (v *validator) fail(format string, args ...any) {
	if v.fault == "" {
		v.fault = fmt.Sprintf(format, args...)
	}
}

// node checks a tree; outer are the columns of enclosing queries that it may read.
func (v *validator) node(n Node, outer ColSet) {
	if v.seen[n] {
		v.fail("a %T has two parents", n)
		return
	}
	v.seen[n] = true
	v.distinct(n)
	reads := union(outer, available(n))
	eachExpr(n, func(slot *Expr) { v.expr(n, *slot, reads) })
	if j, ok := n.(*Join); ok {
		v.node(j.L, outer)
		if j.Lateral || j.Method == ApplyJoin {
			outer = union(outer, outputOf(j.L))
		}
		v.node(j.R, outer)
		return
	}
	eachInput(n, func(slot *Node) { v.node(*slot, outer) })
}

// distinct checks that a node makes no column twice.
func (v *validator) distinct(n Node) {
	made := ColSet{}
	for _, c := range n.Output() {
		if made.Has(c.ID) {
			v.fail("a %T makes column %s twice", n, c.Name)
		}
		made.Add(c.ID)
	}
}

// expr checks what an expression reads, and the plans of its subqueries.
func (v *validator) expr(n Node, x Expr, reads ColSet) {
	walkExpr(x, func(x Expr) bool {
		if c, ok := x.(*Col); ok && !reads.Has(c.ID) {
			v.fail("a %T reads column %s, which nothing below or around it makes", n, c.Name)
		}
		if s := subplanOf(x); s != nil && !v.seen[s.Root] { // a scan holds the filters that it evaluates twice
			v.node(s.Root, reads)
		}
		return true
	})
}

// available gives the columns that a node's own expressions may read besides those of enclosing queries.
func available(n Node) ColSet {
	set := ColSet{}
	eachInput(n, func(slot *Node) { set.AddColumns((*slot).Output()) })
	switch n := n.(type) {
	case *Scan:
		set.AddColumns(n.Cols)
	case Change:
		for _, r := range n.Writing().All {
			set.AddColumns(r.frame())
		}
	}
	return set
}

func outputOf(n Node) ColSet {
	set := ColSet{}
	set.AddColumns(n.Output())
	return set
}

func union(a, b ColSet) ColSet {
	for id := range a {
		b.Add(id)
	}
	return b
}
