package function

import (
	"encoding/hex"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// texts are the functions of text (docs/reference/functions.md). Positions and lengths count code points.
func texts() []*Function {
	return []*Function{
		mapsText("lower", types.Lower), mapsText("upper", types.Upper), mapsText("reverse", reverse),
		{Name: "length", Args: 1, Deterministic: true, NullOnNull: true, Type: resultOfLength, Eval: length},
		substring("substr"), substring("substring"),
		trims("trim", types.TrimSpace, strings.Trim),
		trims("ltrim", trimSpaceLeft, strings.TrimLeft),
		trims("rtrim", trimSpaceRight, strings.TrimRight),
		{Name: "replace", Args: 3, Deterministic: true, NullOnNull: true, Type: resultOf(types.TypeText), Eval: replace},
		{Name: "instr", Args: 2, Deterministic: true, NullOnNull: true, Type: resultOf(types.TypeInteger), Eval: instr},
		pads("lpad", true), pads("rpad", false),
		{Name: "hex", Args: 1, Deterministic: true, NullOnNull: true, Type: resultOf(types.TypeText), Eval: hexOf},
		{Name: "unhex", Args: 1, Deterministic: true, NullOnNull: true, Type: resultAlways(types.TypeBlob), Eval: unhex},
	}
}

// mapsText is a function of one text, NULL for what is none.
func mapsText(name string, f func(string) string) *Function {
	return &Function{
		Name: name, Args: 1, Deterministic: true, NullOnNull: true, Type: resultOfText(types.TypeText),
		Eval: func(_ *Call, args []types.Value) (types.Value, error) {
			if args[0].Kind() != types.KindText {
				return types.Null, nil
			}
			return types.Text(f(args[0].Str())), nil
		},
	}
}

func reverse(s string) string {
	b := make([]byte, len(s))
	for at := len(s); len(s) > 0; {
		_, n := utf8.DecodeRuneInString(s)
		at -= n
		copy(b[at:], s[:n])
		s = s[n:]
	}
	return string(b)
}

func resultOfLength(args []Arg) Result {
	counted := isText(args[0].Type) || args[0].Type.Class == types.KindBlob
	return Result{types.TypeInteger, args[0].Nullable || !counted}
}

// length counts the code points of a text and the bytes of a blob.
func length(_ *Call, args []types.Value) (types.Value, error) {
	switch v := args[0]; v.Kind() {
	case types.KindText:
		return types.Int(int64(utf8.RuneCountInString(v.Str()))), nil
	case types.KindBlob:
		return types.Int(int64(len(v.Bytes()))), nil
	}
	return types.Null, nil
}

// substring is substr(x, start [, length]).
func substring(name string) *Function {
	return &Function{
		Name: name, Args: -1, Min: 2, Max: 3, Deterministic: true,
		Type: func(args []Arg) Result {
			return Result{types.TypeText, anyNullable(args[:2]) || !areAll(args[1:], isNumeric)}
		},
		Eval: func(_ *Call, args []types.Value) (types.Value, error) {
			start, ok := numberOf(args[1])
			if args[0].IsNull() || !ok {
				return types.Null, nil
			}
			rest := dropPoints(types.ToText(args[0]), countOf(start))
			if len(args) == 2 {
				return types.Text(rest), nil
			}
			if args[2].IsNull() {
				return types.Text(""), nil
			}
			count, ok := numberOf(args[2])
			if !ok {
				return types.Null, nil
			}
			return types.Text(rest[:pointsEnd(rest, countOf(count))]), nil
		},
	}
}

// dropPoints gives s from its start-th code point on, counted from 1, or from the end when start is negative.
func dropPoints(s string, start int64) string {
	if start > 0 {
		return s[pointsEnd(s, start-1):]
	}
	if start == 0 {
		return s
	}
	at := len(s)
	for ; start < 0 && at > 0; start++ {
		_, n := utf8.DecodeLastRuneInString(s[:at])
		at -= n
	}
	return s[at:]
}

// pointsEnd gives the length in bytes of the first count code points of s, or of all of them.
func pointsEnd(s string, count int64) int {
	if count >= int64(len(s)) {
		return len(s)
	}
	at := 0
	for ; count > 0 && at < len(s); count-- {
		_, n := utf8.DecodeRuneInString(s[at:])
		at += n
	}
	return at
}

// trims is trim(x [, set]) and its one-sided forms. A NULL set is none, which means white space.
func trims(name string, space func(string) string, set func(s, set string) string) *Function {
	return &Function{
		Name: name, Args: -1, Min: 1, Max: 2, Deterministic: true,
		Type: func(args []Arg) Result { return Result{types.TypeText, args[0].Nullable} },
		Eval: func(_ *Call, args []types.Value) (types.Value, error) {
			switch {
			case args[0].IsNull():
				return types.Null, nil
			case len(args) == 1 || args[1].IsNull():
				return types.Text(space(types.ToText(args[0]))), nil
			}
			return types.Text(set(types.ToText(args[0]), types.ToText(args[1]))), nil
		},
	}
}

// trimSpaceLeft drops the white space that TrimSpace drops at the front. What is left begins where the trimmed text first occurs,
// as it begins with no white space; for white space alone that is the end.
func trimSpaceLeft(s string) string {
	trimmed := types.TrimSpace(s)
	if trimmed == "" {
		return ""
	}
	return s[strings.Index(s, trimmed):]
}

// trimSpaceRight drops the white space at the end likewise: the trimmed text ends where it last occurs.
func trimSpaceRight(s string) string {
	trimmed := types.TrimSpace(s)
	if trimmed == "" {
		return ""
	}
	return s[:strings.LastIndex(s, trimmed)+len(trimmed)]
}

func replace(c *Call, args []types.Value) (types.Value, error) {
	s, from, to := types.ToText(args[0]), types.ToText(args[1]), types.ToText(args[2])
	if from == "" {
		return types.Text(s), nil
	}
	n, err := occurrences(c, s, from)
	if err != nil || n == 0 {
		return types.Text(s), err
	}
	b, err := newBuilder(c, len(s)+n*(len(to)-len(from)))
	if err != nil {
		return types.Null, err
	}
	for ; n > 0 && err == nil; n-- {
		at := strings.Index(s, from)
		if err = b.write(s[:at]); err == nil {
			err = b.write(to)
		}
		s = s[at+len(from):]
		b.since += piece / lookEvery // each is work, however short the pieces
	}
	if err == nil {
		err = b.write(s)
	}
	return types.Text(b.text.String()), err
}

// lookEvery is the number of short steps between two looks at the context.
const lookEvery = 1 << 14

// occurrences counts the places of a text in another that do not overlap.
func occurrences(c *Call, s, sought string) (n int, err error) {
	for ; ; n++ {
		if n%lookEvery == 0 {
			if err := c.Interrupted(); err != nil {
				return n, err
			}
		}
		at := strings.Index(s, sought)
		if at < 0 {
			return n, nil
		}
		s = s[at+len(sought):]
	}
}

// instr gives the position of the first occurrence, 0 when there is none. The empty text occurs nowhere.
func instr(_ *Call, args []types.Value) (types.Value, error) {
	s, sought := types.ToText(args[0]), types.ToText(args[1])
	at := strings.Index(s, sought)
	if at < 0 || sought == "" {
		return types.Int(0), nil
	}
	return types.Int(int64(utf8.RuneCountInString(s[:at])) + 1), nil
}

// pads is lpad(x, n, p) or rpad(x, n, p).
func pads(name string, isLeft bool) *Function {
	return &Function{
		Name: name, Args: 3, Deterministic: true, NullOnNull: true,
		Type: func(args []Arg) Result {
			return Result{types.TypeText, anyNullable(args) || !isText(args[0].Type) || !isNumeric(args[1].Type) || !isText(args[2].Type)}
		},
		Eval: func(c *Call, args []types.Value) (types.Value, error) {
			if args[0].Kind() != types.KindText || !args[1].IsNumber() || args[2].Kind() != types.KindText {
				return types.Null, nil
			}
			x, p := args[0].Str(), args[2].Str()
			want, have := countOf(args[1]), int64(utf8.RuneCountInString(x))
			if want <= have || p == "" {
				return args[0], nil
			}
			text, err := padText(c, x, p, want-have, isLeft)
			return types.Text(text), err
		},
	}
}

// padText puts count code points of p, repeated, before or after x.
func padText(c *Call, x, p string, count int64, isLeft bool) (string, error) {
	points := int64(utf8.RuneCountInString(p))
	times, last := count/points, p[:pointsEnd(p, count%points)]
	size := int64(math.MaxInt64)
	if times < math.MaxInt64/2/int64(len(p)) {
		size = times*int64(len(p)) + int64(len(last)+len(x))
	}
	if most := c.Limits().Of(limit.ValueLength); size > most {
		return "", c.Limits().Exceeded(limit.ValueLength, "the result would be longer than %d bytes", most)
	}
	b, err := newBuilder(c, int(size))
	if err != nil {
		return "", err
	}
	if !isLeft {
		err = b.write(x)
	}
	if many := max(1, 4096/int64(len(p))); times > many { // longer pieces are fewer
		whole := strings.Repeat(p, int(many))
		for ; times > many && err == nil; times -= many {
			err = b.write(whole)
		}
	}
	for ; times > 0 && err == nil; times-- {
		err = b.write(p)
	}
	if err == nil {
		err = b.write(last)
	}
	if err == nil && isLeft {
		err = b.write(x)
	}
	return b.text.String(), err
}

// hexOf gives the bytes of blob(x) in upper-case hexadecimal.
func hexOf(c *Call, args []types.Value) (types.Value, error) {
	v, err := types.Convert(args[0], types.TypeBlob)
	if err != nil {
		return types.Null, err
	}
	const digits = "0123456789ABCDEF"
	b, err := newBuilder(c, 2*len(v.Bytes()))
	if err != nil {
		return types.Null, err
	}
	for _, x := range v.Bytes() {
		b.text.WriteByte(digits[x>>4])
		b.text.WriteByte(digits[x&15])
	}
	return types.Text(b.text.String()), nil
}

func unhex(_ *Call, args []types.Value) (types.Value, error) {
	if args[0].Kind() != types.KindText {
		return types.Null, nil
	}
	b, err := hex.DecodeString(args[0].Str())
	if err != nil {
		return types.Null, nil
	}
	return types.Blob(b), nil
}
