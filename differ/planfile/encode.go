package planfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/quereus/quereus-migrate/types"
)

const yamlHead = "# A migration plan: what will run, and why. docs/plan-file.md describes it.\n" +
	"# To write INSERT, UPDATE or DELETE in: quereus-migrate plan edit. After changes by hand: quereus-migrate plan seal.\n"

// YAML gives the file as YAML.
func (f *File) YAML() ([]byte, error) {
	text, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	doc := node(d)
	var b bytes.Buffer
	b.WriteString(yamlHead)
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(doc); err != nil {
		return nil, types.Wrapf(types.INTERNAL, err, "writing a plan as YAML")
	}
	// The library writes DEL as it is, and does not read it so; it stands between double quotes.
	return bytes.ReplaceAll(b.Bytes(), []byte("\x7f"), []byte(`\x7f`)), e.Close()
}

// node makes the next value of a JSON text that is known to be sound a node of YAML. (The library makes nodes of Go values by writing and
// reading them, which not every text survives.)
func node(d *json.Decoder) *yaml.Node {
	t, _ := d.Token()
	switch t := t.(type) {
	case json.Delim:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		if t == '{' {
			n.Kind = yaml.MappingNode
		}
		isFlow := t == '['
		for d.More() {
			c := node(d)
			n.Content = append(n.Content, c)
			isFlow = isFlow && c.Tag == "!!int"
		}
		if isFlow {
			n.Style = yaml.FlowStyle
		}
		_, _ = d.Token()
		return n
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: t.String()}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(t)}
	case string:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: t, Style: textStyle(t)}
	}
	panic("there is no null in a plan")
}

// textStyle chooses how a text is written: over several lines where that is sure to read back, else between quotes. The library loses empty
// lines at the beginning of a block, among others.
func textStyle(text string) yaml.Style {
	isOdd := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	switch {
	case strings.ContainsFunc(text, isOdd):
		return yaml.DoubleQuotedStyle
	case !strings.Contains(text, "\n"):
		return 0
	case strings.HasPrefix(text, "\n"), strings.HasPrefix(text, " "), strings.HasSuffix(text, "\n"), strings.Contains(text, " \n"):
		return yaml.DoubleQuotedStyle
	}
	return yaml.LiteralStyle
}

// JSON gives the file as JSON.
func (f *File) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(f)
	return b.Bytes(), err
}

// IsJSON reports whether the text of a plan is JSON: it begins with a brace.
func IsJSON(text []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) }

// Decode reads a file, as JSON when it begins with a brace and else as YAML. FORMAT for what is no plan, is of a version that this release
// does not know, or says what that version does not have. The checksum is not looked at.
func Decode(text []byte) (*File, error) {
	read := decodeYAML
	if IsJSON(text) {
		read = decodeJSON
	}
	var version struct {
		Format *int `json:"format" yaml:"format"`
	}
	if err := read(text, &version, false); err != nil {
		return nil, types.Wrapf(types.FORMAT, err, "this is no plan file")
	}
	switch v := version.Format; {
	case v == nil:
		return nil, types.Errorf(types.FORMAT, "this is no plan file: it does not say its format")
	case *v < 1:
		return nil, types.Errorf(types.FORMAT, "this is no plan file: there is no format %d", *v)
	case *v > Format:
		return nil, &types.Error{
			Code: types.FORMAT, Message: fmt.Sprintf("the plan is of format %d, this release knows formats up to %d", *v, Format),
			Hint: "use the release that wrote it, or a newer one",
		}
	}
	f := &File{}
	if err := read(text, f, true); err != nil {
		return nil, types.Wrapf(types.FORMAT, err, "the plan cannot be read")
	}
	if f.Steps == nil {
		f.Steps = []Step{}
	}
	return f, nil
}

// decodeYAML reads one document. Keys that are there twice are an error of the library.
func decodeYAML(text []byte, to any, isStrict bool) error {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(isStrict)
	if err := d.Decode(to); err != nil {
		return err
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("it holds more than one document")
	}
	return nil
}

func decodeJSON(text []byte, to any, isStrict bool) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if isStrict {
		if err := uniqueKeys(json.NewDecoder(bytes.NewReader(text))); err != nil {
			return err
		}
		d.DisallowUnknownFields()
	}
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("it holds more than one document")
	}
	return nil
}

// uniqueKeys refuses an object with a key twice: a reader could see the one and the tool take the other. The library takes keys in any
// case, so case does not count.
func uniqueKeys(d *json.Decoder) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	open, isNested := t.(json.Delim)
	if !isNested {
		return nil
	}
	keys := map[string]bool{}
	for d.More() {
		if open == '{' {
			t, err := d.Token()
			if err != nil {
				return err
			}
			key := strings.ToLower(t.(string))
			if keys[key] {
				return fmt.Errorf("the key %q is there twice", t)
			}
			keys[key] = true
		}
		if err := uniqueKeys(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}
