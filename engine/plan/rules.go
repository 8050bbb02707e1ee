package plan

import "github.com/quereus/quereus-migrate/types/invariant"

// optimizer rewrites one bound statement.
type optimizer struct {
	b   *Binder
	env *Env
	err error
	// depth counts the subqueries around the tree that rules are applied to.
	depth int
}

// rule is one rewriting of a whole tree, the plans of its subqueries left out: they are trees of their own. It gives the new
// root.
type rule struct {
	name  string
	apply func(o *optimizer, root Node) Node
}

// rewriteRules are applied in this order, each to the whole tree.
var rewriteRules = []rule{
	{"fold-constants", (*optimizer).foldConstants},       // before pushdown, so that constant conditions vanish
	{"inline-members", (*optimizer).inlineMembers},       // so that conditions reach into members of WITH that are read once
	{"push-filters", (*optimizer).pushFilters},           // to scans, below joins, and into join conditions
	{"simplify-joins", (*optimizer).simplifyJoins},       // an outer join whose null-extended rows are filtered out is an inner one
	{"push-filters-again", (*optimizer).pushFilters},     // below the joins that have become inner ones
	{"merge-projects", (*optimizer).mergeProjects},       // what inlining and hidden sort columns have stacked up
	{"push-limits", (*optimizer).pushLimits},             // into sorts and scans
	{"prune-columns", (*optimizer).pruneColumns},         // last of the logical ones: earlier rules may drop the only reader
	{"choose-access", (*optimizer).chooseAccess},         // joins and access paths, bottom up, with the orders that are asked for
	{"merge-projects-again", (*optimizer).mergeProjects}, // where an order came for free, its sort and what it read are gone
	{"settle-subqueries", (*optimizer).settleSubqueries}, // note what each subquery reads from outside
}

// optimize rewrites a statement and the plans of its subqueries, innermost first.
func (b *Binder) optimize(root Node) (Node, error) {
	o := &optimizer{b: b, env: b.env}
	root = o.tree(root)
	return root, o.err
}

// tree applies all rules to a tree whose subqueries have been through them.
func (o *optimizer) tree(root Node) Node {
	o.depth++
	o.subqueries(root)
	o.depth--
	for _, r := range rewriteRules {
		if err := o.b.canceled(); err != nil {
			o.fail(err)
		}
		if o.err != nil {
			break
		}
		root = r.apply(o, root)
		if o.depth == 0 && (o.env.Validate || invariant.Enabled) {
			o.validate(root, r.name)
		}
	}
	return root
}

// subqueries applies all rules to the subqueries in the expressions of a tree.
func (o *optimizer) subqueries(n Node) {
	eachInput(n, func(slot *Node) { o.subqueries(*slot) })
	eachSubplan(n, o.subplan)
}

// subplan applies all rules to a subquery, once.
func (o *optimizer) subplan(s *Subplan) {
	if s.read != nil || o.err != nil {
		return
	}
	s.Root = o.tree(s.Root)
	s.read = FreeColumns(s.Root)
}

// settleSubqueries notes what the subqueries of the whole statement depend on.
func (o *optimizer) settleSubqueries(root Node) Node {
	if o.depth > 0 {
		return root
	}
	return settle(root)
}

// settle notes what the subqueries of a tree depend on.
func settle(root Node) Node {
	WalkNode(root, func(n Node) {
		eachSubplan(n, func(s *Subplan) {
			s.Outer = s.free().Sorted()
			s.Varies = readsWork(s.Root)
		})
	})
	return root
}

// bottomUp replaces every node of a tree, inputs first, by what f makes of it.
func bottomUp(n Node, f func(Node) Node) Node {
	eachInput(n, func(slot *Node) { *slot = bottomUp(*slot, f) })
	return f(n)
}
