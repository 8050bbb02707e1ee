package exec

import (
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// recipe makes an operator for a run. What it captures is compiled once and shared by all runs.
type recipe func() Operator

// builder compiles one plan.
type builder struct {
	plan *plan.Plan
	subs []*subRecipe
	// slots of outer columns, members of WITH, and working tables in the Context.
	outer   map[plan.ColID]int
	members map[*plan.CTE]*memberRecipe
	works   map[*plan.WorkTable]int
	// plans are the compiled plans of subqueries, which may stand in several places.
	plans map[*plan.Subplan]recipe
	// spools and tables count the slots of members and working tables.
	spools, tables int
	write          *writeRecipe           // of data changes; nil without
	measures       map[plan.Node]*Measure // nil when nobody measures
	err            error
}

func newBuilder(p *plan.Plan) *builder {
	return &builder{
		plan: p, outer: map[plan.ColID]int{}, members: map[*plan.CTE]*memberRecipe{}, works: map[*plan.WorkTable]int{},
		plans: map[*plan.Subplan]recipe{},
	}
}

// Build compiles a plan.
func Build(p *plan.Plan) (*Program, error) { return newBuilder(p).build() }

func (b *builder) build() (*Program, error) {
	p := b.plan
	root := b.node(p.Root)
	b.settleWrites()
	if b.err != nil {
		return nil, b.err
	}
	program := b.program(root)
	_, program.batch = p.Root.(*plan.Insert)
	return program, nil
}

func (b *builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// outerSlot gives the Context's slot of a column that is read from an enclosing query.
func (b *builder) outerSlot(id plan.ColID) int {
	slot, ok := b.outer[id]
	if !ok {
		slot = len(b.outer)
		b.outer[id] = slot
	}
	return slot
}

// node compiles a node with everything below it.
func (b *builder) node(n plan.Node) recipe {
	r := b.operator(n)
	if b.measures == nil || r == nil {
		return r
	}
	return b.measured(n, r)
}

// operator compiles a node by its kind.
func (b *builder) operator(n plan.Node) recipe {
	switch n := n.(type) {
	case *plan.Scan:
		return b.scan(n)
	case *plan.Values:
		return b.values(n)
	case *plan.TableFunc:
		return b.tableFunc(n)
	case *plan.Filter:
		return b.filter(n)
	case *plan.Project:
		return b.project(n)
	case *plan.Join:
		return b.join(n)
	case *plan.Aggregate:
		return b.aggregate(n)
	case *plan.Window:
		return b.window(n)
	case *plan.Sort:
		return b.sort(n)
	case *plan.Limit:
		return b.limit(n)
	case *plan.Distinct:
		return b.distinct(n)
	case *plan.SetOp:
		return b.setOp(n)
	case *plan.With:
		return b.with(n)
	case *plan.CTERead:
		return b.memberRead(n)
	case *plan.Recursive:
		return b.recursive(n)
	case *plan.WorkRead:
		return b.workRead(n)
	case plan.Change:
		return b.change(n)
	}
	b.fail(types.Errorf(types.INTERNAL, "exec: a node that nothing runs: %T", n))
	return nil
}
