package ast

// control prints transaction control, options, statistics and EXPLAIN.
func (p *printer) control(n Stmt) {
	switch n := n.(type) {
	case *BeginStmt:
		p.str("begin")
	case *CommitStmt:
		p.str("commit")
	case *RollbackStmt:
		p.str("rollback")
		if !n.To.IsZero() {
			p.str(" to ")
			p.name(n.To)
		}
	case *SavepointStmt:
		p.str("savepoint ")
		p.name(n.Name)
	case *ReleaseStmt:
		p.str("release ")
		p.name(n.Name)
	case *PragmaStmt:
		p.pragma(n)
	case *AnalyzeStmt:
		p.analyze(n)
	case *ExplainStmt:
		p.str("explain ")
		if n.Analyze {
			p.str("analyze ")
		}
		if !n.As.IsZero() {
			p.str("as ")
			p.name(n.As)
			p.str(" ")
		}
		p.stmt(n.Stmt)
	}
}

func (p *printer) pragma(n *PragmaStmt) {
	p.str("pragma ")
	p.name(n.Name)
	switch {
	case n.Value == nil:
		return
	case n.Bare && isBareName(n.Value.Text): // one token, keyword or not
		p.str(" = ")
		p.str(n.Value.Text)
	case n.Bare:
		p.str(" = ")
		p.buf = AppendQuoted(p.buf, n.Value.Text)
	default:
		p.str(" = ")
		p.value(n.Value, false)
	}
}

func (p *printer) analyze(n *AnalyzeStmt) {
	p.str("analyze")
	switch {
	case !n.AllOf.IsZero():
		p.str(" ")
		p.name(n.AllOf)
		p.str(".*")
	case !n.Name.Name.IsZero():
		p.str(" ")
		p.qname(n.Name)
	}
}
