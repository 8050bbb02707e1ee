package term

import "testing"

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain ü 日本":            "plain ü 日本",
		"a\r\ndrop\ttable b":    `a\r\ndrop\ttable b`,
		"\x1b[2J\u0085":         `\x1b[2J\x85`,
		"a\u2028b\u2029c":       `a\u2028b\u2029c`,
		"x\u202ey\u2066z\u200f": `x\u202ey\u2066z\u200f`,
	} {
		if got := Visible(text); got != want {
			t.Errorf("Visible(%q) = %q, want %q", text, got, want)
		}
	}
}
