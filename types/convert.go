package types

// Values change type in three ways (docs/reference/types.md). A write converts and checks, and fails with the column's name; a conversion
// function converts and fails; a CAST never fails. Each is resolved once to a function of the value, which knows its type.

// WriteConverter gives the conversion of cells written to a column of type t, for cells whose expression has another static
// type. NULL passes. A value that does not convert, or converts to one outside a type of the embedding program, is MISMATCH
// "Type conversion failed for column '<column>': Cannot convert '<value>' to <TYPE>".
func WriteConverter(t *Type, column string) func(Value) (Value, error) {
	parse := parseOf(t)
	_, trusted := builtinCasts[t] // what Parse of a built-in type gives is of the type
	return func(v Value) (Value, error) {
		if v.IsNull() {
			return Null, nil
		}
		r, err := parse(v)
		if err == nil && !trusted && !isInhabitant(t, r) {
			err = errCannotConvert(v, t.Name)
		}
		if err != nil {
			return Null, Wrapf(MISMATCH, err, "Type conversion failed for column '%s'", column)
		}
		return r, nil
	}
}

// WriteGuard is WriteConverter for cells whose expression has the static type t already: a value of t passes as it is, which
// for JSON text matters, and only a value outside t converts.
func WriteGuard(t *Type, column string) func(Value) (Value, error) {
	convert := WriteConverter(t, column)
	valid := t.Valid
	return func(v Value) (Value, error) {
		if v.IsNull() || valid == nil || valid(v) {
			return v, nil
		}
		return convert(v)
	}
}

// isInhabitant reports whether v is NULL or in the value space of t. A type without Valid takes every value.
func isInhabitant(t *Type, v Value) bool { return v.IsNull() || t.Valid == nil || t.Valid(v) }

// parseOf gives the strict conversion of t, which for a type without one changes nothing.
func parseOf(t *Type) func(Value) (Value, error) {
	if t.Parse == nil {
		return TypeAny.Parse
	}
	return t.Parse
}

// Converter gives the strict conversion of the function named after t: integer(x), date(x). NULL gives NULL. It fails with
// MISMATCH "Cannot convert to <TYPE>: Cannot convert '<value>' to <TYPE>".
func Converter(t *Type) func(Value) (Value, error) {
	parse := parseOf(t)
	return func(v Value) (Value, error) {
		if v.IsNull() {
			return Null, nil
		}
		r, err := parse(v)
		if err != nil {
			return Null, Wrapf(MISMATCH, err, "Cannot convert to %s", t.Name)
		}
		return r, nil
	}
}

// Convert is Converter for a single value.
func Convert(v Value, t *Type) (Value, error) { return Converter(t)(v) }

// Caster gives the lenient conversion of CAST and of comparisons, from expressions of the static type from (nil: unknown) to
// the type to. It never fails: what does not convert becomes 0, bytes, text or NULL (docs/reference/types.md). A cast to the
// operand's own type is the identity.
func Caster(from, to *Type) func(Value) Value {
	if from == to {
		return func(v Value) Value { return v }
	}
	if cast, ok := builtinCasts[to]; ok {
		return cast
	}
	parse := parseOf(to)
	return func(v Value) Value {
		if v.IsNull() {
			return Null
		}
		if r, err := parse(v); err == nil {
			return r
		}
		if to.Valid != nil && to.Valid(v) {
			return v
		}
		return Null
	}
}

// Cast converts a single value of unknown static type leniently; see Caster.
func Cast(v Value, to *Type) Value { return Caster(nil, to)(v) }

// CastMayBeNull reports whether a cast can make NULL of a value that is none: one that converts can, except to TEXT and BLOB.
func CastMayBeNull(from, to *Type) bool { return from != to && to != TypeText && to != TypeBlob }

// builtinCasts are the lenient conversions to the built-in types. They build no error for what does not convert.
var builtinCasts = map[*Type]func(Value) Value{
	TypeNull:      orElse(toNothing, toNull),
	TypeInteger:   orElse(toInteger, toZero),
	TypeReal:      orElse(toReal, func(Value) Value { return Real(0) }),
	TypeNumeric:   orElse(toNumeric, toZero),
	TypeText:      orElse(toText, toNull),
	TypeBlob:      orElse(toBlob, func(v Value) Value { return Blob([]byte(ToText(v))) }),
	TypeBoolean:   orElse(toBoolean, toNull),
	TypeDate:      orElse(toDate, toNull),
	TypeTime:      orElse(toTime, toNull),
	TypeDatetime:  orElse(toDatetime, toNull),
	TypeTimestamp: orElse(toTimestamp, toNull),
	TypeTimespan:  orElse(toTimespan, toNull),
	TypeJSON:      orElse(toDocument, textOrNull),
	TypeAny:       orElse(toAny, toNull),
}

// orElse makes a lenient conversion: where convert has no result, instead decides.
func orElse(convert conversion, instead func(Value) Value) func(Value) Value {
	return func(v Value) Value {
		if v.IsNull() {
			return Null
		}
		if r, ok := convert(v); ok {
			return r
		}
		return instead(v)
	}
}

func toNull(Value) Value { return Null }

func toZero(Value) Value { return Int(0) }

func toDocument(v Value) (Value, bool) {
	r, err := parseJSONSource(v)
	return r, err == nil
}

// textOrNull keeps text that is no JSON source: it is a JSON string as it stands.
func textOrNull(v Value) Value {
	if v.Kind() == KindText {
		return v
	}
	return Null
}
