package sqldriver

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// settings are the options of a data source name.
type settings struct {
	create, readOnly, textTimes bool
	session                     []setting
}

// setting is a session setting of every connection.
type setting struct {
	name  string
	value types.Value
}

// parseSource takes a data source name apart. What stands behind the last question mark is its options if it reads as such.
func parseSource(name string) (path string, s settings, err error) {
	path, query, found := cutLast(name, "?")
	if !found {
		return name, s, nil
	}
	options, err := url.ParseQuery(query)
	if err != nil {
		return "", s, types.Errorf(types.MISUSE, "the options of the data source name cannot be read: %s", err)
	}
	names := make([]string, 0, len(options))
	for n := range options {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		if err := s.set(n, options.Get(n)); err != nil {
			return "", s, err
		}
	}
	return path, s, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func (s *settings) set(name, value string) (err error) {
	isSet := func() bool {
		on, e := strconv.ParseBool(value)
		if e != nil {
			err = types.Errorf(types.MISUSE, "the option %s of the data source name must be true or false, not %q", name, value)
		}
		return on
	}
	switch name {
	case "create":
		s.create = isSet()
	case "readonly":
		s.readOnly = isSet()
	case "times":
		s.textTimes = value == "text"
		if !s.textTimes && value != "time" {
			return types.Errorf(types.MISUSE, "the option times of the data source name must be time or text, not %q", value)
		}
	default:
		s.session = append(s.session, setting{name, settingValue(value)})
	}
	return err
}

// settingValue reads a value as PRAGMA would: a number, a truth value, or a text.
func settingValue(text string) types.Value {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return types.Int(i)
	}
	switch text {
	case "true":
		return types.Bool(true)
	case "false":
		return types.Bool(false)
	}
	return types.Text(text)
}
