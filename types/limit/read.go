package limit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/quereus/quereus-migrate/types"
)

// Read reads a value of the limit as it is written: a number, bytes also as 64MiB, a time also as 30s. ERROR for one that is none or lies
// outside of the limit's range.
func (l *Limit) Read(text string) (int64, error) {
	n, ok := l.parse(strings.TrimSpace(text))
	if !ok {
		return 0, types.Errorf(types.ERROR, "Invalid value for limit %s: %q; write %s", l.Name, text, l.form())
	}
	if n < l.Min || n > l.Max {
		return 0, types.Errorf(types.ERROR, "Invalid value for limit %s: %s is not within %s and %s", l.Name, text, l.Format(l.Min), l.Format(l.Max))
	}
	return n, nil
}

// ParseSetting reads name=value as --limit takes it.
func ParseSetting(text string) (id ID, n int64, err error) {
	name, value, ok := strings.Cut(text, "=")
	l, known := Find(strings.TrimSpace(name))
	switch {
	case !known:
		return 0, 0, types.Errorf(types.ERROR, "there is no limit %q; there are %s", name, strings.Join(Names(), ", "))
	case !ok:
		return 0, 0, types.Errorf(types.ERROR, "limit %s has no value: write %s=%s", name, l.Name, l.Format(l.Default))
	}
	n, err = l.Read(value)
	return l.ID, n, err
}

func (l *Limit) form() string {
	switch l.Unit {
	case Bytes:
		return "a number of bytes, such as 1000000 or 64MiB"
	case Milliseconds:
		return "a number of milliseconds, or a time such as 30s"
	}
	return "a number"
}

func (l *Limit) parse(text string) (n int64, ok bool) {
	switch l.Unit {
	case Bytes:
		return ParseBytes(text)
	case Milliseconds:
		if d, err := time.ParseDuration(text); err == nil && d >= 0 {
			return int64((d + time.Millisecond - 1) / time.Millisecond), true
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n >= 0
}

var byteUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}

// ParseBytes reads a number of bytes, also as 64MiB; ok is false for anything else.
func ParseBytes(text string) (n int64, ok bool) {
	scale := int64(1)
	for _, u := range byteUnits {
		if rest := len(text) - len(u.name); rest > 0 && strings.EqualFold(text[rest:], u.name) {
			text, scale = strings.TrimSpace(text[:rest]), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/scale {
		return 0, false
	}
	return n * scale, true
}

// Format writes a value of the limit for people.
func (l *Limit) Format(n int64) string {
	switch {
	case l.Unit == Milliseconds:
		return (time.Duration(n) * time.Millisecond).String()
	case l.Unit == Bytes:
		return FormatBytes(n)
	}
	return strconv.FormatInt(n, 10)
}

// FormatBytes writes a number of bytes in the largest unit that divides it.
func FormatBytes(n int64) string {
	for i := len(byteUnits) - 1; i >= 0; i-- {
		if u := byteUnits[i]; n > 0 && n%u.bytes == 0 {
			return fmt.Sprintf("%d %s", n/u.bytes, u.name)
		}
	}
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
