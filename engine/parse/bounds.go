package parse

import (
	"context"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// Bounds are what a parse keeps to. The zero value has the default limits and hears nobody.
type Bounds struct {
	// Ctx ends the parse with INTERRUPT when it is done; nil never does.
	Ctx context.Context
	// Limits are those of statements, nil for the defaults.
	Limits *limit.Set
}

// Stmts is the function Stmts within bounds: TOOBIG for a statement beyond a limit.
func (b Bounds) Stmts(src *ast.Source) ([]ast.Stmt, error) {
	var stmts []ast.Stmt
	err := b.Each(src, func(s ast.Stmt, _ bool) error {
		stmts = append(stmts, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return stmts, nil
}

// bounds are Bounds as the parser asks them.
type bounds struct {
	Bounds
	depth, nesting int
	length         ast.Pos
	begin          ast.Pos // of the statement
	tokens         int     // taken since the context was asked
}

func (b Bounds) start() bounds {
	depth := int(min(b.Limits.Of(limit.StatementDepth), MaxDepth))
	return bounds{Bounds: b, depth: depth, nesting: depth * (MaxNesting / MaxDepth), length: ast.Pos(min(b.Limits.Of(limit.StatementLength), 1<<30))}
}

// tokensAtOnce is the number of tokens between two looks at the context.
const tokensAtOnce = 4096

// checkBounds looks at the token that is to be judged next.
func (p *parser) checkBounds() {
	if p.bounds.tokens++; p.bounds.tokens >= tokensAtOnce {
		p.bounds.tokens = 0
		if ctx := p.bounds.Ctx; ctx != nil && ctx.Err() != nil {
			p.cancel(ctx)
		}
	}
	if p.tok.to-p.bounds.begin > p.bounds.length && p.tok.kind != kEOF {
		p.exceed(p.bounds.begin, limit.StatementLength, "the statement has more than %d bytes", p.bounds.length)
	}
}

// cancel ends a parse that nobody waits for.
func (p *parser) cancel(ctx context.Context) {
	p.fail(p.tok.from, types.INTERRUPT, "interrupted: "+context.Cause(ctx).Error(), "")
}

// exceed fails for what is beyond a limit.
func (p *parser) exceed(at ast.Pos, id limit.ID, format string, args ...any) {
	e := p.bounds.Limits.Exceeded(id, format, args...)
	p.fail(at, e.Code, e.Message, e.Hint)
}

// checkLiteral refuses a literal that is longer than its value may be.
func (p *parser) checkLiteral(x *ast.Literal) {
	n := int64(len(x.Text))
	switch x.Kind {
	case ast.TextLit, ast.BlobLit:
		if n > p.bounds.Limits.Of(limit.ValueLength) {
			p.exceed(x.From, limit.ValueLength, "the literal has %d bytes", n)
		}
	case ast.IntegerLit:
		if n > p.bounds.Limits.Of(limit.IntegerDigits) {
			p.exceed(x.From, limit.IntegerDigits, "the literal has %d digits", n)
		}
	}
}

// atMost fails for more of something than a limit allows.
func (p *parser) atMost(id limit.ID, n int, at ast.Pos, of string) {
	if most := p.bounds.Limits.Of(id); int64(n) > most {
		p.exceed(at, id, "more than %d %s", most, of)
	}
}
