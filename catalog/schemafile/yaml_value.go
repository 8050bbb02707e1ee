package schemafile

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

var (
	integerForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*|0[xX][0-9a-fA-F]+)$`)
	realForm    = regexp.MustCompile(`^-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
)

// literal gives a scalar as an SQL literal. Numbers have to be written so that YAML and SQL read them alike; what YAML takes for a
// date is text.
func (f *yamlFile) literal(n *yaml.Node) (string, error) {
	n = resolved(n)
	if n.Kind != yaml.ScalarNode {
		return "", f.fault(n, "a single value is expected here; write a document as its JSON text")
	}
	switch n.ShortTag() {
	case "!!null":
		return "null", nil
	case "!!bool":
		return strings.ToLower(n.Value), nil
	case "!!str", "!!timestamp":
		return string(ast.AppendString(nil, n.Value)), nil
	case "!!int", "!!float":
		return f.number(n)
	case "!!binary":
		b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Value), ""))
		if err != nil {
			return "", f.fault(n, "binary data is no base64: %s", err)
		}
		return "x'" + hex.EncodeToString(b) + "'", nil
	}
	return "", f.fault(n, "a value with the tag %s cannot be stored", n.ShortTag())
}

func (f *yamlFile) number(n *yaml.Node) (string, error) {
	text := strings.TrimPrefix(n.Value, "+")
	switch {
	case integerForm.MatchString(text), realForm.MatchString(text):
		return text, nil
	case strings.EqualFold(text, ".inf"):
		return "1e999", nil
	case strings.EqualFold(text, "-.inf"):
		return "-1e999", nil
	}
	return "", f.fault(n, "'%s' is no number to SQL; write it in decimal or hexadecimal digits, or quote it if it is text", n.Value)
}

// value gives a scalar as a value.
func (f *yamlFile) value(n *yaml.Node) (types.Value, error) {
	text, err := f.literal(n)
	if err != nil {
		return types.Null, err
	}
	x, err := parse.Expr(ast.NewSource("", text))
	if err != nil {
		return types.Null, f.fault(n, "%s", err)
	}
	v, _ := catalog.FoldLiteral(x)
	return v, nil
}

// json gives a node as the JSON text of an object: a mapping of single values, or text that is JSON already.
func (f *yamlFile) json(n *yaml.Node) (string, error) {
	if n = resolved(n); n.Kind == yaml.ScalarNode {
		return n.Value, nil
	}
	j := &types.JSON{Object: true}
	err := f.eachExact(n, func(k, v *yaml.Node) error {
		value, err := f.value(v)
		j.Keys, j.Elems = append(j.Keys, k.Value), append(j.Elems, value)
		return err
	})
	return types.FormatJSON(types.FromJSON(j)), err
}
