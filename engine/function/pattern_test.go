package function_test

import (
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/types"
)

// likeModel is LIKE by its definition, at any price.
func likeModel(pattern, text []rune, escape rune) bool {
	if len(pattern) == 0 {
		return len(text) == 0
	}
	switch r := pattern[0]; {
	case r == escape:
		return len(pattern) > 1 && len(text) > 0 && text[0] == pattern[1] && likeModel(pattern[2:], text[1:], escape)
	case r == '%':
		return likeModel(pattern[1:], text, escape) || len(text) > 0 && likeModel(pattern, text[1:], escape)
	default:
		return len(text) > 0 && (r == '_' || r == text[0]) && likeModel(pattern[1:], text[1:], escape)
	}
}

// endsInEscape reports whether an escape has nothing to escape, which matches nothing wherever it would be reached.
func endsInEscape(pattern []rune, escape rune) bool {
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == escape {
			if i++; i == len(pattern) {
				return true
			}
		}
	}
	return false
}

func runesOf(alphabet string) *rapid.Generator[rune] { return rapid.SampledFrom([]rune(alphabet)) }

func TestLikeFollowsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.SliceOfN(runesOf("ab%%_é\n"), 0, 9).Draw(t, "pattern")
		text := rapid.SliceOfN(runesOf("abé\n"), 0, 9).Draw(t, "text")
		escape := rapid.SampledFrom([]rune{function.NoEscape, 'a', '%', 'é'}).Draw(t, "escape")
		want := !endsInEscape(pattern, escape) && likeModel(pattern, text, escape)
		if got := function.CompileLike(string(pattern), escape).MatchString(string(text)); got != want {
			t.Fatalf("%q like %q escape %q: %v", string(text), string(pattern), escape, got)
		}
	})
}

// globModel is GLOB by its definition, at any price.
func globModel(pattern, text []rune) bool {
	if len(pattern) == 0 {
		return len(text) == 0
	}
	switch pattern[0] {
	case '*':
		return globModel(pattern[1:], text) || len(text) > 0 && globModel(pattern, text[1:])
	case '?':
		return len(text) > 0 && globModel(pattern[1:], text[1:])
	case '[':
		if end := classEnd(pattern); end > 0 {
			return len(text) > 0 && inClass(pattern[1:end], text[0]) && globModel(pattern[end+1:], text[1:])
		}
	}
	return len(text) > 0 && pattern[0] == text[0] && globModel(pattern[1:], text[1:])
}

// classEnd gives the position of the bracket that closes the class at the start of pattern, 0 for none.
func classEnd(pattern []rune) int {
	first := 1
	if len(pattern) > 1 && pattern[1] == '^' {
		first = 2
	}
	for i := first + 1; i < len(pattern); i++ {
		if pattern[i] == ']' {
			return i
		}
	}
	return 0
}

func inClass(members []rune, r rune) bool {
	negated := members[0] == '^'
	if negated {
		members = members[1:]
	}
	for i := 0; i < len(members); i++ {
		lo, hi := members[i], members[i]
		if i+2 < len(members) && members[i+1] == '-' {
			hi = members[i+2]
			i += 2
		}
		if lo <= r && r <= hi {
			return !negated
		}
	}
	return negated
}

func TestGlobFollowsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.SliceOfN(runesOf("abc*?[]^-é"), 0, 10).Draw(t, "pattern")
		text := rapid.SliceOfN(runesOf("abcé]-^["), 0, 8).Draw(t, "text")
		if got, want := function.CompileGlob(string(pattern)).MatchString(string(text)), globModel(pattern, text); got != want {
			t.Fatalf("%q glob %q: %v", string(text), string(pattern), got)
		}
	})
}

func TestMatchingAllocatesNothingAndDoesNotBacktrack(t *testing.T) {
	text, call := strings.Repeat("a", 1<<20), newHarness().call
	for name, p := range map[string]function.Matcher{
		"like":       function.CompileLike(strings.Repeat("%a", 1000)+"%b", function.NoEscape),
		"like tail":  function.CompileLike("%"+strings.Repeat("a", 1000)+"b", function.NoEscape),
		"underscore": function.CompileLike(strings.Repeat("%a_a", 1000)+"%b", function.NoEscape),
		"glob":       function.CompileGlob(strings.Repeat("*[a-z]", 1000) + "*b"),
	} {
		begin := time.Now()
		ok, err := p.Match(call, text)
		assert.True(t, !ok && err == nil, name)
		assert.Less(t, time.Since(begin), 5*time.Second, name)
		assert.Zero(t, testing.AllocsPerRun(1, func() { p.Match(call, text) }), name)
	}
}

func TestMalformedRegexpFailsWhenUsed(t *testing.T) {
	h := newHarness()
	f := h.functions.Lookup("regexp", 2, false)
	for _, hasConst := range []bool{true, false} {
		eval, err := f.Bind([]function.Arg{{Type: types.TypeText, Const: types.Text("("), HasConst: hasConst}, {Type: types.TypeText}})
		require.NoError(t, err, "a pattern that is never used does no harm")
		_, err = eval(h.call, []types.Value{types.Text("("), types.Text("a")})
		require.ErrorIs(t, err, types.ERROR)
		require.ErrorContains(t, err, "malformed regular expression '('")
	}
}

func TestPatternsThatVaryByRow(t *testing.T) {
	h := newHarness()
	for _, name := range []string{"like", "glob", "regexp"} {
		eval, err := h.functions.Lookup(name, 2, false).Bind([]function.Arg{{Type: types.TypeText}, {Type: types.TypeText}})
		require.NoError(t, err)
		buffer := []byte("aaa") // patterns come from memory that is used again
		for _, c := range []string{"aaa", "bbb", "bbb", "aaa"} {
			copy(buffer, c)
			v, err := eval(h.call, []types.Value{textOver(buffer), types.Text("aaa")})
			require.NoError(t, err)
			assert.Equal(t, c == "aaa", v.Bool(), "%s %s", name, c)
		}
	}
}

func TestBoundFunctionsServeManyGoroutines(t *testing.T) {
	h := newHarness()
	text := []function.Arg{{Type: types.TypeText}, {Type: types.TypeText}}
	like, err := h.functions.Lookup("like", 2, false).Bind(text)
	require.NoError(t, err)
	extract, err := h.functions.Lookup("json_extract", 2, false).Bind(text)
	require.NoError(t, err)
	upper := h.functions.Lookup("upper", 1, false).Eval
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			key := strings.Repeat("é", g+1)
			for range 200 {
				v, err := like(h.call, []types.Value{types.Text(key + "%"), types.Text(key)})
				assert.True(t, err == nil && v.Bool())
				v, err = extract(h.call, []types.Value{types.Text(`{"` + key + `":7}`), types.Text("$." + key)})
				assert.True(t, err == nil && types.Equal(v, types.Int(7), nil))
				v, err = upper(h.call, []types.Value{types.Text(key)})
				assert.True(t, err == nil && v.Str() == strings.Repeat("É", g+1))
			}
		})
	}
	group.Wait()
}

// textOver gives a text that shares the memory of b.
func textOver(b []byte) types.Value { return types.Text(unsafe.String(unsafe.SliceData(b), len(b))) }

func BenchmarkLike(b *testing.B) {
	text := strings.Repeat("lorem ipsum dolor sit amet ", 4) + "consectetur"
	for _, pattern := range []string{"lorem%", "%consectetur", "%dolor%amet%", "%d_l_r%a_et%con_ectetur"} {
		p := function.CompileLike(pattern, function.NoEscape)
		b.Run(pattern, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !p.MatchString(text) {
					b.Fatal("no match")
				}
			}
		})
	}
}
