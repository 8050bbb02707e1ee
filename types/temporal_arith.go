package types

// ArithOp is a binary arithmetic operator, spelled as in SQL.
type ArithOp byte

// The arithmetic operators.
const (
	ArithAdd ArithOp = '+'
	ArithSub ArithOp = '-'
	ArithMul ArithOp = '*'
	ArithDiv ArithOp = '/'
	ArithMod ArithOp = '%'
)

func (op ArithOp) String() string { return string(rune(op)) }

// OperandKind says as what an operand of arithmetic takes part (docs/reference/types.md).
type OperandKind uint8

// The kinds of operand.
const (
	OperandByValue OperandKind = iota // TEXT, ANY and NULL: each value tells
	OperandNumber
	OperandDate
	OperandDatetime
	OperandTime
	OperandTimespan
	OperandOther // never temporal: BLOB, JSON, types of the embedding program
)

func (k OperandKind) String() string {
	return [...]string{"unknown", "number", "date", "datetime", "time", "timespan", "other"}[k]
}

func (k OperandKind) temporal() bool { return OperandDate <= k && k <= OperandTimespan }

// OperandKindOf gives the kind of operands whose static type is t.
func OperandKindOf(t *Type) OperandKind {
	switch t {
	case TypeText, TypeAny, TypeNull:
		return OperandByValue
	case TypeDate:
		return OperandDate
	case TypeDatetime:
		return OperandDatetime
	case TypeTime:
		return OperandTime
	case TypeTimespan:
		return OperandTimespan
	case TypeBoolean, TypeTimestamp:
		return OperandNumber
	}
	if t.Numeric {
		return OperandNumber
	}
	return OperandOther
}

// of settles OperandByValue by a value; every other kind stays.
func (k OperandKind) of(v Value) OperandKind {
	switch {
	case k != OperandByValue:
		return k
	case v.Kind() == KindText:
		return operandKindOfText(v.Str())
	case v.IsNumber():
		return OperandNumber
	}
	return OperandOther
}

// operandKindOfText recognises temporal text by its form. The form need not be a real date or duration: such an operand
// makes the result NULL.
func operandKindOfText(s string) OperandKind {
	const date = "0000-00-00"
	switch {
	case isDurationForm(s):
		return OperandTimespan
	case hasDigitForm(s, "00:00:00"):
		return OperandTime
	case len(s) == len(date) && hasDigitForm(s, date):
		return OperandDate
	case hasDigitForm(s, date) && s[len(date)] == 'T':
		return OperandDatetime
	}
	return OperandOther
}

// isDurationForm reports whether s is a timespan from its first letter, P or -P, to its last.
func isDurationForm(s string) bool {
	if s == "" || s[0] != 'P' && !(s[0] == '-' && len(s) > 1 && s[1] == 'P') {
		return false
	}
	_, ok := ParseDuration(s)
	return ok
}

// hasDigitForm reports whether s starts with form, in which 0 stands for any digit.
func hasDigitForm(s, form string) bool {
	if len(s) < len(form) {
		return false
	}
	for i := range len(form) {
		if form[i] == '0' && !isDigit(s[i]) || form[i] != '0' && form[i] != s[i] {
			return false
		}
	}
	return true
}

// temporalCase is an operator with the kinds of its operands.
type temporalCase struct {
	op          ArithOp
	left, right OperandKind
}

// temporalRule carries out a case for operands that are not NULL. A value that does not parse as its kind, and a result
// out of range, give NULL.
type temporalRule struct {
	apply  func(a, b Value) Value
	result *Type
}

// temporalRules are the cases that exist.
var temporalRules = map[temporalCase]temporalRule{
	{ArithAdd, OperandDate, OperandTimespan}:     {func(a, b Value) Value { return shiftDate(a, b, false) }, TypeDate},
	{ArithAdd, OperandTimespan, OperandDate}:     {func(a, b Value) Value { return shiftDate(b, a, false) }, TypeDate},
	{ArithSub, OperandDate, OperandTimespan}:     {func(a, b Value) Value { return shiftDate(a, b, true) }, TypeDate},
	{ArithAdd, OperandDatetime, OperandTimespan}: {func(a, b Value) Value { return shiftDatetime(a, b, false) }, TypeDatetime},
	{ArithAdd, OperandTimespan, OperandDatetime}: {func(a, b Value) Value { return shiftDatetime(b, a, false) }, TypeDatetime},
	{ArithSub, OperandDatetime, OperandTimespan}: {func(a, b Value) Value { return shiftDatetime(a, b, true) }, TypeDatetime},
	{ArithAdd, OperandTime, OperandTimespan}:     {func(a, b Value) Value { return shiftTime(a, b, false) }, TypeTime},
	{ArithAdd, OperandTimespan, OperandTime}:     {func(a, b Value) Value { return shiftTime(b, a, false) }, TypeTime},
	{ArithSub, OperandTime, OperandTimespan}:     {func(a, b Value) Value { return shiftTime(a, b, true) }, TypeTime},

	{ArithSub, OperandDate, OperandDate}:         {subtractDates, TypeTimespan},
	{ArithSub, OperandDate, OperandDatetime}:     {subtractDates, TypeTimespan},
	{ArithSub, OperandDatetime, OperandDate}:     {subtractDates, TypeTimespan},
	{ArithSub, OperandDatetime, OperandDatetime}: {subtractDates, TypeTimespan},
	{ArithSub, OperandTime, OperandTime}:         {subtractTimes, TypeTimespan},

	{ArithAdd, OperandTimespan, OperandTimespan}: {func(a, b Value) Value { return addTimespans(a, b, false) }, TypeTimespan},
	{ArithSub, OperandTimespan, OperandTimespan}: {func(a, b Value) Value { return addTimespans(a, b, true) }, TypeTimespan},
	{ArithDiv, OperandTimespan, OperandTimespan}: {divideTimespans, TypeReal},
	{ArithMul, OperandTimespan, OperandNumber}:   {scaleTimespan, TypeTimespan},
	{ArithMul, OperandNumber, OperandTimespan}:   {func(a, b Value) Value { return scaleTimespan(b, a) }, TypeTimespan},
	{ArithDiv, OperandTimespan, OperandNumber}:   {divideTimespan, TypeTimespan},
}

// TemporalArith carries out op when a temporal operand takes part, given the kinds of the operands' static types. handled is
// false when neither operand is temporal, and then the operator is the plain one of numbers. A NULL operand makes NULL.
// A pair with a temporal operand that has no meaning is UNSUPPORTED.
func TemporalArith(op ArithOp, a Value, left OperandKind, b Value, right OperandKind) (v Value, handled bool, err error) {
	if a.IsNull() || b.IsNull() {
		return Null, true, nil
	}
	left, right = left.of(a), right.of(b)
	if !left.temporal() && !right.temporal() {
		return Null, false, nil
	}
	rule, ok := temporalRules[temporalCase{op, left, right}]
	if !ok {
		return Null, true, unsupportedTemporal(op, left, right)
	}
	return rule.apply(a, b), true, nil
}

func unsupportedTemporal(op ArithOp, left, right OperandKind) error {
	return Errorf(UNSUPPORTED, "Unsupported temporal operation: %s %s %s", left, op, right)
}

// BindArith gives the function of an arithmetic operator over operands of two static types, to be called once a row.
// The one error it can return is UNSUPPORTED, for temporal operands (see TemporalArith).
func BindArith(op ArithOp, left, right *Type) func(a, b Value) (Value, error) {
	l, r := OperandKindOf(left), OperandKindOf(right)
	plain := plainArith(op)
	switch {
	case l == OperandByValue || r == OperandByValue:
		return func(a, b Value) (Value, error) {
			if v, handled, err := TemporalArith(op, a, l, b, r); handled {
				return v, err
			}
			return plain(a, b), nil
		}
	case l.temporal() || r.temporal():
		return bindTemporal(temporalCase{op, l, r})
	}
	return func(a, b Value) (Value, error) { return plain(a, b), nil }
}

// BindNeg gives the unary minus for operands of a static type. It negates timespans, those that a value of unknown type tells
// by its form included, and is Neg for everything else.
func BindNeg(t *Type) func(Value) Value {
	kind := OperandKindOf(t)
	if kind != OperandByValue && kind != OperandTimespan {
		return Neg
	}
	return func(v Value) Value {
		if kind.of(v) == OperandTimespan {
			return negateTimespan(v)
		}
		return Neg(v)
	}
}

// BindPlus gives the unary plus for operands of a static type: Plus, but a TIMESPAN is itself.
func BindPlus(t *Type) func(Value) Value {
	if t == TypeTimespan {
		return func(v Value) Value { return v }
	}
	return Plus
}

// bindTemporal gives the function of a case whose kinds are settled.
func bindTemporal(c temporalCase) func(a, b Value) (Value, error) {
	rule, ok := temporalRules[c]
	return func(a, b Value) (Value, error) {
		switch {
		case a.IsNull() || b.IsNull():
			return Null, nil
		case !ok:
			return Null, unsupportedTemporal(c.op, c.left, c.right)
		}
		return rule.apply(a, b), nil
	}
}

// plainArith gives the operator of numbers.
func plainArith(op ArithOp) func(a, b Value) Value {
	switch op {
	case ArithAdd:
		return Add
	case ArithSub:
		return Sub
	case ArithMul:
		return Mul
	case ArithDiv:
		return Div
	default:
		return Mod
	}
}

func shiftDate(date, span Value, back bool) Value {
	i, ok := ParseDateTime(date.Str())
	d, spanOK := ParseDuration(span.Str())
	if !ok || !spanOK {
		return Null
	}
	if back {
		d = d.Negate()
	}
	if i = d.shift(Instant{Day: i.Day}, d.clockSeconds()/secondsPerDay); !i.InRange() {
		return Null
	}
	return dateValue(i)
}

func shiftDatetime(datetime, span Value, back bool) Value {
	i, ok := ParseDateTime(datetime.Str())
	d, spanOK := ParseDuration(span.Str())
	if !ok || !spanOK {
		return Null
	}
	if back {
		d = d.Negate()
	}
	if i = d.AddTo(i); !i.InRange() {
		return Null
	}
	return datetimeValue(i)
}

// shiftTime runs around the clock and leaves the date part of the span aside.
func shiftTime(time, span Value, back bool) Value {
	nanos, ok := ParseBareTime(time.Str())
	d, spanOK := ParseDuration(span.Str())
	if !ok || !spanOK {
		return Null
	}
	if back {
		d = d.Negate()
	}
	return timeValue(Instant{Nano: nanos}.AddTime(d.signed(d.clockSeconds()), d.signed(d.Nanos)).Nano)
}

func subtractDates(a, b Value) Value {
	i, ok := ParseDateTime(a.Str())
	j, okB := ParseDateTime(b.Str())
	if !ok || !okB {
		return Null
	}
	return elapsedValue(i.since(j), unitDay)
}

func subtractTimes(a, b Value) Value {
	m, ok := ParseBareTime(a.Str())
	n, okB := ParseBareTime(b.Str())
	if !ok || !okB {
		return Null
	}
	return elapsedValue(Instant{Nano: m}.since(Instant{Nano: n}), unitHour)
}

// since gives the time from j to i.
func (i Instant) since(j Instant) Elapsed {
	carry, nanos := floorDivMod(i.Nano-j.Nano, NanosPerSecond)
	return Elapsed{Seconds: (i.Day-j.Day)*secondsPerDay + carry, Nanos: nanos}
}
