package function

import (
	"iter"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Introspection functions list the catalog of the statement (docs/reference/functions.md). They are not deterministic: their answers change
// with it.

// emitter takes one row; it reports whether more are wanted.
type emitter func(values ...types.Value) bool

// lists is a table-valued function that emits its rows. A list may stop when emit is false, and must after an error.
func lists(name string, args int, columns []Column, list func(c *Call, args []types.Value, emit emitter) error) *Function {
	f := &Function{
		Name: name, Args: args, Kind: Table, Columns: columns,
		Rows: func(c *Call, args []types.Value) iter.Seq2[types.Row, error] {
			return func(yield func(types.Row, error) bool) {
				more := true
				err := list(c, args, func(values ...types.Value) bool {
					more = more && yield(values, nil)
					return more
				})
				if more && err != nil {
					yield(nil, err)
				}
			}
		},
	}
	if args < 0 {
		f.Max = 1
	}
	return f
}

func textColumn(name string) Column    { return Column{name, types.TypeText, false} }
func textOrNull(name string) Column    { return Column{name, types.TypeText, true} }
func integerColumn(name string) Column { return Column{name, types.TypeInteger, false} }

// optionalText gives a text, NULL for "".
func optionalText(s string) types.Value {
	if s == "" {
		return types.Null
	}
	return types.Text(s)
}

// flag gives 1 or 0.
func flag(b bool) types.Value { return types.Plus(types.Bool(b)) }

func yesNo(b bool) types.Value {
	if b {
		return types.Text("YES")
	}
	return types.Text("NO")
}

// expressionText gives the canonical text of an expression, NULL for none.
func expressionText(x ast.Expr) types.Value {
	if x == nil {
		return types.Null
	}
	return types.Text(ast.Format(x))
}

// nameArgument reads the name of what a function is asked about, which must be text. what names it in the message.
func nameArgument(function, what string, v types.Value) (string, error) {
	if v.Kind() != types.KindText {
		return "", types.Errorf(types.ERROR, "%s() requires a %s name string argument", function, what)
	}
	return v.Str(), nil
}

// findRelation looks a name up in the schemas in order, main first; nil when no schema has it. A qualified name is not taken apart.
func findRelation(c *Call, name string) catalog.Relation {
	return c.Catalog.Resolve(c.Catalog.Schemas(), name)
}

// aboutTable is a function of one table or maintained table, by name.
func aboutTable(name string, columns []Column, list func(c *Call, t *catalog.Table, emit emitter)) *Function {
	return lists(name, 1, columns, func(c *Call, args []types.Value, emit emitter) error {
		table, err := nameArgument(name, "table", args[0])
		if err != nil {
			return err
		}
		for _, schema := range c.Catalog.Schemas() {
			if t := c.Catalog.Table(schema, table); t != nil {
				list(c, t, emit)
				return nil
			}
		}
		return types.Errorf(types.ERROR, "Table '%s' not found", table)
	})
}
