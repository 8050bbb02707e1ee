package schemafile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// yamlFile is a YAML file that is being read.
type yamlFile struct {
	reader   Reader
	src      *ast.Source
	declared *catalog.Declared
	settings *catalog.DeclaredSettings // nil without settings
}

// readYAML reads a YAML file; found tells whether it says anything of a schema. A file that names its schema does.
func (c *collection) readYAML(src *ast.Source) (found bool, err error) {
	f := &yamlFile{reader: c.reader, src: src}
	root, err := f.document()
	if root == nil || err != nil {
		return false, err
	}
	if err := f.checkExpansion(root); err != nil {
		return false, err
	}
	return f.read(c, root)
}

// document parses the file; nil when it holds nothing.
func (f *yamlFile) document() (*yaml.Node, error) {
	if i := invalidUTF8(f.src.Text); i >= 0 {
		return nil, f.faultAt(ast.Pos(i), "invalid UTF-8: the file must be UTF-8 text")
	}
	dec := yaml.NewDecoder(bytes.NewReader([]byte(f.src.Text)))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, f.syntaxFault(err)
	}
	switch err := dec.Decode(&second); {
	case err == nil:
		return nil, f.fault(&second, "a file holds one document")
	case !errors.Is(err, io.EOF):
		return nil, f.syntaxFault(err)
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return nil, nil
	}
	return root, nil
}

func invalidUTF8(text string) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return -1
}

var errorLine = regexp.MustCompile(`^yaml: line (\d+): `)

// syntaxFault makes a fault of the YAML parser's error.
func (f *yamlFile) syntaxFault(err error) error {
	e := types.Errorf(types.ERROR, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	if m := errorLine.FindStringSubmatch(err.Error()); m != nil {
		e.Message = strings.TrimPrefix(err.Error(), m[0])
		e.Line, _ = strconv.Atoi(m[1])
		e.Column = 1
	}
	return &catalog.SourceError{Source: f.src, Err: e}
}

// fault is a fault at a node.
func (f *yamlFile) fault(n *yaml.Node, format string, args ...any) error {
	return f.faultAt(f.offset(n), format, args...)
}

func (f *yamlFile) faultAt(p ast.Pos, format string, args ...any) error {
	e := types.Errorf(types.ERROR, format, args...)
	e.Line, e.Column = f.src.Position(p)
	return &catalog.SourceError{Source: f.src, Err: e}
}

func (f *yamlFile) offset(n *yaml.Node) ast.Pos { return f.src.Offset(n.Line, n.Column) }

// resolved follows an alias.
func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// each calls do with the keys and values of a mapping in order. Keys that are one name, in any case, are a fault.
func (f *yamlFile) each(n *yaml.Node, do func(key, value *yaml.Node) error) error {
	return f.pairs(n, types.Fold, do)
}

// eachExact is each for keys whose case counts.
func (f *yamlFile) eachExact(n *yaml.Node, do func(key, value *yaml.Node) error) error {
	return f.pairs(n, func(key string) string { return key }, do)
}

func (f *yamlFile) pairs(n *yaml.Node, identity func(string) string, do func(key, value *yaml.Node) error) error {
	if n = resolved(n); n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return f.fault(n, "a mapping is expected here")
	}
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := resolved(n.Content[i])
		if k.Kind != yaml.ScalarNode {
			return f.fault(k, "a key has to be a name")
		}
		id := identity(k.Value)
		if other := first[id]; other != nil {
			return f.fault(k, "'%s' occurs twice (first in line %d)", k.Value, other.Line)
		}
		first[id] = k
		if err := do(k, resolved(n.Content[i+1])); err != nil {
			return err
		}
	}
	return nil
}

// fields are the keys that a mapping may have.
type fields map[string]*yaml.Node

// fields reads a mapping whose keys are words of the format. An unknown one is a fault that names the known ones.
func (f *yamlFile) fields(n *yaml.Node, known ...string) (fields, error) {
	out := fields{}
	err := f.each(n, func(k, v *yaml.Node) error {
		if !slices.Contains(known, k.Value) {
			return f.fault(k, "unknown key '%s'; expected one of: %s", k.Value, strings.Join(known, ", "))
		}
		out[k.Value] = v
		return nil
	})
	return out, err
}

// items calls do with the entries of a sequence.
func (f *yamlFile) items(n *yaml.Node, do func(*yaml.Node) error) error {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return f.fault(n, "a list is expected here")
	}
	for _, x := range n.Content {
		if err := do(resolved(x)); err != nil {
			return err
		}
	}
	return nil
}

// scalar refuses anything but one text.
func (f *yamlFile) scalar(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return f.fault(n, "a text is expected here")
	}
	return nil
}

// The kinds of object, in the order in which a file's are taken.
var sections = []struct {
	key  string
	item func(*yamlFile, *yaml.Node, *yaml.Node) error
}{
	{"tables", (*yamlFile).table},
	{"indexes", (*yamlFile).index},
	{"views", (*yamlFile).view},
	{"materialized_views", (*yamlFile).materializedView},
	{"assertions", (*yamlFile).assertion},
	{"seeds", (*yamlFile).seed},
}

func (f *yamlFile) read(c *collection, root *yaml.Node) (found bool, err error) {
	known := []string{"schema", "version", "settings"}
	for _, s := range sections {
		known = append(known, s.key)
	}
	top, err := f.fields(root, known...)
	if err != nil {
		return false, err
	}
	if err := f.readSettings(top["settings"]); err != nil {
		return false, err
	}
	delete(top, "settings")
	if len(top) == 0 {
		return false, nil
	}
	if err := f.begin(c, root, top); err != nil {
		return false, err
	}
	for _, s := range sections {
		n := top[s.key]
		if n == nil {
			continue
		}
		if err := f.each(n, func(k, v *yaml.Node) error { return s.item(f, k, v) }); err != nil {
			return false, err
		}
	}
	return true, nil
}

// begin finds the declaration that the file adds to.
func (f *yamlFile) begin(c *collection, root *yaml.Node, top fields) (err error) {
	name := catalog.MainSchema
	if n := top["schema"]; n != nil {
		if err := f.scalar(n); err != nil {
			return err
		}
		name = n.Value
	}
	origin := catalog.Origin{Source: f.src}
	start := f.offset(root)
	where := &ast.Literal{Span: ast.Span{From: start, To: start + 1}}
	if f.declared, err = c.schema(name, part{origin, where, false}); err != nil {
		return err
	}
	n := top["version"]
	if n == nil {
		return nil
	}
	if err := f.scalar(n); err != nil {
		return err
	}
	if f.declared.HasVersion && f.declared.Version != n.Value {
		return f.fault(n, "version '%s' stands against version '%s' of another file", n.Value, f.declared.Version)
	}
	f.declared.Version, f.declared.HasVersion = n.Value, true
	return nil
}

func (f *yamlFile) readSettings(n *yaml.Node) error {
	if n == nil {
		return nil
	}
	f.settings = &catalog.DeclaredSettings{}
	return f.each(n, func(k, v *yaml.Node) error {
		text, err := f.json(v)
		if err != nil {
			return err
		}
		p := &ast.PragmaStmt{Name: ast.Ident(k.Value), Value: &ast.Literal{Kind: ast.TextLit, Text: text}}
		if err := f.settings.SetPragma(p); err != nil {
			return f.fault(k, "%s", err)
		}
		return nil
	})
}

// text begins a statement.
func (f *yamlFile) text() *sqlText { return &sqlText{file: f} }

// parsed parses a statement that can only be of one kind.
func parsed[S ast.Node](t *sqlText) (S, error) {
	var none S
	stmt, err := t.parse()
	if err != nil {
		return none, err
	}
	s, ok := stmt.(S)
	if !ok {
		panic(fmt.Sprintf("schemafile: a %T came out of %q", stmt, t.buf.String()))
	}
	return s, nil
}
