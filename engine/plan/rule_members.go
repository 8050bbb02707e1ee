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
		var kept []*CTE
		inline := map[*CTE]bool{}
		for _, c := range w.CTEs {
			switch {
			case c.Change:
				kept = append(kept, c)
			case c.Reads == 0:
			case c.Reads == 1 && c.Nested == 0 && c.Materialized != ast.MaterializeYes:
				inline[c] = true
			default:
				kept = append(kept, c)
			}
		}
		for _, c := range w.CTEs {
			c.Body = o.inlineReads(c.Body, inline)
		}
		w.CTEs, w.Body = kept, o.inlineReads(w.Body, inline)
		if len(kept) == 0 {
			return w.Body
		}
		return w
	})
}

// inlineReads replaces the readers of some members by projections that give the reader's columns to the member's body.
func (o *optimizer) inlineReads(root Node, inline map[*CTE]bool) Node {
	return bottomUp(root, func(n Node) Node {
		r, ok := n.(*CTERead)
		if !ok || !inline[r.CTE] {
			return n
		}
		p := &Project{Input: r.CTE.Body}
		for i, c := range r.CTE.Body.Output() {
			p.Items = append(p.Items, Item{Column: r.Cols[i], X: o.b.ref(c, ast.NoPos)})
		}
		return p
	})
}
