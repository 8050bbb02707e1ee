package golden

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Difference shows how the answer differs from the expected one: lines that are missing behind "-", lines that came instead behind
// "+", and a few lines around them. Rows that are the same JSON by value do not differ; neither does their order where it does not
// count. "" for a case that passed.
func (r Result) Difference() string {
	if r.Pass {
		return ""
	}
	want, got := canonicalLines(r.Case.Expected), canonicalLines(r.Got)
	switch {
	case r.Case.RowSort && len(want) > 0 && len(got) > 0:
		want, got = sortedRows(want), sortedRows(got)
	case r.Case.has("any-order"):
		slices.Sort(want)
		slices.Sort(got)
	}
	return lineDiff(want, got)
}

func canonicalLines(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = canonicalJSON(l)
	}
	return out
}

// contextLines is how many lines are shown on either side of a difference.
const contextLines = 3

// lineDiff shows what must be taken out of want and put in to make got of it.
func lineDiff(want, got []string) string {
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // else the answer depends on the clock
	a, b, lines := d.DiffLinesToRunes(joinLines(want), joinLines(got))
	diffs := d.DiffCharsToLines(d.DiffMainRunes(a, b, false), lines)
	var out strings.Builder
	for i, part := range diffs {
		text := strings.Split(strings.TrimSuffix(part.Text, "\n"), "\n")
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			writeLines(&out, "- ", text)
		case diffmatchpatch.DiffInsert:
			writeLines(&out, "+ ", text)
		case diffmatchpatch.DiffEqual:
			writeContext(&out, text, i > 0, i < len(diffs)-1)
		}
	}
	return out.String()
}

func joinLines(lines []string) string {
	var b strings.Builder
	writeLines(&b, "", lines)
	return b.String()
}

func writeLines(b *strings.Builder, mark string, lines []string) {
	for _, l := range lines {
		b.WriteString(mark + l + "\n")
	}
}

// writeContext writes lines that are the same on both sides: those next to the differences before and behind them.
func writeContext(b *strings.Builder, lines []string, before, behind bool) {
	head, tail := 0, len(lines)
	if before {
		head = min(contextLines, len(lines))
	}
	if behind {
		tail = max(head, len(lines)-contextLines)
	}
	writeLines(b, "  ", lines[:head])
	if tail-head == 1 {
		tail-- // one line takes no more room than its count
	}
	if tail > head {
		fmt.Fprintf(b, "  … %d lines\n", tail-head)
	}
	writeLines(b, "  ", lines[tail:])
}
