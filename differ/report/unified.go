package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// op is what becomes of a line.
type op byte

const (
	same    op = ' '
	removed op = '-'
	added   op = '+'
)

// line is a line of two texts, without its end.
type line struct {
	op   op
	text string
}

// diffLines compares two texts line by line.
func diffLines(before, after string) []line {
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // the clock must not decide
	a, b, lines := d.DiffLinesToRunes(before, after)
	var out []line
	for _, x := range d.DiffCharsToLines(d.DiffMainRunes(a, b, false), lines) {
		kind := map[diffmatchpatch.Operation]op{diffmatchpatch.DiffEqual: same, diffmatchpatch.DiffDelete: removed, diffmatchpatch.DiffInsert: added}[x.Type]
		for text := range strings.Lines(x.Text) {
			out = append(out, line{kind, strings.TrimSuffix(text, "\n")})
		}
	}
	return out
}

// span is a piece of a line, marked if the other side has not got it.
type span struct {
	Text   string
	Marked bool
}

// intraline compares two lines, character by character, and gives the pieces of each. Lines that have little in common are marked as a
// whole.
func intraline(before, after string) (old, now []span) {
	d := diffmatchpatch.New()
	d.DiffTimeout = 0
	diffs := d.DiffCleanupSemantic(d.DiffMain(before, after, false))
	kept := 0
	for _, x := range diffs {
		switch x.Type {
		case diffmatchpatch.DiffEqual:
			kept += utf8.RuneCountInString(strings.TrimSpace(x.Text))
			old, now = append(old, span{x.Text, false}), append(now, span{x.Text, false})
		case diffmatchpatch.DiffDelete:
			old = append(old, span{x.Text, true})
		case diffmatchpatch.DiffInsert:
			now = append(now, span{x.Text, true})
		}
	}
	if kept*3 < max(utf8.RuneCountInString(before), utf8.RuneCountInString(after)) {
		return []span{{before, true}}, []span{{after, true}}
	}
	return old, now
}

// context is how many equal lines stand around a difference.
const context = 3

// Unified writes the difference of two texts as patch reads it; nothing if they are equal.
func Unified(w io.Writer, from, to, before, after string) error {
	if before == after {
		return nil
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "--- %s\n+++ %s\n", from, to)
	lines := diffLines(before, after)
	for i := 0; i < len(lines); {
		first, end := nextHunk(lines, i)
		if first < 0 {
			break
		}
		writeHunk(out, lines, first, end)
		i = end
	}
	return out.Flush()
}

// nextHunk finds the lines, from i on, of the next difference with the context around it; first is -1 if there is none.
func nextHunk(lines []line, i int) (first, end int) {
	change := i
	for change < len(lines) && lines[change].op == same {
		change++
	}
	if change == len(lines) {
		return -1, 0
	}
	last := change
	for k := change; k < len(lines) && k-last <= 2*context; k++ {
		if lines[k].op != same {
			last = k
		}
	}
	return max(change-context, i), min(last+context+1, len(lines))
}

func writeHunk(out *bufio.Writer, lines []line, first, end int) {
	count := func(lines []line, not op) (n int) {
		for _, l := range lines {
			if l.op != not {
				n++
			}
		}
		return n
	}
	at := func(not op) string {
		start, n := count(lines[:first], not)+1, count(lines[first:end], not)
		if n == 0 {
			start--
		}
		return fmt.Sprintf("%d,%d", start, n)
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", at(added), at(removed))
	for _, l := range lines[first:end] {
		fmt.Fprintf(out, "%c%s\n", l.op, l.text)
	}
}
