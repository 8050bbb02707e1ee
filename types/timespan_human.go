package types

import (
	"strings"
	"unicode"
)

// humanUnits are the unit words of the human form, longer before shorter where one starts another.
var humanUnits = [...]struct {
	word string
	unit durationUnit
}{
	{"year", unitYear}, {"month", unitMonth}, {"week", unitWeek}, {"day", unitDay}, {"hour", unitHour},
	{"minute", unitMinute}, {"min", unitMinute}, {"second", unitSecond}, {"sec", unitSecond},
}

// ParseHumanDuration reads the human form of a timespan (docs/reference/types.md): every number that a unit word follows counts,
// wherever it stands, and everything else is passed over; equal units add up; a leading minus turns the whole. ok is
// false when no number counts, when one that counts has a fraction, and when the sum is out of range.
func ParseHumanDuration(s string) (d Duration, ok bool) {
	s = strings.ToLower(TrimSpace(s))
	s, negative := strings.CutPrefix(s, "-")
	found := false
	for s != "" {
		number, rest := cutNumber(s)
		if number == "" {
			s = rest
			continue
		}
		s = strings.TrimLeftFunc(rest, unicode.IsSpace)
		unit, ok := humanUnit(s)
		if !ok {
			continue
		}
		p := durationScanner{rest: number}
		n, ok := p.number()
		if !ok || p.rest != "" {
			return Duration{}, false
		}
		if *d.component(unit) += n; !d.InRange() {
			return Duration{}, false
		}
		found = true
	}
	return d.withSign(negative), found
}

// cutNumber cuts the leading number off s, decimal marks before and within it included; a comma before it only
// separates. If s does not start with a number, number is empty and rest lacks what cannot start one.
func cutNumber(s string) (number, rest string) {
	start, end := 0, 0
	for end < len(s) && (isDigit(s[end]) || isDecimalMark(s[end])) {
		if end++; start == end-1 && s[start] == ',' {
			start = end
		}
	}
	number = strings.TrimRight(s[start:end], ".,")
	if number == "" {
		return "", s[max(end, 1):]
	}
	return number, s[start+len(number):]
}

func isDecimalMark(c byte) bool { return c == '.' || c == ',' }

// humanUnit finds the unit whose word s starts with.
func humanUnit(s string) (durationUnit, bool) {
	for _, u := range humanUnits {
		if strings.HasPrefix(s, u.word) {
			return u.unit, true
		}
	}
	return 0, false
}
