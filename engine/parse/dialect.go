package parse

import "strings"

// dialectHints tells people who come from other dialects what to write here. A hint is only ever added to an error that is
// raised anyway; it never decides what parses. Keys, in the order of their rank:
//
//	"a b"   b offends and stands behind a
//	"^ a"   a offends as the first word of a statement
//	"a …"   anything offends behind a, which was read as a name
//	"a"     a offends
//
// Strings and numbers appear as 'string' and 'number'.
var dialectHints = map[string]string{
	"^ merge":    "write: insert into … on conflict (…) do update set …",
	"^ upsert":   "write: insert into … on conflict (…) do update set …",
	"^ replace":  "write: insert or replace into …",
	"^ truncate": "write: delete from t",
	"^ start":    "write: begin",
	"^ end":      "write: commit",
	"^ use":      "qualify the names, or write: pragma schema_path = '…'",
	"^ show":     "write: select * from schema()",
	"^ describe": "write: select * from table_info('t')",
	"^ desc":     "write: select * from table_info('t')",
	"^ vacuum":   "leave it out: space is given back by itself",
	"^ attach":   "a database is one directory; schemas come into being by: apply schema …",
	"^ grant":    "there are no owners and no rights",
	"^ revoke":   "there are no owners and no rights",
	"^ table":    "write: select * from t",

	"begin immediate": "BEGIN has no modes: the first write takes the lock",
	"begin exclusive": "BEGIN has no modes: the first write takes the lock",
	"begin deferred":  "BEGIN has no modes: the first write takes the lock",
	"begin work":      "write: begin",
	"commit work":     "write: commit",
	"rollback work":   "write: rollback",

	"create or":        "there is no OR REPLACE: drop and create it",
	"create schema":    "schemas come into being by: declare schema … and apply schema …",
	"create database":  "schemas come into being by: declare schema … and apply schema …",
	"create sequence":  numberRows,
	"create function":  "functions are registered by the embedding program",
	"create procedure": "functions are registered by the embedding program",
	"create type":      "use a column with a CHECK",
	"create domain":    "use a column with a CHECK",
	"drop schema":      "drop its tables, or apply an empty declaration of it",
	"table if":         "ALTER has no IF EXISTS",
	"column if":        "ALTER has no IF EXISTS and no IF NOT EXISTS",
	"add primary":      "write: alter primary key (…)",
	"drop primary":     "write: alter primary key (…)",
	"set type":         "write: set data type <type>",
	"type":             "write: alter column c set data type <type>",
	"owner":            "there are no owners and no rights",
	"cascade":          "leave CASCADE out and drop first what depends on it",
	"match full":       "MATCH SIMPLE is what holds: leave it out",
	"match partial":    "MATCH SIMPLE is what holds: leave it out",
	"auto_increment":   numberRows,
	"identity":         numberRows,
	"precision":        "write the type as one word: double or real",
	"varying":          "write the type as one word: varchar",
	"non":              "write: not null",
	"engine":           "choose the storage module with: using <module>",
	"comment":          "write: with tags (comment = '…')",

	"top number":     "write at the end of the query: limit <count>",
	"fetch …":        "write: limit <count>",
	"offset":         "write: limit <count> offset <skip>",
	"limit all":      "leave LIMIT out",
	"for update":     "rows are not locked: leave FOR UPDATE out",
	"for share":      "rows are not locked: leave FOR SHARE out",
	"union distinct": "UNION drops duplicates by itself: leave DISTINCT out",
	"intersect all":  "INTERSECT gives distinct rows only",
	"except all":     "EXCEPT gives distinct rows only",
	"minus …":        "write: except",
	"qualify …":      "filter on the window function in an outer query",
	"tablesample …":  "write: order by random() limit <count>",
	"grouping sets":  "write one query for each grouping and join them with union all",
	"semi":           "write: where exists (select …)",
	"anti":           "write: where not exists (select …)",
	"from lateral":   "LATERAL stands behind JOIN: cross join lateral …",
	"update or":      "UPDATE has no OR clause: the constraint says what a violation does",
	"delete or":      "DELETE has no OR clause",

	"ilike …":          "write: lower(x) like lower(pattern)",
	"match …":          "write: x regexp pattern",
	"rlike …":          "write: x regexp pattern",
	"similar to":       "write: x regexp pattern",
	"div …":            "write: cast(a / b as integer)",
	"mod …":            "write: a % b",
	"date string":      "write: date('…')",
	"time string":      "write: time('…')",
	"datetime string":  "write: datetime('…')",
	"timestamp string": "write: datetime('…')",
	"interval string":  "write: timespan('…')",
	":":                "write: cast(x as type)",
	"* *":              "write: pow(x, y)",
	"& &":              "write: and",
	"? number":         "write :1 for a position, :name for a name",
}

const numberRows = "write: default (coalesce((select max(id) from t), 0) + mutation_ordinal())"

// dialectHint tells what to write instead of the offending token, "" when nothing is known.
func (p *parser) dialectHint() string {
	if p.is(kEOF) {
		return ""
	}
	word, before := p.hintKey(p.tok), "^"
	if p.prev.to > p.prev.from && p.prev.kind != kSemicolon {
		before = p.hintKey(p.prev)
	}
	for _, key := range [...]string{before + " " + word, before + " …", word} {
		if hint := dialectHints[key]; hint != "" {
			return hint
		}
	}
	return ""
}

func (p *parser) hintKey(t token) string {
	switch t.kind {
	case kString:
		return "string"
	case kInteger, kReal:
		return "number"
	case kQuoted:
		return ""
	}
	return strings.ToLower(p.text(t))
}

// characterHint tells what to write instead of a character that begins no token.
func characterHint(c rune) string {
	switch c {
	case '!':
		return "write: not, or != for unequal"
	case '^':
		return "write: pow(x, y); there is no exclusive or of bits"
	case '@':
		return "write a parameter as :name or $name"
	case '#':
		return "a comment begins with -- or //"
	case '\u2018', '\u2019', '\u201c', '\u201d':
		return "write plain quotes: ' for a string, \" for a name"
	}
	return ""
}
