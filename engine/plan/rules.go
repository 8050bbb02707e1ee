package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/types/invariant"
)

// optimizer rewrites one bound statement.
type optimizer struct {
	b   *Binder
	env *Env
	err error
	// rules are rewriteRules, which plan-subqueries applies to subqueries.
	rules []rule
	// depth counts the subqueries around the tree that rules are applied to.
	depth int
	// subplans are the planned subqueries, by what they were before and by themselves.
	subplans map[*Subplan]*Subplan
	// members are the expectations of planned members of WITH.
	members map[*CTE]*Estimate
	// relations are the planned relations of joins; keepsOrder is set while the order of rows matters above.
	relations  map[plannedRelation]Node
	keepsOrder bool
}

// rule is one rewriting of a whole tree, the plans of its subqueries left out: they are trees of their own. It gives the new
// root and writes to no node that it was given.
type rule struct {
	name  string
	apply func(o *optimizer, root Node) Node
}

// rewriteRules are applied in this order, each to the whole tree.
var rewriteRules = []rule{
	{"decorrelate", (*optimizer).decorrelate},      // subqueries that are joins, before they are planned by themselves
	{planSubqueries, (*optimizer).subqueries},      // innermost first, so that every other rule meets them planned
	{"fold-constants", (*optimizer).foldConstants}, // before pushdown, so that constant conditions vanish
	{"inline-members", (*optimizer).inlineMembers}, // so that conditions reach into members of WITH that are read once
	{"push-filters", (*optimizer).pushFilters},     // to scans, below joins, and into join conditions
	{"simplify-joins", (*optimizer).simplifyJoins}, // an outer join whose null-extended rows are filtered out is an inner one
	{"push-filters", (*optimizer).pushFilters},     // below the joins that have become inner ones
	{"merge-projects", (*optimizer).mergeProjects}, // what inlining and hidden sort columns have stacked up
	{"push-limits", (*optimizer).pushLimits},       // into sorts and scans
	{"prune-columns", (*optimizer).pruneColumns},   // last of the logical ones: earlier rules may drop the only reader
	{chooseAccess, (*optimizer).chooseAccess},      // joins and access paths, bottom up, with the orders that are asked for
	{"merge-projects", (*optimizer).mergeProjects}, // where an order came for free, its sort and what it read are gone
}

const (
	chooseAccess   = "choose-access"
	planSubqueries = "plan-subqueries"
	// orderJoins is a part of choose-access.
	orderJoins = "order-joins"
)

// RuleNames lists the rules that Env.Without may name.
func RuleNames() []string {
	names := []string{orderJoins}
	for _, r := range rewriteRules {
		if r.name != planSubqueries && !slices.Contains(names, r.name) {
			names = append(names, r.name)
		}
	}
	return names
}

// optimize rewrites a statement and the plans of its subqueries, innermost first.
func (b *Binder) optimize(root Node) (Node, error) {
	o := newOptimizer(b)
	root = o.tree(root)
	return root, o.err
}

func newOptimizer(b *Binder) *optimizer {
	return &optimizer{b: b, env: b.env, rules: rewriteRules, subplans: map[*Subplan]*Subplan{}, members: map[*CTE]*Estimate{}, relations: map[plannedRelation]Node{}}
}

// stops reports whether planning is to end: it failed, or the statement is not wanted any more.
func (o *optimizer) stops() bool {
	if err := o.b.canceled(); err != nil {
		o.fail(err)
	}
	return o.err != nil
}

// tree applies all rules to a tree.
func (o *optimizer) tree(root Node) Node {
	for _, r := range o.rules {
		if o.stops() {
			break
		}
		switch {
		case !o.without(r.name):
			root = r.apply(o, root)
		case r.name == chooseAccess:
			root = withoutAccess(root)
		}
		if o.depth == 0 && (o.env.Validate || invariant.Enabled) {
			o.validate(root, r.name)
		}
	}
	return root
}

func (o *optimizer) without(rule string) bool { return slices.Contains(o.env.Without, rule) }

// withoutAccess makes a tree run as it is: tables are scanned, and joins test all pairs.
func withoutAccess(root Node) Node {
	return bottomUp(root, func(n Node) Node {
		j, ok := n.(*Join)
		if !ok || !j.Lateral {
			return n
		}
		j = fresh(j)
		j.Method = ApplyJoin
		return j
	})
}

// subqueries applies all rules to the subqueries in the expressions of a tree.
func (o *optimizer) subqueries(root Node) Node {
	o.depth++
	defer func() { o.depth-- }()
	return bottomUp(root, func(n Node) Node { return mapExprs(n, o.planSubqueries) })
}

// planSubqueries applies all rules to the subqueries of an expression, once each.
func (o *optimizer) planSubqueries(x Expr) Expr {
	if !HasSubquery(x) {
		return x
	}
	return rewriteExpr(x, func(x Expr) Expr {
		s := subplanOf(x)
		if s == nil || o.err != nil {
			return x
		}
		planned := o.subplans[s]
		if planned == nil {
			planned = s.over(o.tree(s.Root))
			o.subplans[s], o.subplans[planned] = planned, planned
		}
		return withSubplan(x, planned)
	})
}
