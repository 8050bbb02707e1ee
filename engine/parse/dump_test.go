package parse

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
)

var binaryNames = [...]string{
	ast.OpOr: "or", ast.OpXor: "xor", ast.OpAnd: "and", ast.OpEq: "=", ast.OpEq2: "==", ast.OpNe: "!=", ast.OpLt: "<", ast.OpLe: "<=",
	ast.OpGt: ">", ast.OpGe: ">=", ast.OpBitAnd: "&", ast.OpBitOr: "|", ast.OpShl: "<<", ast.OpShr: ">>", ast.OpAdd: "+",
	ast.OpSub: "-", ast.OpMul: "*", ast.OpDiv: "/", ast.OpMod: "%", ast.OpConcat: "||", ast.OpJSONGet: "->", ast.OpJSONText: "->>",
}

var unaryNames = [...]string{ast.OpNot: "not", ast.OpNeg: "-", ast.OpPlus: "+", ast.OpBitNot: "~"}

// dump writes a tree, one node a line: the node's fields that are no nodes stand behind its type, zero ones and positions
// are left out.
func dump(n ast.Node) string {
	var b strings.Builder
	dumpValue(&b, "", reflect.ValueOf(n), 0)
	return b.String()
}

func dumpValue(b *strings.Builder, label string, v reflect.Value, depth int) {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	b.WriteString(strings.Repeat("  ", depth))
	if label != "" {
		b.WriteString(label + ": ")
	}
	b.WriteString(v.Type().Name())
	var below []func()
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch {
		case name == "Span" || name == "OpPos" || name == "Pos" || f.IsZero():
		case v.Type().Field(i).Anonymous: // clauses that several statements share
			below = append(below, func() { dumpValue(b, "", f, depth+1) })
		default:
			if text, ok := dumpScalar(f); ok {
				b.WriteString(" " + name + "=" + text)
			} else if f.Kind() == reflect.Slice {
				below = append(below, func() { dumpSlice(b, name, f, depth+1) })
			} else {
				below = append(below, func() { dumpValue(b, name, f, depth+1) })
			}
		}
	}
	b.WriteByte('\n')
	for _, write := range below {
		write()
	}
}

func dumpSlice(b *strings.Builder, label string, v reflect.Value, depth int) {
	for i := range v.Len() {
		at := fmt.Sprintf("%s[%d]", label, i)
		if e := v.Index(i); e.Kind() == reflect.Slice {
			dumpSlice(b, at, e, depth)
		} else {
			dumpValue(b, at, e, depth)
		}
	}
}

// dumpScalar gives a value that stands on the line of its node.
func dumpScalar(v reflect.Value) (string, bool) {
	switch x := v.Interface().(type) {
	case ast.Name:
		return dumpName(x), true
	case ast.QName:
		return dumpQName(x), true
	case *ast.QName:
		return dumpQName(*x), true
	case []ast.Name:
		names := make([]string, len(x))
		for i, n := range x {
			names[i] = dumpName(n)
		}
		return "(" + strings.Join(names, " ") + ")", true
	case ast.BinaryOp:
		return binaryNames[x], true
	case ast.UnaryOp:
		return unaryNames[x], true
	case string:
		return fmt.Sprintf("%q", x), true
	case []string:
		return fmt.Sprintf("%q", x), true
	case []ast.Operations:
		return fmt.Sprint(x), true
	case fmt.Stringer:
		return x.String(), true
	}
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Uint8:
		return fmt.Sprint(v), true
	}
	return "", false
}

func dumpName(n ast.Name) string {
	if n.Quoted {
		return fmt.Sprintf("%q", n.Text)
	}
	return n.Text
}

func dumpQName(q ast.QName) string {
	if q.Schema.IsZero() {
		return dumpName(q.Name)
	}
	return dumpName(q.Schema) + "." + dumpName(q.Name)
}
