package transfer

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/engine/transfer/foreign"
	"github.com/quereus/quereus-migrate/types"
)

// wanted gives the type that a declared one asks for, "" when it asks for none.
func wanted(declared string) string {
	name, _, _ := strings.Cut(strings.ToLower(declared), "(")
	name = strings.TrimSpace(name)
	if strings.HasSuffix(declared, "]") {
		return "text" // an array
	}
	contains := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(name, w) {
				return true
			}
		}
		return false
	}
	switch {
	case name == "" || name == "any":
		return ""
	case contains("interval"), name == "point":
		return "text"
	case contains("int", "serial"), name == "year":
		return "integer"
	case contains("char", "clob", "text", "string", "uuid", "enum", "json", "xml", "vector", "inet", "cidr"), name == "set", name == "name":
		return "text"
	case contains("blob", "binary", "bytea"):
		return "blob"
	case contains("real", "floa", "doub"):
		return "real"
	case contains("bool"):
		return "boolean"
	case contains("date", "time"):
		return "text"
	}
	return "numeric"
}

// isDate and isDateTime report whether a declared type is of a date, or of a date with a time.
func isDate(declared string) bool { return strings.EqualFold(declared, "date") }

func isDateTime(declared string) bool {
	d := strings.ToLower(declared)
	return strings.HasPrefix(d, "datetime") || strings.HasPrefix(d, "timestamp")
}

// typeOf gives the type of a column by its declared type and what it holds. A declared type that the values do not fit gives way to the
// one that they all have, or else to ANY, which takes each as it is.
func typeOf(c *foreign.Column, p *ColumnProfile, dates bool) string {
	want := wanted(c.Type)
	if dates && p.Integers+p.Reals+p.Blobs == 0 {
		switch {
		case isDate(c.Type) && p.Dates == p.Texts:
			return "date"
		case isDateTime(c.Type) && p.DateTimes == p.Texts:
			return "datetime"
		}
	}
	if want != "" && p.fits(want) {
		return want
	}
	if p.Integers+p.Reals+p.Texts+p.Blobs > 0 {
		for _, t := range []string{"integer", "real", "numeric", "text", "blob"} {
			if p.fits(t) {
				return t
			}
		}
	}
	return "any"
}

// fits reports whether a type takes all values without a change to any.
func (p *ColumnProfile) fits(t string) bool {
	switch t {
	case "integer":
		return p.Reals+p.Texts+p.Blobs == 0
	case "boolean":
		return p.Reals+p.Texts+p.Blobs == 0 && p.Truths == p.Integers
	case "real":
		return p.Integers+p.Texts+p.Blobs == 0
	case "numeric":
		return p.Texts+p.Blobs == 0
	case "text":
		return p.Integers+p.Reals+p.Blobs == 0
	case "blob":
		return p.Integers+p.Reals+p.Texts == 0
	}
	return false
}

// holdings says in words what a column holds.
func (p *ColumnProfile) holdings() string {
	var parts []string
	add := func(n int64, one, many string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(p.Integers, "integer", "integers")
	add(p.Reals, "real", "reals")
	add(p.Texts, "text", "texts")
	add(p.Blobs, "blob", "blobs")
	if parts == nil {
		return "no values"
	}
	return strings.Join(parts, ", ")
}

// Text counts a text of a column that is declared so.
func (p *ColumnProfile) Text(declared, text string) {
	p.Texts++
	switch {
	case isDate(declared):
		if day, ok := types.ParseDateTime(text); ok && day.Nano == 0 {
			p.Dates++
		}
	case isDateTime(declared):
		if _, ok := types.ParseDateTime(text); ok {
			p.DateTimes++
		}
	}
}

// Count counts a value of a column that is declared so.
func (p *ColumnProfile) Count(declared string, v types.Value) {
	switch v.Kind() {
	case types.KindBoolean:
		p.Integers++
		p.Truths++
	case types.KindInteger:
		p.Integers++
		if i, ok := v.Int64(); ok && (i == 0 || i == 1) {
			p.Truths++
		}
	case types.KindReal:
		p.Reals++
	case types.KindText:
		p.Text(declared, v.Str())
	case types.KindBlob:
		p.Blobs++
	}
}

// ValueOf reads the text of a value of a column that is declared so, as dumps write it. A text that is none of the type's, and a number
// whose digits would not all be kept, stay texts.
func ValueOf(declared, text string) types.Value {
	if !utf8.ValidString(text) {
		return types.TextFromBytes([]byte(text))
	}
	switch wanted(declared) {
	case "integer":
		if v, ok := types.ParseInteger(text); ok {
			return v
		}
	case "real", "numeric":
		return number(text, wanted(declared) == "real")
	case "boolean":
		switch strings.ToLower(text) {
		case "t", "true", "1":
			return types.True
		case "f", "false", "0":
			return types.False
		}
	case "blob":
		if digits, ok := strings.CutPrefix(text, `\x`); ok {
			if b, err := hex.DecodeString(digits); err == nil {
				return types.Blob(b)
			}
		}
		return types.Blob([]byte(text))
	}
	return types.Text(text)
}

// number reads a number. One of a fixed number of digits must come out with all of them.
func number(text string, isReal bool) types.Value {
	if v, ok := types.ParseInteger(text); ok && !isReal {
		return v
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) {
		return types.Text(text)
	}
	if !isReal && !strings.ContainsAny(text, "eE") && strconv.FormatFloat(f, 'f', -1, 64) != plain(text) {
		return types.Text(text)
	}
	return types.Real(f)
}

// plain leaves the zeros out that a decimal number does not need.
func plain(text string) string {
	if strings.ContainsRune(text, '.') {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	if strings.HasPrefix(text, "-.") {
		return "-0" + text[1:]
	}
	if strings.HasPrefix(text, ".") {
		return "0" + text
	}
	if text == "-0" {
		return "0"
	}
	return text
}
