package types

import "strconv"

// AppendDate appends the canonical date (docs/reference/types.md) of a day counted from 1970-01-01: YYYY-MM-DD, with a sign and six
// digits for years outside 0000–9999.
func AppendDate(dst []byte, day int64) []byte {
	year, month, dayOfMonth := dateOfDay(day)
	switch {
	case year < 0:
		dst = appendPadded(append(dst, '-'), -year, 6)
	case year > 9999:
		dst = appendPadded(append(dst, '+'), year, 6)
	default:
		dst = appendPadded(dst, year, 4)
	}
	dst = appendPadded(append(dst, '-'), int64(month), 2)
	return appendPadded(append(dst, '-'), int64(dayOfMonth), 2)
}

// AppendTime appends the canonical time of day, HH:MM:SS[.fffffffff] without trailing zeros, of nanoseconds since midnight.
func AppendTime(dst []byte, nanos int64) []byte {
	dst = appendPadded(dst, nanos/NanosPerHour, 2)
	dst = appendPadded(append(dst, ':'), nanos/NanosPerMinute%60, 2)
	dst = appendPadded(append(dst, ':'), nanos/NanosPerSecond%60, 2)
	return appendFraction(dst, nanos%NanosPerSecond)
}

// AppendDateTime appends the canonical date-time, a date and a time joined by T, in UTC without a zone mark.
func AppendDateTime(dst []byte, i Instant) []byte {
	return AppendTime(append(AppendDate(dst, i.Day), 'T'), i.Nano)
}

// dateValue makes the DATE of a moment.
func dateValue(i Instant) Value {
	var buf [16]byte
	return Text(string(AppendDate(buf[:0], i.Day)))
}

// timeValue makes the TIME of nanoseconds since midnight.
func timeValue(nanos int64) Value {
	var buf [24]byte
	return Text(string(AppendTime(buf[:0], nanos)))
}

// datetimeValue makes the DATETIME of a moment.
func datetimeValue(i Instant) Value {
	var buf [40]byte
	return Text(string(AppendDateTime(buf[:0], i)))
}

// appendFraction appends nanoseconds below one second as a decimal fraction; nothing for zero.
func appendFraction(dst []byte, nanos int64) []byte {
	if nanos == 0 {
		return dst
	}
	width := 9
	for nanos%10 == 0 {
		nanos, width = nanos/10, width-1
	}
	return appendPadded(append(dst, '.'), nanos, width)
}

// appendPadded appends n ≥ 0 with leading zeros to at least width digits.
func appendPadded(dst []byte, n int64, width int) []byte {
	for bound := int64(10); width > 1; width, bound = width-1, bound*10 {
		if n >= bound {
			continue
		}
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, n, 10)
}
