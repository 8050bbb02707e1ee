package differ

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// resource is something that a step makes, needs or takes away. All names are folded.
type resource struct {
	kind        resourceKind
	table, name string
}

type resourceKind uint8

const (
	// relationOf: a table or view of the name exists.
	relationOf resourceKind = iota
	columnOf
	constraintOf
	// indexOf: the name of an index in the schema. structureOf: the name of an index or of the structure of a UNIQUE in a table.
	indexOf
	structureOf
	// uniqueOf: a uniqueness rule over exactly these columns, for foreign keys to point at.
	uniqueOf
	// typeOf: a key member's type, which nothing may change while it is one.
	typeOf
	// domainOf: a column has its declared type and collation.
	domainOf
	// collationOf: a column has the collation of before the plan.
	collationOf
	// valuesOf: a column has no NULL left that is filled.
	valuesOf
	// contextOf: a table has its declared mutation context.
	contextOf
	// writableOf: a maintained table is detached and can be altered. shapeOf: a table is not yet attached, and still can.
	writableOf
	shapeOf
	// derivationOf: a table has the derivation that is declared.
	derivationOf
	// goingOf: a table that the plan drops has the name under which it does.
	goingOf
	// sequenceOf: the first of two statements, named by both, has run.
	sequenceOf
)

func relationResource(name string) resource {
	return resource{kind: relationOf, name: types.Fold(name)}
}
func columnResource(table, name string) resource {
	return resource{columnOf, types.Fold(table), types.Fold(name)}
}
func constraintResource(table, name string) resource {
	return resource{constraintOf, types.Fold(table), types.Fold(name)}
}
func indexResource(name string) resource { return resource{kind: indexOf, name: types.Fold(name)} }
func structureResource(table, name string) resource {
	return resource{structureOf, types.Fold(table), types.Fold(name)}
}
func typeResource(table, name string) resource {
	return resource{typeOf, types.Fold(table), types.Fold(name)}
}
func goingResource(table string) resource { return resource{kind: goingOf, table: types.Fold(table)} }
func domainResource(table, name string) resource {
	return resource{domainOf, types.Fold(table), types.Fold(name)}
}
func valuesResource(table, name string) resource {
	return resource{valuesOf, types.Fold(table), types.Fold(name)}
}
func writableResource(table string) resource {
	return resource{kind: writableOf, table: types.Fold(table)}
}
func shapeResource(table string) resource { return resource{kind: shapeOf, table: types.Fold(table)} }
func derivationResource(table string) resource {
	return resource{kind: derivationOf, table: types.Fold(table)}
}

func columnResources(table string, names []string) []resource {
	out := make([]resource, len(names))
	for i, n := range names {
		out[i] = columnResource(table, n)
	}
	return out
}

// uniqueResource is one for all orders of the columns.
func uniqueResource(table string, columns []string) resource {
	folded := make([]string, len(columns))
	for i, c := range columns {
		folded[i] = types.Fold(c)
	}
	slices.Sort(folded)
	return resource{uniqueOf, types.Fold(table), strings.Join(folded, "\x00")}
}

// dependencies are what a step has to do with others.
type dependencies struct {
	gives []resource // is there once the step has run
	needs []resource // must be there: the step runs behind those that give it
	ends  []resource // is gone once the step has run; what gives it anew, or takes its name, runs behind
	lets  []resource // is read by the step, or by something that it takes away: what ends it runs behind
	uses  []resource // is read by the step, which may run before those that give it, or depends on them
	waits []resource // must be gone: the step runs behind those that end it
}

func (d *dependencies) give(r ...resource) { d.gives = append(d.gives, r...) }
func (d *dependencies) need(r ...resource) { d.needs = append(d.needs, r...) }
func (d *dependencies) end(r ...resource)  { d.ends = append(d.ends, r...) }
func (d *dependencies) use(r ...resource)  { d.uses = append(d.uses, r...) }
func (d *dependencies) wait(r ...resource) { d.waits = append(d.waits, r...) }
func (d *dependencies) let(r ...resource)  { d.lets = append(d.lets, r...) }

// sortSteps sorts steps topologically by their dependencies; among those that could run next the first in documented order does. Steps of a
// cycle, which no order satisfies, keep the documented order. It takes O((s + d) log s) for s steps with d dependencies, and fills After.
func sortSteps(steps []*step) []*step {
	before := predecessors(steps)
	waiting, followers := make([]int, len(steps)), make([][]int, len(steps))
	for i, list := range before {
		waiting[i] = len(list)
		for _, p := range list {
			followers[p] = append(followers[p], i)
		}
	}
	var ready intHeap
	for i := range steps {
		if waiting[i] == 0 {
			ready = append(ready, i)
		}
	}
	order, place := make([]*step, 0, len(steps)), make([]int, len(steps))
	done, first := make([]bool, len(steps)), 0
	for len(order) < len(steps) {
		if len(ready) == 0 {
			for done[first] {
				first++
			}
			ready = append(ready, first)
		}
		i := heap.Pop(&ready).(int)
		if done[i] {
			continue
		}
		done[i], place[i] = true, len(order)
		order = append(order, steps[i])
		for _, f := range followers[i] {
			if waiting[f]--; waiting[f] == 0 {
				heap.Push(&ready, f)
			}
		}
	}
	used := usedSteps(steps)
	for i, s := range steps {
		s.After = placesBefore(append(before[i], used[i]...), place, place[i])
	}
	return order
}

// usedSteps gives for each step those that give what it uses.
func usedSteps(steps []*step) [][]int {
	givers := map[resource][]int{}
	for i, s := range steps {
		for _, r := range s.gives {
			givers[r] = append(givers[r], i)
		}
	}
	out := make([][]int, len(steps))
	for i, s := range steps {
		for _, r := range s.uses {
			out[i] = append(out[i], givers[r]...)
		}
	}
	return out
}

// placesBefore turns predecessors into places of the sorted list. One that a cycle put behind the step is left out.
func placesBefore(before, place []int, own int) []int {
	var out []int
	for _, p := range before {
		if place[p] < own {
			out = append(out, place[p])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// predecessors gives for each step the steps that must run before it, each once, ascending.
func predecessors(steps []*step) [][]int {
	givers, enders := map[resource][]int{}, map[resource][]int{}
	for i, s := range steps {
		for _, r := range s.gives {
			givers[r] = append(givers[r], i)
		}
		for _, r := range s.ends {
			enders[r] = append(enders[r], i)
		}
	}
	before := make([][]int, len(steps))
	// precede notes that all of first run before all of then.
	precede := func(first, then []int) {
		for _, f := range first {
			for _, t := range then {
				if f != t {
					before[t] = append(before[t], f)
				}
			}
		}
	}
	for i, s := range steps {
		self := []int{i}
		for _, r := range s.needs {
			precede(givers[r], self)
		}
		for _, r := range s.gives {
			precede(enders[r], self)
		}
		for _, r := range s.waits {
			precede(enders[r], self)
		}
		for _, r := range s.lets {
			precede(self, enders[r])
		}
	}
	for i := range before {
		slices.SortFunc(before[i], cmp.Compare)
		before[i] = slices.Compact(before[i])
	}
	return before
}

// intHeap is a heap of places, the lowest first.
type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
