package types

import "math"

func toDate(v Value) (Value, bool) {
	i, ok := toInstant(v)
	if !ok {
		return Null, false
	}
	if isPlainDate(v.Str()) {
		return v, true
	}
	var buf [16]byte
	return canonicalText(v, AppendDate(buf[:0], i.Day)), true
}

// isPlainDate reports whether a text that reads as a date-time is YYYY-MM-DD, the canonical form of nearly all dates.
func isPlainDate(s string) bool {
	return len(s) == len("2024-02-29") && '0' <= s[0] && s[0] <= '9' && s[4] == '-' && s[7] == '-'
}

func toDatetime(v Value) (Value, bool) {
	i, ok := toInstant(v)
	if !ok {
		return Null, false
	}
	var buf [40]byte
	return canonicalText(v, AppendDateTime(buf[:0], i)), true
}

func toTime(v Value) (Value, bool) {
	var nanos int64
	var ok bool
	if v.Kind() == KindText {
		nanos, ok = ParseTime(v.Str())
	} else {
		nanos, ok = secondsOfDay(v)
	}
	if !ok {
		return Null, false
	}
	var buf [24]byte
	return canonicalText(v, AppendTime(buf[:0], nanos)), true
}

// canonicalText gives v itself when it is the canonical text already.
func canonicalText(v Value, canonical []byte) Value {
	if v.Str() == string(canonical) {
		return v
	}
	return Text(string(canonical))
}

// toInstant reads what DATE and DATETIME take: the datetime rule, or whole Unix milliseconds.
func toInstant(v Value) (i Instant, ok bool) {
	if s, isText := v.text(); isText {
		return ParseDateTime(s)
	}
	ms, ok := wholeNumber(v)
	if !ok {
		return Instant{}, false
	}
	i = InstantFromUnixMilli(ms)
	return i, i.InRange()
}

// wholeNumber gives an INTEGER or a REAL without fraction that is within ±(2^53−1).
func wholeNumber(v Value) (n int64, ok bool) {
	if k := v.Kind(); k != KindInteger && (k != KindReal || !IsWhole(v)) {
		return 0, false
	}
	v, _ = Truncate(v)
	if !isSafeInteger(v) {
		return 0, false
	}
	return v.Int64()
}

// secondsOfDay reads a number as TIME does: seconds since midnight, rounded to milliseconds, modulo one day.
func secondsOfDay(v Value) (nanos int64, ok bool) {
	if v.Kind() == KindReal && !IsWhole(v) {
		whole, fraction := math.Modf(v.Float())
		if !(fraction >= 0 && whole < two53) { // an infinity has no fraction: NaN
			return 0, false
		}
		millis := int64(whole)%secondsPerDay*1000 + int64(math.Floor(fraction*1000+0.5))
		return millis % millisPerDay * nanosPerMilli, true
	}
	seconds, ok := wholeNumber(v)
	return seconds % secondsPerDay * NanosPerSecond, ok && seconds >= 0
}

// toTimespan reads the ISO form, the human form, and whole seconds.
func toTimespan(v Value) (Value, bool) {
	d, ok := durationOf(v)
	if !ok {
		return Null, false
	}
	var buf [64]byte
	return canonicalText(v, d.Append(buf[:0])), true
}

func durationOf(v Value) (d Duration, ok bool) {
	if s, isText := v.text(); isText {
		if d, ok = ParseDuration(s); ok {
			return d, true
		}
		return ParseHumanDuration(s)
	}
	n, ok := wholeNumber(v)
	if n < 0 {
		return Duration{Negative: true, Seconds: -n}, ok
	}
	return Duration{Seconds: n}, ok
}

// compareTimespans orders by elapsed time if both values have the form of a timespan, else by storage class and text.
func compareTimespans(a, b Value, c *Collation) int {
	if x, ok := elapsedOf(a); ok {
		if y, ok := elapsedOf(b); ok {
			return x.Compare(y)
		}
	}
	return Compare(a, b, c)
}

// timespanKey is the KeyForm of TIMESPAN: elapsed nanoseconds.
func timespanKey(v Value) (Value, bool) {
	e, ok := elapsedOf(v)
	if !ok {
		return Null, false
	}
	return e.Value(), true
}

// elapsedOf reads a text that begins with P or -P and is a duration; no other spelling takes part in comparisons.
func elapsedOf(v Value) (Elapsed, bool) {
	s, _ := v.text()
	if !isDurationForm(s) {
		return Elapsed{}, false
	}
	d, ok := ParseDuration(s)
	return d.Elapsed(), ok
}

// toTimestamp reads an integer instant, or a date-time as Unix milliseconds.
func toTimestamp(v Value) (Value, bool) {
	switch s := v.Str(); {
	case v.Kind() == KindInteger:
		return v, true
	case v.Kind() == KindReal && IsWhole(v):
		return Truncate(v)
	case v.Kind() != KindText:
		return Null, false
	case TrimSpace(s) == "":
		return Null, true
	default:
		if n, ok := ParseInteger(s); ok {
			return n, true
		}
		i, ok := ParseDateTime(s)
		return Int(i.UnixMilli()), ok
	}
}

// parseTimestamp is the Parse of TIMESTAMP, which words the refusal of a fraction in its own way.
func parseTimestamp(v Value) (Value, error) {
	if v.IsNull() {
		return Null, nil
	}
	r, ok := toTimestamp(v)
	switch {
	case ok:
		return r, nil
	case v.Kind() == KindReal:
		return Null, Errorf(MISMATCH, "Cannot convert non-integer number '%s' to TIMESTAMP", FormatReal(v.Float()))
	}
	return Null, errCannotConvert(v, "TIMESTAMP")
}
