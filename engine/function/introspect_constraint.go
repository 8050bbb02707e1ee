package function

import (
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// constraintFacts are the functions that list the constraints of a table (docs/reference/functions.md).
func constraintFacts() []*Function {
	return []*Function{
		aboutTable("unique_constraint_info", []Column{
			integerColumn("id"), textOrNull("name"), integerColumn("seq"), textOrNull("column_name"), integerColumn("partial"),
			textOrNull("tags"),
		}, listUniques),
		aboutTable("check_constraint_info", []Column{
			integerColumn("id"), textOrNull("name"), textColumn("expr"), textColumn("operations"), integerColumn("deferrable"),
			integerColumn("initially_deferred"), textOrNull("tags"),
		}, listChecks),
		aboutTable("foreign_key_info", []Column{
			integerColumn("id"), textColumn("name"), textColumn("table"), textColumn("from"), textColumn("referenced_table"),
			textOrNull("referenced_schema"), textOrNull("to"), textColumn("on_update"), textColumn("on_delete"), integerColumn("deferred"),
			integerColumn("seq"), textOrNull("tags"),
		}, listForeignKeys),
	}
}

func listUniques(_ *Call, t *catalog.Table, emit emitter) {
	for id, rule := range t.UniqueRules() {
		var tags catalog.Tags
		partial := false
		if rule.Index != nil {
			tags, partial = rule.Index.Tags, rule.Index.Where != nil
		} else {
			tags = rule.Unique.Tags
		}
		for seq, i := range rule.Columns() {
			column := types.Null // an expression
			if i >= 0 {
				column = types.Text(t.Columns[i].Name)
			}
			if !emit(types.Int(int64(id)), optionalText(rule.Name()), types.Int(int64(seq)), column, flag(partial), tags.JSON()) {
				return
			}
		}
	}
}

func listChecks(_ *Call, t *catalog.Table, emit emitter) {
	for id, k := range t.Checks {
		if !emit(types.Int(int64(id)), optionalText(k.Name), expressionText(k.X), types.Text(operationsText(k.Ops)),
			flag(false), flag(false), k.Tags.JSON()) {
			return
		}
	}
}

// operationsText lists operations as insert,update,delete.
func operationsText(ops ast.Operations) string {
	var names []string
	for _, o := range []struct {
		op   ast.Operations
		name string
	}{{ast.OnInsert, "insert"}, {ast.OnUpdate, "update"}, {ast.OnDelete, "delete"}} {
		if ops&o.op != 0 {
			names = append(names, o.name)
		}
	}
	return strings.Join(names, ",")
}

var actionNames = map[ast.FKAction]string{
	ast.FKRestrict: "restrict", ast.FKCascade: "cascade", ast.FKSetNull: "setNull", ast.FKSetDefault: "setDefault",
}

func listForeignKeys(c *Call, t *catalog.Table, emit emitter) {
	for id, fk := range t.ForeignKeys {
		schema, parent := fk.ParentName(t)
		to := parentColumns(c, fk, schema, parent)
		for seq, from := range fk.Columns {
			if !emit(types.Int(int64(id)), types.Text(fk.Name), types.Text(t.Name), types.Text(t.Columns[from].Name),
				types.Text(parent), types.Text(schema), to[seq],
				types.Text(actionNames[fk.OnUpdate]), types.Text(actionNames[fk.OnDelete]), flag(fk.IsDeferred()),
				types.Int(int64(seq)), fk.Tags.JSON()) {
				return
			}
		}
	}
}

// parentColumns names the parent's columns, one a child column: those that are written, else those of the parent's key, else NULL.
func parentColumns(c *Call, fk *catalog.ForeignKey, schema, parent string) []types.Value {
	names := fk.ParentColumns
	if t := c.Catalog.Table(schema, parent); names == nil && t != nil {
		names = t.ColumnNames(t.KeyColumns())
	}
	out := make([]types.Value, len(fk.Columns))
	if len(names) == len(out) {
		for i, n := range names {
			out[i] = types.Text(n)
		}
	}
	return out
}
