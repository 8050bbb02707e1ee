package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

// nearColumn gives the hint for a reference that names nothing: the column of the sources around it that is near, or what its quotes mean.
func nearColumn(ref *ast.ColumnRef, s *Scope) string {
	var columns, qualifiers []string
	for ; s != nil; s = s.outer {
		for _, v := range s.visible {
			columns = append(columns, v.col.Name)
		}
		for _, src := range s.sources {
			if src.name == "" {
				continue
			}
			qualifiers = append(qualifiers, src.name)
			if src.name == types.Fold(ref.Table.Text) {
				return types.NearHint(ref.Column.Text, columnNames(src.cols))
			}
		}
	}
	switch {
	case !ref.Table.IsZero():
		return qualifierHint(ref, qualifiers)
	case ref.Column.Quoted:
		if near := types.NearHint(ref.Column.Text, columns); near != "" {
			return near
		}
		return "double quotes hold a name; write text in single quotes: " + string(ast.AppendString(nil, ref.Column.Text))
	}
	return types.NearHint(ref.Column.Text, columns)
}

// qualifierHint says which sources there are in place of one that is none.
func qualifierHint(ref *ast.ColumnRef, qualifiers []string) string {
	if near := types.NearHint(ref.Table.Text, qualifiers); near != "" {
		return near
	}
	slices.Sort(qualifiers)
	qualifiers = slices.Compact(qualifiers)
	if len(qualifiers) == 0 || len(qualifiers) > 5 {
		return ""
	}
	return "FROM knows " + strings.Join(qualifiers, ", ")
}

// foreignFunctions say what to write for functions of other systems.
var foreignFunctions = map[string]string{
	"now": "datetime('now')", "getdate": "datetime('now')", "sysdate": "datetime('now')", "curdate": "date('now')", "curtime": "time('now')",
	"nvl": "coalesce(a, b)", "isnull": "x is null, or coalesce(a, b)", "len": "length(x)", "char_length": "length(x)",
	"character_length": "length(x)", "ucase": "upper(x)", "lcase": "lower(x)", "mid": "substr(x, from, count)",
	"charindex": "instr(x, part)", "strpos": "instr(x, part)", "locate": "instr(x, part)", "concat": "a || b", "concat_ws": "a || ', ' || b",
	"string_agg": "group_concat(x, ', ')", "array_agg": "json_group_array(x)", "json_agg": "json_group_array(x)",
	"json_build_object": "json_object('key', value)", "json_build_array": "json_array(a, b)", "to_char": "strftime('%Y-%m-%d', x)",
	"date_format": "strftime('%Y-%m-%d', x)", "date_trunc": "strftime('%Y-%m-01', x)", "to_date": "date(x)",
	"last_insert_rowid": "insert into … returning id", "last_insert_id": "insert into … returning id",
	"nextval": "default (coalesce((select max(id) from t), 0) + mutation_ordinal())", "regexp_like": "x regexp pattern",
	"regexp_matches": "x regexp pattern", "rand": "random()",
	"if": "case when a then b else c end", "decode": "case x when a then b end", "ifelse": "case when a then b else c end",
}

// functionHint says how a function of the name is called, or which name is near.
func (b *Binder) functionHint(name string, args int, table bool) string {
	var names []string
	var counts []string
	for _, f := range b.env.Functions.All() {
		if (f.Kind == function.Table) != table {
			continue
		}
		if f.Name == name {
			counts = append(counts, argumentCount(f))
		}
		names = append(names, f.Name)
	}
	if len(counts) > 0 {
		return fmt.Sprintf("%s takes %s, not %d", name, strings.Join(slices.Compact(counts), " or "), args)
	}
	if write := foreignFunctions[name]; write != "" && !table {
		return "write: " + write
	}
	return types.NearHint(name, names)
}

// argumentCount words how many arguments a function takes.
func argumentCount(f *function.Function) string {
	switch {
	case f.Args == 1:
		return "1 argument"
	case f.Args >= 0:
		return fmt.Sprintf("%d arguments", f.Args)
	case f.Max < 0 && f.Min == 1:
		return "1 argument or more"
	case f.Max < 0:
		return fmt.Sprintf("%d arguments or more", f.Min)
	}
	return fmt.Sprintf("%d to %d arguments", f.Min, f.Max)
}

// noColumn notes that a table has no column of the name.
func (b *Binder) noColumn(t *catalog.Table, n ast.Name, format string, args ...any) {
	b.failWith(n.Pos(), types.Errorf(types.ERROR, format, args...).WithHint(t.NearColumn(n.Text)))
}
