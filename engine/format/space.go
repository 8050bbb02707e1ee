package format

import (
	"strings"

	"github.com/quereus/quereus-migrate/engine/parse"
)

// clauses are the words that a long query is broken before.
var clauses = map[string]bool{
	"select": true, "from": true, "where": true, "group": true, "having": true, "order": true, "limit": true, "union": true,
	"intersect": true, "except": true, "values": true, "returning": true, "using": true,
}

// breaksBefore reports whether a long part may be broken before a lexeme.
func (l *layout) breaksBefore(i int) bool {
	switch x := l.lexemes[i]; x.Kind {
	case parse.LexKeyword:
		word := strings.ToLower(l.text(x))
		return clauses[word] && !(word == "from" && l.is(i-1, "distinct")) && !l.is(i-1, "insert") && !l.is(i-1, ".") && !l.is(i-1, "with")
	case parse.LexSymbol:
		return l.is(i, "(") && l.is(i-1, ",")
	}
	return false
}

// apart are the keywords that a parenthesis stands apart from; after other words, which may be functions, it is as in the text.
var apart = words(`add all and as between by case check collate default distinct else escape exists from having if in intersect is key
	like limit not offset on or over over returning select set then union unique using values when where with xor tags context except
	filter glob regexp partition materialized table view schema maintained references`)

func words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// between is the space between a lexeme and the one before it on the same line.
func (l *layout) between(i int) string {
	if i == 0 {
		return ""
	}
	a, b := l.lexemes[i-1], l.lexemes[i]
	hadSpace := a.To < b.From
	if a.Kind == parse.LexComment || b.Kind == parse.LexComment {
		return " "
	}
	left, right := l.text(a), l.text(b)
	switch {
	case b.Kind == parse.LexSymbol && (right == "," || right == ";" || right == ")" || right == "."):
		return ""
	case a.Kind == parse.LexSymbol && (left == "(" || left == "."):
		return ""
	case b.Kind == parse.LexSymbol && right == "(":
		return l.beforeParenthesis(i, hadSpace)
	case l.isPrefix(i - 1):
		return spaceIf(left == "-" && right[0] == '-' || left == "+" && right[0] == '+')
	case a.Kind == parse.LexSymbol && (left == ":" || left == "$" || left == "?"):
		return spaceIf(hadSpace)
	}
	return " "
}

func spaceIf(is bool) string {
	if is {
		return " "
	}
	return ""
}

func (l *layout) beforeParenthesis(i int, hadSpace bool) string {
	a := l.lexemes[i-1]
	switch {
	case l.spread != nil && l.spread[i]:
		return " "
	case a.Kind == parse.LexName:
		return spaceIf(l.isInsertColumns(i) && hadSpace)
	case a.Kind == parse.LexKeyword && apart[strings.ToLower(l.text(a))]:
		return " "
	case a.Kind == parse.LexKeyword:
		return spaceIf(hadSpace)
	}
	return spaceIf(!l.isPrefix(i - 1))
}

// isInsertColumns reports whether a parenthesis opens the columns that rows are given for.
func (l *layout) isInsertColumns(i int) bool {
	return l.is(i-2, "into") || l.is(i-2, "seed")
}

// isPrefix reports whether a lexeme is a sign in front of its operand, and no operator between two.
func (l *layout) isPrefix(i int) bool {
	x := l.lexemes[i]
	if x.Kind != parse.LexSymbol {
		return false
	}
	switch l.text(x) {
	case "~":
		return true
	case "-", "+":
		p := l.prev[i]
		if p < 0 {
			return true
		}
		switch prev := l.lexemes[p]; prev.Kind {
		case parse.LexKeyword:
			return prev.Reserved && !l.is(p, "end") && !l.is(p, "null") && !l.is(p, "true") && !l.is(p, "false")
		case parse.LexSymbol:
			text := l.text(prev)
			return text != ")" && text != "?" && text != "}"
		}
	}
	return false
}
