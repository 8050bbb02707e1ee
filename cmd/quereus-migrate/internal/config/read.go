package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"gopkg.in/yaml.v3"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// File is a file that was read.
type File struct {
	// Path is where it lies; Dir is its folder.
	Path, Dir string
	source    *ast.Source
	root      section
}

// Value is a text of the file, its variables filled in, with its place.
type Value struct {
	Text string
	file *File
	node *yaml.Node
}

// section are the values below a key.
type section struct {
	values   map[string][]Value
	mappings map[string]map[string]Value
	sections map[string]section
	keys     []string // of mappings and sections, in the order of the file
}

// Find gives the path of the file in a folder or the nearest one above it, "" when there is none.
func Find(dir string) string {
	for {
		path := filepath.Join(dir, Name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
		above := filepath.Dir(dir)
		if above == dir {
			return ""
		}
		dir = above
	}
}

// Read reads a file. Its faults are told with their places: a key or value that means nothing, and a variable that is not set.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "configuration")
	}
	f := &File{Path: path, Dir: filepath.Dir(path), source: ast.NewSource(path, string(text))}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, &catalog.SourceError{Source: f.source, Err: types.Wrapf(types.SYNTAX, err, "no YAML")}
	}
	if len(doc.Content) == 0 {
		return f, nil
	}
	if f.root, err = f.section(doc.Content[0], Settings, "the file"); err != nil {
		return nil, err
	}
	if v, ok := f.one("version"); ok && v.Text != "1" {
		return nil, v.Fault("version %s of the form is not known; this tool reads version 1", v.Text)
	}
	return f, f.checkPatterns()
}

// Fault gives an error at the place of a value.
func (v Value) Fault(format string, args ...any) error { return v.file.fault(v.node, format, args...) }

func (f *File) fault(n *yaml.Node, format string, args ...any) error {
	e := types.Errorf(types.ERROR, format, args...)
	e.Line, e.Column = n.Line, n.Column
	return &catalog.SourceError{Source: f.source, Err: e}
}

func (f *File) section(n *yaml.Node, settings []Setting, what string) (s section, err error) {
	s = section{map[string][]Value{}, map[string]map[string]Value{}, map[string]section{}, nil}
	if n.Kind != yaml.MappingNode {
		return s, f.fault(n, "%s is a mapping of settings", what)
	}
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := slices.IndexFunc(settings, func(x Setting) bool { return x.Name == key.Value })
		if at < 0 {
			return s, f.fault(key, "there is no setting %s in %s%s", key.Value, what, nearest(key.Value, settings))
		}
		if slices.Contains(s.keys, key.Value) {
			return s, f.fault(key, "%s is set twice", key.Value)
		}
		s.keys = append(s.keys, key.Value)
		if err := f.setting(&s, &settings[at], value); err != nil {
			return s, err
		}
	}
	return s, nil
}

// nearest tells which setting a mistyped one is likely to be.
func nearest(name string, settings []Setting) string {
	best := slices.MinFunc(settings, func(a, b Setting) int {
		return cmp.Compare(levenshtein.Distance(name, a.Name, nil), levenshtein.Distance(name, b.Name, nil))
	})
	if levenshtein.Distance(name, best.Name, nil) > (len(name)+1)/3 {
		return ""
	}
	return "; did you mean " + best.Name + "?"
}

func (f *File) setting(s *section, x *Setting, n *yaml.Node) (err error) {
	switch x.Kind {
	case Section:
		s.sections[x.Name], err = f.section(n, x.Of, x.Name)
	case Sections:
		s.sections[x.Name], err = f.named(n, x)
	case Mapping:
		s.mappings[x.Name], err = f.mapping(n, x)
	case Words:
		if n.Kind == yaml.SequenceNode {
			for _, item := range n.Content {
				v, err := f.value(item, x)
				if err != nil {
					return err
				}
				s.values[x.Name] = append(s.values[x.Name], v)
			}
			return nil
		}
		fallthrough
	default:
		var v Value
		v, err = f.value(n, x)
		s.values[x.Name] = []Value{v}
	}
	return err
}

// named reads sections under names of the user's.
func (f *File) named(n *yaml.Node, x *Setting) (section, error) {
	out := section{sections: map[string]section{}}
	if n.Kind != yaml.MappingNode {
		return out, f.fault(n, "%s is a mapping of names", x.Name)
	}
	for i := 0; i < len(n.Content); i += 2 {
		name := n.Content[i].Value
		one, err := f.section(n.Content[i+1], x.Of, x.Name+"."+name)
		if err != nil {
			return out, err
		}
		out.sections[name], out.keys = one, append(out.keys, name)
	}
	return out, nil
}

func (f *File) mapping(n *yaml.Node, x *Setting) (map[string]Value, error) {
	if n.Kind != yaml.MappingNode {
		return nil, f.fault(n, "%s is a mapping", x.Name)
	}
	out := map[string]Value{}
	for i := 0; i < len(n.Content); i += 2 {
		v, err := f.value(n.Content[i+1], &Setting{Name: n.Content[i].Value})
		if err != nil {
			return nil, err
		}
		out[n.Content[i].Value] = v
	}
	return out, nil
}

func (f *File) value(n *yaml.Node, x *Setting) (Value, error) {
	v := Value{file: f, node: n}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return v, f.fault(n, "%s wants one value", x.Name)
	}
	text, err := f.filled(n)
	if v.Text = text; err != nil {
		return v, err
	}
	if len(x.Choices) > 0 && !slices.Contains(x.Choices, text) {
		return v, f.fault(n, "%s is %s; want %s", x.Name, text, strings.Join(x.Choices, ", "))
	}
	if x.Kind == Switch && text != "true" && text != "false" {
		return v, f.fault(n, "%s is true or false", x.Name)
	}
	return v, nil
}

// filled gives the text with variables of the environment in it: ${NAME}, or ${NAME:-otherwise}; $$ stands for one $.
func (f *File) filled(n *yaml.Node) (string, error) {
	var missing string
	text := os.Expand(strings.ReplaceAll(n.Value, "$$", "${$}"), func(name string) string {
		if name == "$" {
			return "$"
		}
		name, otherwise, hasOther := strings.Cut(name, ":-")
		if value, ok := os.LookupEnv(name); ok && (value != "" || !hasOther) {
			return value
		}
		if !hasOther {
			missing = name
		}
		return otherwise
	})
	if missing != "" {
		return "", f.fault(n, "the environment has no variable %s; set it, or write ${%s:-otherwise}", missing, missing)
	}
	return text, nil
}

func (f *File) one(name string) (Value, bool) {
	if v := f.root.values[name]; len(v) > 0 {
		return v[0], true
	}
	return Value{}, false
}

// Environments lists the names of the environments in the order of the file.
func (f *File) Environments() []string { return f.root.sections["environments"].keys }

// environment gives the section that is used: that of a name, or the file's default one for "".
func (f *File) environment(name string) (section, error) {
	if name == "" {
		v, ok := f.one("env")
		if !ok {
			return section{}, nil
		}
		s, ok := f.root.sections["environments"].sections[v.Text]
		if !ok {
			return s, v.Fault("there is no environment %s", v.Text)
		}
		return s, nil
	}
	s, ok := f.root.sections["environments"].sections[name]
	if !ok {
		known := strings.Join(f.Environments(), ", ")
		if known == "" {
			known = "none"
		}
		return s, &types.Error{Code: types.NOTFOUND, Message: fmt.Sprintf("%s has no environment %s", f.Path, name), Hint: "it has " + known}
	}
	return s, nil
}
