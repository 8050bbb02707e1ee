package function

import (
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// bindJSONPatch is json_patch(x, operations) by RFC 6902: NULL as soon as an operation is malformed or fails.
func bindJSONPatch(args []Arg) (Eval, error) {
	readDoc, readOps := documentReader(args[0]), documentReader(args[1])
	return func(_ *Call, args []types.Value) (types.Value, error) {
		doc, ok := readDoc(args[0])
		list, okOps := readOps(args[1])
		ops := list.JSON()
		if !ok || !okOps || ops == nil || ops.Object {
			return types.Null, nil
		}
		for _, op := range ops.Elems {
			var err error
			if doc, ok, err = patch(doc, op); !ok || err != nil {
				return types.Null, err
			}
		}
		return doc, nil
	}, nil
}

// patchOp is one operation, its parts resolved.
type patchOp struct {
	op         string
	path, from pointer
	value      types.Value
}

// readPatchOp reads an operation; ok is false for one that lacks a part or has a malformed one.
func readPatchOp(v types.Value) (x patchOp, ok bool) {
	j := v.JSON()
	var path string
	if x.op, ok = textMember(j, "op"); !ok {
		return x, false
	}
	if path, ok = textMember(j, "path"); !ok {
		return x, false
	}
	if x.path, ok = parsePointer(path); !ok {
		return x, false
	}
	switch x.op {
	case "add", "replace", "test":
		i := pathStep{isKey: true, key: "value"}.position(j)
		if i < 0 {
			return x, false
		}
		x.value = j.Elems[i]
	case "move", "copy":
		from, ok := textMember(j, "from")
		if !ok {
			return x, false
		}
		x.from, ok = parsePointer(from)
		return x, ok
	case "remove":
	default:
		return x, false
	}
	return x, true
}

// textMember gives a member of an object that is a string.
func textMember(j *types.JSON, key string) (s string, ok bool) {
	i := pathStep{isKey: true, key: key}.position(j)
	if i < 0 || j.Elems[i].Kind() != types.KindText {
		return "", false
	}
	return j.Elems[i].Str(), true
}

// patch applies one operation; ok is false when it fails.
func patch(doc, operation types.Value) (result types.Value, ok bool, err error) {
	x, ok := readPatchOp(operation)
	if !ok {
		return types.Null, false, nil
	}
	switch x.op {
	case "test":
		v, ok := x.path.find(doc)
		return doc, ok && types.CompareJSON(v, x.value) == 0, nil
	case "remove":
		return x.path.remove(doc)
	case "replace":
		return x.path.replace(doc, x.value)
	case "add":
		return x.path.add(doc, x.value)
	}
	v, ok := x.from.find(doc)
	if !ok {
		return types.Null, false, nil
	}
	if x.op == "move" {
		if x.from.isProperPrefix(x.path) {
			return types.Null, false, nil
		}
		if doc, ok, err = x.from.remove(doc); !ok || err != nil {
			return types.Null, ok, err
		}
	}
	return x.path.add(doc, v)
}

// pointer is a JSON pointer (RFC 6901): the reference tokens, none for the whole document.
type pointer []string

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

func parsePointer(s string) (p pointer, ok bool) {
	if s == "" {
		return nil, true
	}
	if s[0] != '/' || strings.Count(s, "~") != strings.Count(s, "~0")+strings.Count(s, "~1") {
		return nil, false
	}
	p = strings.Split(s[1:], "/")
	for i := range p {
		p[i] = pointerEscapes.Replace(p[i])
	}
	return p, true
}

func (p pointer) isProperPrefix(q pointer) bool {
	if len(p) >= len(q) {
		return false
	}
	for i := range p {
		if p[i] != q[i] {
			return false
		}
	}
	return true
}

// elementIndex reads a token as an index of an array, up to limit: digits without leading zeros.
func elementIndex(token string, limit int) (i int, ok bool) {
	i, err := strconv.Atoi(token)
	return i, err == nil && i <= limit && strconv.Itoa(i) == token && i >= 0
}

// position gives the place of the member or element that a token names, -1 when there is none.
func position(j *types.JSON, token string) int {
	switch {
	case j == nil:
		return -1
	case j.Object:
		return pathStep{isKey: true, key: token}.position(j)
	}
	if i, ok := elementIndex(token, len(j.Elems)-1); ok {
		return i
	}
	return -1
}

func (p pointer) find(doc types.Value) (v types.Value, ok bool) {
	for _, token := range p {
		j := doc.JSON()
		i := position(j, token)
		if i < 0 {
			return types.Null, false
		}
		doc = j.Elems[i]
	}
	return doc, true
}

// change replaces the container that holds the target by what f makes of it.
func (p pointer) change(doc types.Value, f func(j *types.JSON, token string) (types.Value, bool, error)) (types.Value, bool, error) {
	j := doc.JSON()
	if j == nil {
		return types.Null, false, nil
	}
	if len(p) == 1 {
		return f(j, p[0])
	}
	i := position(j, p[0])
	if i < 0 {
		return types.Null, false, nil
	}
	child, ok, err := p[1:].change(j.Elems[i], f)
	if !ok || err != nil {
		return types.Null, ok, err
	}
	changed, err := withElem(j, i, child)
	return changed, true, err
}

func (p pointer) add(doc, v types.Value) (types.Value, bool, error) {
	if len(p) == 0 {
		return v, true, nil
	}
	return p.change(doc, func(j *types.JSON, token string) (types.Value, bool, error) {
		var changed types.Value
		var err error
		if i, ok := elementIndex(token, len(j.Elems)); !j.Object && (ok || token == "-") {
			if !ok {
				i = len(j.Elems)
			}
			changed, err = insertElem(j, i, v)
		} else if !j.Object {
			return types.Null, false, nil
		} else if i := position(j, token); i >= 0 {
			changed, err = withElem(j, i, v)
		} else {
			changed, err = withMember(j, token, v)
		}
		return changed, true, err
	})
}

// replace needs a target that exists.
func (p pointer) replace(doc, v types.Value) (types.Value, bool, error) {
	if len(p) == 0 {
		return v, true, nil
	}
	return p.change(doc, func(j *types.JSON, token string) (types.Value, bool, error) {
		i := position(j, token)
		if i < 0 {
			return types.Null, false, nil
		}
		changed, err := withElem(j, i, v)
		return changed, true, err
	})
}

// remove needs a target that exists; of the whole document it leaves null.
func (p pointer) remove(doc types.Value) (types.Value, bool, error) {
	if len(p) == 0 {
		return types.Null, true, nil
	}
	return p.change(doc, func(j *types.JSON, token string) (types.Value, bool, error) {
		i := position(j, token)
		if i < 0 {
			return types.Null, false, nil
		}
		changed, err := withoutElem(j, i)
		return changed, true, err
	})
}
