package ast

// HoldsQuery reports whether an expression may name relations. Most do not, and are told apart without a walk.
func HoldsQuery(x Expr) bool {
	switch x := x.(type) {
	case *Literal, *ColumnRef:
		return false
	case *Binary:
		return HoldsQuery(x.L) || HoldsQuery(x.R)
	case *Unary:
		return HoldsQuery(x.X)
	case *Is:
		return HoldsQuery(x.X) || x.Y != nil && HoldsQuery(x.Y)
	}
	found := false
	Walk(x, func(n Node) bool {
		switch n := n.(type) {
		case *SelectStmt:
			found = true
		case *In:
			found = found || n.Table != nil
		}
		return !found
	})
	return found
}
