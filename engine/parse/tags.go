package parse

import "github.com/quereus/quereus-migrate/engine/ast"

// atWithTags reports whether `with tags` comes next.
func (p *parser) atWithTags() bool { return p.isWord(wWith) && p.peek().word == wTags }

// optionalTags parses WITH TAGS (…) if it is there, and tells whether it is.
func (p *parser) optionalTags() ([]ast.Tag, bool) {
	if !p.atWithTags() {
		return nil, false
	}
	p.next()
	p.next()
	return p.tagList(), true
}

// tagList parses `( key = value, … )`, maybe empty. A key that is written twice stands twice in the result.
func (p *parser) tagList() []ast.Tag {
	open := p.open("'(' after TAGS")
	mark := p.tags.mark()
	for !p.is(kRParen) {
		key := p.name(contextual, "tag key")
		if !p.accept(kEq) {
			p.expected("'=' after tag key '" + key.Text + "'")
		}
		p.tags.push(ast.Tag{Key: key, Value: p.constant("tag value (string, number, true, false, or null)")})
		if !p.accept(kComma) {
			break
		}
		if p.is(kRParen) {
			p.expected("tag key")
		}
	}
	p.close(open, "after tag list")
	return p.tags.take(mark)
}

// tagAction parses TAGS and its list; the verb is taken already.
func (p *parser) tagAction(from ast.Pos, verb ast.TagVerb) *ast.TagAction {
	p.next()
	a := &ast.TagAction{Verb: verb}
	if verb == ast.DropTags {
		open := p.open("'(' after TAGS")
		if !p.is(kRParen) {
			a.Keys = p.nameSequence(contextual, "tag key")
		}
		p.close(open, "after tag keys")
	} else {
		a.Tags = p.tagList()
	}
	a.Span = p.span(from)
	return a
}
