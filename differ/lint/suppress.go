package lint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

// A comment suppresses findings: `lint:ignore CODE[,CODE] why` those of its line, and of the next one if it stands alone;
// `lint:ignore-file CODE[,CODE] why` those of its file. The word all stands for every code.
var (
	suppression = regexp.MustCompile(`lint:ignore(-file)?[ \t]+([a-z0-9/-]+(?:,[ \t]*[a-z0-9/-]+)*)`)
	yamlComment = regexp.MustCompile(`(?m)(?:^|[ \t])#.*$`)
)

// suppressed are the codes that a file's comments name.
type suppressed struct {
	file  []string
	lines map[int][]string
}

func (s *suppressed) covers(f *Finding) bool {
	return isNamed(s.file, f.Rule) || isNamed(s.lines[f.Line], f.Rule)
}

func isNamed(codes []string, code string) bool {
	return slices.Contains(codes, code) || slices.Contains(codes, "all")
}

// unsuppressed leaves out what comments suppress.
func unsuppressed(list []Finding) []Finding {
	bySource := map[*ast.Source]*suppressed{}
	return slices.DeleteFunc(list, func(f Finding) bool {
		if f.Source == nil {
			return false
		}
		s := bySource[f.Source]
		if s == nil {
			s = readSuppressions(f.Source)
			bySource[f.Source] = s
		}
		return s.covers(&f)
	})
}

func readSuppressions(src *ast.Source) *suppressed {
	s := &suppressed{lines: map[int][]string{}}
	for _, span := range comments(src) {
		m := suppression.FindStringSubmatch(src.Text[span[0]:span[1]])
		if m == nil {
			continue
		}
		var codes []string
		for code := range strings.SplitSeq(m[2], ",") {
			codes = append(codes, strings.TrimSpace(code))
		}
		first, column := src.Position(ast.Pos(span[0]))
		last, _ := src.Position(ast.Pos(span[1]))
		if m[1] != "" {
			s.file = append(s.file, codes...)
			continue
		}
		if strings.TrimSpace(string([]rune(src.Line(first))[:column-1])) == "" {
			last++
		}
		for line := first; line <= last; line++ {
			s.lines[line] = append(s.lines[line], codes...)
		}
	}
	return s
}

// comments gives where the comments of a text begin and end.
func comments(src *ast.Source) [][]int {
	name := strings.ToLower(src.Name)
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return yamlComment.FindAllStringIndex(src.Text, -1)
	}
	lexemes, _ := parse.Lexemes(src) // what was linted can be cut
	var out [][]int
	for _, x := range lexemes {
		if x.Kind == parse.LexComment {
			out = append(out, []int{int(x.From), int(x.To)})
		}
	}
	return out
}
