package ast_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// shape writes a tree with every grouping explicit. Two trees have one shape iff they mean the same by the rules of the printer: it
// leaves out positions and what has two spellings, and flattens chains of one associative operator.
func shape(x any) string {
	var b strings.Builder
	writeShape(&b, reflect.ValueOf(x))
	return b.String()
}

// unshown are the fields that no text shows or that only say how the source was spelled.
var unshown = map[string]bool{
	"Span": true, "OpPos": true, "Pos": true, "HasTags": true, "HasContext": true, "All": true, "Virtual": true, "Quoted": true,
}

func writeShape(b *strings.Builder, v reflect.Value) {
	if v.IsValid() && v.CanInterface() {
		if x, ok := plain(v.Interface()); ok {
			fmt.Fprint(b, x)
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil")
		} else {
			writeShape(b, v.Elem())
		}
	case reflect.Slice:
		b.WriteByte('[')
		for i := range v.Len() {
			writeShape(b, v.Index(i))
			b.WriteByte(' ')
		}
		b.WriteByte(']')
	case reflect.Struct:
		b.WriteString(v.Type().Name() + "{")
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if unshown[name] {
				continue
			}
			b.WriteString(name + ":")
			if name == "Collation" { // folds
				b.WriteString(types.Fold(v.Field(i).Interface().(ast.Name).Text))
			} else {
				writeShape(b, v.Field(i))
			}
			b.WriteByte(' ')
		}
		b.WriteByte('}')
	default:
		fmt.Fprintf(b, "%v", v)
	}
}

// plain gives the shape of the nodes that have several equal forms.
func plain(x any) (string, bool) {
	switch n := x.(type) {
	case ast.Name:
		return strconv.Quote(n.Text), true
	case ast.ConflictAction:
		if n == ast.ConflictAbort {
			return shape(ast.ConflictDefault), true
		}
	case ast.FKAction:
		if n == ast.FKNoAction {
			return shape(ast.FKRestrict), true
		}
	case *ast.ParenQuery:
		if n != nil {
			if q := n.Query; q.With == nil && q.OrderBy == nil && q.Limit == nil && q.Defaults == nil {
				return shape(q.Body), true
			}
		}
	case *ast.TableFunc:
		return "func(" + types.Fold(n.Name.Text) + shape(n.Args) + shape(n.Alias) + shape(n.Columns) + ")", true
	case *ast.Join:
		if r, ok := n.R.(*ast.Join); ok {
			c := *n
			c.R = &ast.ParenTable{X: r}
			return shape(c), true
		}
	case ast.Tag:
		return "tag " + n.Key.Text + constantShape(n.Value), true
	case ast.ModuleArg:
		if !n.Named {
			return "arg" + constantShape(n.Value), true
		}
		return "arg " + n.Key.Text + constantShape(n.Value), true
	case ast.Option:
		return "option " + n.Key.Text + constantShape(n.Value), true
	case *ast.PragmaStmt:
		return fmt.Sprintf("pragma(%s %t %s)", n.Name.Text, n.Bare, constantShape(n.Value)), true
	case *ast.SeedItem:
		return "seed " + n.Table.Text + shape(n.Columns) + string(ast.Append(nil, n, ast.Options{})), true
	case ast.Expr:
		return plainExpr(n)
	}
	return "", false
}

// constantShape is the shape of a literal outside an expression, where a number is its value.
func constantShape(x *ast.Literal) string {
	if x == nil {
		return "nil"
	}
	return string(ast.AppendValue(nil, x, false))
}

func plainExpr(x ast.Expr) (string, bool) {
	if v := reflect.ValueOf(x); v.Kind() == reflect.Pointer && v.IsNil() {
		return "nil", true
	}
	switch n := x.(type) {
	case *ast.Binary:
		return plainBinary(n)
	case *ast.In:
		if n.Not {
			c := *n
			c.Not = false
			return shape(&ast.Unary{Op: ast.OpNot, X: &c}), true
		}
	case *ast.Match:
		if n.Not {
			c := *n
			c.Not = false
			return shape(&ast.Unary{Op: ast.OpNot, X: &c}), true
		}
	case *ast.Call:
		c := *n
		c.Name = ast.Ident(types.Fold(n.Name.Text))
		c.Star = n.Star || len(n.Args) == 0 && c.Name.Text == "count"
		return shape(c), true
	case *ast.Cast:
		return "cast(" + shape(n.X) + types.Fold(n.Type.Name) + fmt.Sprint(n.Type.Args) + ")", true
	case *ast.Param:
		if n.Question {
			return "?", true
		}
	case *ast.ColumnRef:
		_, clock := n.Clock()
		return fmt.Sprintf("column(%q %q %q %t)", n.Schema.Text, n.Table.Text, n.Column.Text, clock), true
	}
	return "", false
}

func plainBinary(n *ast.Binary) (string, bool) {
	switch n.Op {
	case ast.OpJSONGet, ast.OpJSONText:
		path := n.R
		if l, ok := path.(*ast.Literal); ok {
			switch {
			case l.Kind == ast.IntegerLit:
				v, _ := types.ParseIntegerLiteral(l.Text)
				path = &ast.Literal{Kind: ast.TextLit, Text: "$[" + types.FormatInteger(v) + "]"}
			case l.Kind == ast.TextLit && !strings.HasPrefix(l.Text, "$"):
				path = &ast.Literal{Kind: ast.TextLit, Text: "$." + l.Text}
			}
		}
		get := &ast.Call{Name: ast.Ident("json_extract"), Args: []ast.Expr{n.L, path}}
		if n.Op == ast.OpJSONText {
			return shape(&ast.Cast{X: get, Type: ast.TypeName{Name: "text"}}), true
		}
		return shape(get), true
	case ast.OpAnd, ast.OpOr, ast.OpXor, ast.OpAdd, ast.OpMul, ast.OpConcat:
		var parts []string
		var collect func(ast.Expr)
		collect = func(x ast.Expr) {
			if b, ok := x.(*ast.Binary); ok && b.Op == n.Op {
				collect(b.L)
				collect(b.R)
				return
			}
			parts = append(parts, shape(x))
		}
		collect(n)
		return fmt.Sprintf("chain%d(%s)", n.Op, strings.Join(parts, " | ")), true
	}
	return "", false
}
