package types

import "slices"

// The built-in types (docs/reference/types.md). Types are compared by identity, so these variables must not be assigned to.
var (
	// TypeNull is the type of expressions that are always NULL; no column has it.
	TypeNull = &Type{Name: "NULL", Parse: strict("NULL", toNothing), Valid: validKinds()}
	// TypeInteger holds integers of any size.
	TypeInteger = &Type{
		Name: "INTEGER", Class: KindInteger, Numeric: true,
		Parse: strict("INTEGER", toInteger), Valid: validKinds(KindInteger),
	}
	// TypeReal holds doubles, the infinities included.
	TypeReal = &Type{
		Name: "REAL", Class: KindReal, Numeric: true,
		Parse: strict("REAL", toReal), Valid: validKinds(KindReal),
	}
	// TypeNumeric holds integers of any size and doubles.
	TypeNumeric = &Type{
		Name: "NUMERIC", Class: KindReal, Numeric: true,
		Parse: strict("NUMERIC", toNumeric), Valid: validKinds(KindInteger, KindReal),
	}
	// TypeText holds text.
	TypeText = &Type{
		Name: "TEXT", Class: KindText, CollationAware: true,
		Parse: strict("TEXT", toText), Valid: validKinds(KindText),
	}
	// TypeBlob holds bytes; it is also the type of a column without one.
	TypeBlob = &Type{
		Name: "BLOB", Class: KindBlob,
		Parse: strict("BLOB", toBlob), Valid: validKinds(KindBlob),
	}
	// TypeBoolean holds true and false.
	TypeBoolean = &Type{
		Name: "BOOLEAN", Class: KindBoolean,
		Parse: strict("BOOLEAN", toBoolean), Valid: validKinds(KindBoolean),
	}
	// TypeDate holds canonical dates, as TEXT.
	TypeDate = &Type{
		Name: "DATE", Class: KindText, Temporal: true, BinaryOnly: true,
		Parse: strict("DATE", toDate), Valid: validCanonical(toDate),
	}
	// TypeTime holds canonical times of day, as TEXT.
	TypeTime = &Type{
		Name: "TIME", Class: KindText, Temporal: true, BinaryOnly: true,
		Parse: strict("TIME", toTime), Valid: validCanonical(toTime),
	}
	// TypeDatetime holds canonical date-times, as TEXT.
	TypeDatetime = &Type{
		Name: "DATETIME", Class: KindText, Temporal: true, BinaryOnly: true,
		Parse: strict("DATETIME", toDatetime), Valid: validCanonical(toDatetime),
	}
	// TypeTimestamp holds integer instants whose unit the engine never interprets.
	TypeTimestamp = &Type{
		Name: "TIMESTAMP", Class: KindInteger, Temporal: true, BinaryOnly: true,
		Parse: parseTimestamp, Valid: validKinds(KindInteger),
	}
	// TypeTimespan holds canonical durations, as TEXT, ordered and identified by elapsed time. Its Compare also serves a
	// comparison in which one side only is a TIMESPAN.
	TypeTimespan = &Type{
		Name: "TIMESPAN", Class: KindText, Temporal: true, BinaryOnly: true, SemanticOrder: true,
		Parse: strict("TIMESPAN", toTimespan), Valid: validCanonical(toTimespan),
		Compare: compareTimespans, KeyForm: timespanKey,
	}
	// TypeJSON holds JSON documents, scalars as values of their own kind. Parse reads text as the source of a document, so it
	// is not repeatable for a document that is a string.
	TypeJSON = &Type{
		Name: "JSON", Class: KindJSON, BinaryOnly: true, SemanticOrder: true,
		Parse: parseJSONSource, Valid: validDocument,
		Compare: func(a, b Value, _ *Collation) int { return CompareJSON(a, b) },
	}
	// TypeAny holds any value as it is; it also stands for an expression whose type is unknown.
	TypeAny = &Type{
		Name: "ANY", CollationAware: true,
		Parse: strict("ANY", toAny), Valid: func(Value) bool { return true },
	}
)

// builtinTypes are the types that columns and CAST can name.
var builtinTypes = []*Type{
	TypeInteger, TypeReal, TypeNumeric, TypeText, TypeBlob, TypeBoolean, TypeDate, TypeTime, TypeDatetime,
	TypeTimestamp, TypeTimespan, TypeJSON, TypeAny,
}

// conversion turns a value that is not NULL into the canonical form of a type; ok is false when it has none. A value that
// is canonical already is given back as it is, without allocation.
type conversion func(v Value) (r Value, ok bool)

// strict makes the Parse of a type from its conversion.
func strict(name string, convert conversion) func(Value) (Value, error) {
	return func(v Value) (Value, error) {
		if v.IsNull() {
			return Null, nil
		}
		r, ok := convert(v)
		if !ok {
			return Null, errCannotConvert(v, name)
		}
		return r, nil
	}
}

// errCannotConvert words a failed conversion. Values without a plain text are named by their kind.
func errCannotConvert(v Value, name string) *Error {
	switch k := v.Kind(); {
	case k == KindBoolean:
		return Errorf(MISMATCH, "Cannot convert boolean to %s", name)
	case k == KindBlob || k == KindJSON:
		return Errorf(MISMATCH, "Cannot convert object to %s", name)
	case k == KindInteger && !isSafeInteger(v):
		return Errorf(MISMATCH, "Cannot convert bigint to %s", name)
	}
	return Errorf(MISMATCH, "Cannot convert '%s' to %s", Abridge(ToText(v)), name)
}

// isSafeInteger reports whether an INTEGER is within ±(2^53−1), beyond which no date, time or timespan reads one.
func isSafeInteger(v Value) bool {
	i, ok := v.Int64()
	return ok && -two53 < i && i < two53
}

// validKinds makes the Valid of a type that holds every value of some kinds.
func validKinds(kinds ...Kind) func(Value) bool {
	if len(kinds) == 1 { // most types: spare every written value the search
		kind := kinds[0]
		return func(v Value) bool { return v.Kind() == kind }
	}
	return func(v Value) bool { return slices.Contains(kinds, v.Kind()) }
}

// validCanonical makes the Valid of a type that holds canonical texts.
func validCanonical(convert conversion) func(Value) bool {
	return func(v Value) bool {
		s, isText := v.text()
		if !isText {
			return false
		}
		r, ok := convert(v)
		return ok && r.Str() == s
	}
}

func toNothing(Value) (Value, bool) { return Null, false }

func toAny(v Value) (Value, bool) { return v, true }

func toInteger(v Value) (Value, bool) {
	if s, ok := v.text(); ok {
		if TrimSpace(s) == "" {
			return Null, true
		}
		return ParseIntegerPrefix(s)
	}
	return Truncate(v)
}

func toReal(v Value) (Value, bool) {
	switch v.Kind() {
	case KindReal:
		return v, true
	case KindInteger, KindBoolean:
		return Real(NearestReal(v)), true
	case KindText:
		return textToReal(v.Str())
	}
	return Null, false
}

func textToReal(s string) (Value, bool) {
	if TrimSpace(s) == "" {
		return Null, true
	}
	f, ok := ParseNumberPrefix(s)
	return Real(f), ok
}

func toNumeric(v Value) (Value, bool) {
	switch v.Kind() {
	case KindInteger, KindReal:
		return v, true
	case KindBoolean:
		return Truncate(v)
	case KindText:
		if i, ok := ParseInteger(v.Str()); ok {
			return i, true
		}
		return textToReal(v.Str())
	}
	return Null, false
}

func toText(v Value) (Value, bool) {
	if v.Kind() == KindText {
		return v, true
	}
	return Text(ToText(v)), true
}

func toBlob(v Value) (Value, bool) {
	switch v.Kind() {
	case KindBlob:
		return v, true
	case KindJSON:
		return Null, false
	}
	return Blob([]byte(ToText(v))), true
}

func toBoolean(v Value) (Value, bool) {
	switch v.Kind() {
	case KindBoolean:
		return v, true
	case KindInteger, KindReal:
		return Bool(isNonZero(v)), true
	case KindText:
		return textToBoolean(v.Str())
	}
	return Null, false
}

func textToBoolean(s string) (Value, bool) {
	s = TrimSpace(s)
	for _, w := range booleanWords {
		if EqualFold(s, w.word) {
			return w.value, true
		}
	}
	return Null, false
}

var booleanWords = [...]struct {
	word  string
	value Value
}{
	{"true", True}, {"false", False}, {"1", True}, {"0", False},
	{"yes", True}, {"no", False}, {"on", True}, {"off", False},
}

// parseJSONSource is the Parse of JSON. The error says why a text is no document.
func parseJSONSource(v Value) (Value, error) {
	switch s, isText := v.text(); {
	case v.IsNull():
		return Null, nil
	case isText:
		doc, err := ParseJSON(s)
		if err != nil {
			return Null, Wrapf(MISMATCH, err, "Cannot convert '%s' to %s", s, "JSON")
		}
		return doc, nil
	case !validDocument(v):
		return Null, errCannotConvert(v, "JSON")
	}
	return v, nil
}

// validDocument reports whether v is a JSON document: everything but a blob is.
func validDocument(v Value) bool { return v.Kind() != KindBlob }
