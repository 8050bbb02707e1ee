package plan

import "github.com/quereus/quereus-migrate/engine/ast"

// inlineMembers puts the body of a member of WITH in the place of its one reader, so that conditions and limits reach into it. A
// member that is read from a subquery, a lateral source or a recursive step may be asked many times and stays computed once;
// one that nobody reads is dropped.
func (o *optimizer) inlineMembers(root Node) Node {
	return bottomUp(root, func(n Node) Node {
		w, ok := n.(*With)
		if !ok {
			return n
		}
		kept := &With{}
		inline := map[*CTE]Node{}
		for i, c := range w.CTEs {
			body := o.inlineReads(w.Bodies[i], inline)
			switch {
			case c.Change:
			case c.Reads == 0:
				continue
			case c.Reads == 1 && c.Nested == 0 && c.Materialized != ast.MaterializeYes:
				inline[c] = body
				continue
			}
			kept.add(&member{cte: c, body: body})
		}
		kept.Body = o.inlineReads(w.Body, inline)
		if len(kept.CTEs) == 0 {
			return kept.Body
		}
		return kept
	})
}

// inlineReads replaces the readers of some members by projections that give the reader's columns to the member's body.
func (o *optimizer) inlineReads(root Node, inline map[*CTE]Node) Node {
	if len(inline) == 0 {
		return root
	}
	return bottomUp(root, func(n Node) Node {
		r, ok := n.(*CTERead)
		if !ok || inline[r.CTE] == nil {
			return n
		}
		p := &Project{Input: inline[r.CTE]}
		for i, c := range p.Input.Output() {
			p.Items = append(p.Items, Item{Column: r.Cols[i], X: o.b.ref(c, ast.NoPos)})
		}
		return p
	})
}
