package findings

import (
	"io"

	"gopkg.in/yaml.v3"
)

// WriteYAML writes a JSON document as YAML: the same names in the same order.
func WriteYAML(w io.Writer, document []byte) error {
	var node yaml.Node
	if err := yaml.Unmarshal(document, &node); err != nil { // JSON is YAML
		return err
	}
	unquote(&node)
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(&node); err != nil {
		return err
	}
	return e.Close()
}

// unquote lets the encoder choose how values are written.
func unquote(n *yaml.Node) {
	if len(n.Content) > 0 || n.Kind == yaml.ScalarNode {
		n.Style = 0
	}
	for _, c := range n.Content {
		unquote(c)
	}
}
