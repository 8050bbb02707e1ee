package function

import (
	"math"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// jsonPath is a compiled path (docs/reference/functions.md). One that is malformed resolves to nothing.
type jsonPath struct {
	steps     []pathStep
	malformed bool
}

// pathStep is .key or [index].
type pathStep struct {
	isKey bool
	key   string
	index int
}

// compilePath compiles `["$"] { "." key | "[" index "]" }`. It shares the memory of s.
func compilePath(s string) *jsonPath {
	p := &jsonPath{malformed: s == ""}
	s = strings.TrimPrefix(s, "$")
	for s != "" && !p.malformed {
		var step pathStep
		var ok bool
		switch s[0] {
		case '.':
			step, s, ok = cutKey(s[1:])
		case '[':
			step, s, ok = cutIndex(s[1:])
		}
		p.steps = append(p.steps, step)
		p.malformed = !ok
	}
	return p
}

// cutKey cuts a key off a path behind its point.
func cutKey(s string) (step pathStep, rest string, ok bool) {
	step.isKey = true
	if quoted, isQuoted := strings.CutPrefix(s, `"`); isQuoted {
		step.key, rest, ok = strings.Cut(quoted, `"`)
		return step, rest, ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	}
	end := strings.IndexAny(s, ".[ ")
	if end < 0 {
		end = len(s)
	}
	step.key = s[:end]
	return step, s[end:], step.key != "" && step.key != "*"
}

// cutIndex cuts an index off a path behind its bracket.
func cutIndex(s string) (step pathStep, rest string, ok bool) {
	digits, rest, closed := strings.Cut(s, "]")
	digits = strings.Trim(digits, " ")
	if !closed || !isDigits(digits) {
		return step, "", false
	}
	for _, d := range []byte(digits) {
		if step.index = step.index*10 + int(d-'0'); step.index > math.MaxInt32 {
			step.index = math.MaxInt32 // beyond any array
		}
	}
	return step, rest, true
}

// position gives the place of the member or element that the step leads to, -1 when there is none.
func (s pathStep) position(j *types.JSON) int {
	switch {
	case j == nil || j.Object != s.isKey:
		return -1
	case s.isKey:
		return slices.Index(j.Keys, s.key)
	case s.index < len(j.Elems):
		return s.index
	}
	return -1
}

// find gives what the path leads to; ok is false when it leads to nothing.
func (p *jsonPath) find(doc types.Value) (v types.Value, ok bool) {
	if p.malformed {
		return types.Null, false
	}
	for _, s := range p.steps {
		j := doc.JSON()
		i := s.position(j)
		if i < 0 {
			return types.Null, false
		}
		doc = j.Elems[i]
	}
	return doc, true
}

// pathReader gives what reads an argument as a path, nil for one that is not text. A constant is compiled once.
func pathReader(a Arg) func(types.Value) *jsonPath {
	if a.HasConst {
		var p *jsonPath
		if a.Const.Kind() == types.KindText {
			p = compilePath(a.Const.Str())
		}
		return func(types.Value) *jsonPath { return p }
	}
	last := newMemo(compilePath)
	return func(v types.Value) *jsonPath {
		if v.Kind() != types.KindText {
			return nil
		}
		return last.get(v.Str())
	}
}

func pathReaders(args []Arg) []func(types.Value) *jsonPath {
	out := make([]func(types.Value) *jsonPath, len(args))
	for i, a := range args {
		out[i] = pathReader(a)
	}
	return out
}
