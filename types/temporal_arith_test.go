package types

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// typed is an operand with its static type.
type typed struct {
	t *Type
	v Value
}

func date(s string) typed     { return typed{TypeDate, Text(s)} }
func clock(s string) typed    { return typed{TypeTime, Text(s)} }
func datetime(s string) typed { return typed{TypeDatetime, Text(s)} }
func span(s string) typed     { return typed{TypeTimespan, Text(s)} }
func text(s string) typed     { return typed{TypeText, Text(s)} }
func integer(i int64) typed   { return typed{TypeInteger, Int(i)} }
func double(f float64) typed  { return typed{TypeReal, Real(f)} }

func TestTemporalOperators(t *testing.T) {
	for _, c := range []struct {
		a    typed
		op   ArithOp
		b    typed
		want string
	}{
		// dates
		{date("2024-01-31"), '+', span("PT3H"), `"2024-01-31"`},
		{date("2023-02-28"), '+', span("P1M"), `"2023-03-28"`},
		{span("P1M"), '+', date("2023-02-28"), `"2023-03-28"`},
		{date("2023-02-28"), '-', span("P1M"), `"2023-01-28"`},
		{date("2024-12-31"), '+', span("-P1D"), `"2024-12-30"`},
		{date("2024-12-31"), '-', span("-P1D"), `"2025-01-01"`},
		{date("2024-01-31"), '+', span("P1M"), `"2024-02-29"`},
		{date("2024-03-31"), '-', span("P1M"), `"2024-02-29"`},
		{date("2024-02-29"), '+', span("P1Y"), `"2025-02-28"`},
		{date("2024-01-15"), '+', span("PT36H"), `"2024-01-16"`},
		{date("2024-01-15"), '-', span("PT36H"), `"2024-01-14"`},
		{date("2024-01-15"), '+', span("PT23H59M"), `"2024-01-15"`},
		{date("2024-01-31"), '+', span("P1M1DT24H"), `"2024-03-02"`}, // months first, then days
		{date("0000-01-01"), '-', span("P1D"), `"-000001-12-31"`},
		{date("2024-01-31"), '-', date("2024-01-01"), `"P30D"`},
		{date("2024-01-01"), '-', date("2024-01-31"), `"-P30D"`},
		{date("2020-01-01"), '-', date("2024-01-01"), `"-P1461D"`},
		{date("2024-01-01"), '-', date("2024-01-01"), `"PT0S"`},
		// date-times
		{datetime("2024-01-31T22:30:00"), '+', span("PT3H"), `"2024-02-01T01:30:00"`},
		{span("P1M"), '+', datetime("2023-02-28T00:15:00.5"), `"2023-03-28T00:15:00.5"`},
		{datetime("2024-12-31T12:00:00"), '-', span("-P1D"), `"2025-01-01T12:00:00"`},
		{datetime("2024-03-10T01:30:00"), '+', span("PT1H0.001S"), `"2024-03-10T02:30:00.001"`},
		{datetime("2024-03-10T01:30:00"), '-', span("P1DT0.5S"), `"2024-03-09T01:29:59.5"`},
		{datetime("2024-01-31T22:30:00"), '-', datetime("2024-01-01T00:00:00"), `"P30DT22H30M"`},
		{datetime("2023-02-28T00:15:00.5"), '-', datetime("2024-01-01T00:00:00"), `"-P306DT23H44M59.5S"`},
		{datetime("2023-02-28T00:15:00.5"), '-', date("2023-02-28"), `"PT15M0.5S"`},
		{date("2023-02-28"), '-', datetime("2023-02-28T00:15:00.5"), `"-PT15M0.5S"`},
		{datetime("2024-03-02T06:00:00"), '-', datetime("2024-03-01T12:00:00"), `"PT18H"`},
		// times
		{clock("22:30:00"), '+', span("PT3H"), `"01:30:00"`},
		{span("P1M"), '+', clock("00:15:00"), `"00:15:00"`},
		{clock("00:00:00"), '-', span("PT1S"), `"23:59:59"`},
		{clock("12:00:00"), '+', span("P1DT49H0.5S"), `"13:00:00.5"`},
		{clock("22:30:00"), '-', clock("10:00:00"), `"PT12H30M"`},
		{clock("00:15:00"), '-', clock("10:00:00"), `"-PT9H45M"`},
		{clock("00:15:00.25"), '-', clock("00:15:00"), `"PT0.25S"`},
		// sums of timespans
		{span("PT3H"), '+', span("PT3H"), `"PT6H"`},
		{span("-P1D"), '-', span("PT1H"), `"-P1DT1H"`},
		{span("PT90M"), '+', span("PT45M"), `"PT135M"`},
		{span("P1D"), '+', span("PT25H"), `"P2DT1H"`},
		{span("PT25H"), '-', span("PT1S"), `"PT24H59M59S"`},
		{span("PT1H"), '-', span("PT60M"), `"PT0S"`},
		{span("PT0S"), '-', span("PT0.5S"), `"-PT0.5S"`},
		{span("P1M"), '+', span("PT1H"), `null`},
		{span("PT1H"), '-', span("P1Y"), `null`},
		{span("P1W"), '+', span("P1D"), `null`},
		// scaled timespans
		{span("PT3H"), '*', integer(2), `"PT21600S"`},
		{integer(2), '*', span("PT3H"), `"PT21600S"`},
		{span("-P1D"), '*', integer(0), `"PT0S"`},
		{span("-P1D"), '*', double(1.5), `"-PT129600S"`},
		{span("PT0.1S"), '*', integer(3), `"PT0.3S"`},
		{span("PT1S"), '*', double(0.1), `"PT0.1S"`},
		{span("PT0.000000001S"), '*', double(0.5), `"PT0.000000001S"`}, // halves away from zero
		{span("-PT0.000000001S"), '*', double(0.5), `"-PT0.000000001S"`},
		{span("PT0.000000001S"), '*', double(0.25), `"PT0S"`},
		{span("PT3H"), '/', integer(2), `"PT5400S"`},
		{span("PT3H"), '/', double(0.5), `"PT21600S"`},
		{span("PT1M"), '/', integer(7), `"PT8.571428571S"`},
		{span("PT1S"), '/', integer(-3), `"-PT0.333333333S"`},
		{span("-P1D"), '/', integer(0), `null`},
		{span("P1M"), '/', double(0), `null`},
		{span("PT1S"), '*', double(math.Inf(1)), `null`},
		{span("PT1S"), '/', double(math.Inf(-1)), `"PT0S"`},
		{span("PT1S"), '*', typed{TypeInteger, bigOf("123456789012345678901234567890")}, `null`},
		{span("PT1H"), '/', typed{TypeInteger, bigOf("1000000000000000000000")}, `"PT0S"`},
		{span("PT1S"), '*', typed{TypeBoolean, True}, `"PT1S"`},
		{span("PT1S"), '*', integer(maxTimeSeconds), `"PT9007199254740991S"`},
		{span("PT1S"), '*', integer(-maxTimeSeconds - 1), `null`},
		// with calendar units
		{span("P1M"), '*', integer(3), `"P3M"`},
		{integer(-3), '*', span("P1M"), `"-P3M"`},
		{span("P1Y2M"), '*', integer(2), `"P2Y4M"`},
		{span("P1M"), '*', double(1.5), `null`},
		{span("P2M"), '*', double(1.5), `"P3M"`},
		{span("P2WT0.3S"), '*', double(0.5), `"P1WT0.15S"`},
		{span("P2WT0.000000001S"), '*', double(0.5), `null`},
		{span("P1MT0.5S"), '*', integer(3), `"P3MT1.5S"`},
		{span("P1MT40S"), '*', integer(2), `"P2MT80S"`},
		{span("P1Y"), '*', integer(maxCalendarComponent + 1), `null`},
		{span("P1Y3M"), '/', integer(2), `"P7M"`},
		{span("P3W"), '/', integer(2), `"P1W3DT12H"`},
		{span("P1M"), '/', integer(2), `"PT0S"`},
		{span("-P1Y3M"), '/', integer(2), `"-P7M"`},
		{span("P1Y"), '/', double(0.7), `"P1Y5M"`},
		{span("P1W"), '/', double(-0.5), `"-P2W"`},
		{span("P1WT1S"), '/', integer(2), `"P3DT12H0.5S"`},
		{span("P1W"), '/', double(math.Inf(1)), `"PT0S"`},
		// ratios
		{span("PT1H"), '/', span("PT30M"), `2`},
		{span("P2D"), '/', span("PT12H"), `4`},
		{span("PT1H"), '/', span("-PT40M"), `-1.5`},
		{span("PT1H"), '/', span("PT0S"), `null`},
		{span("P1M"), '/', span("P1D"), `null`},
		{span("P1D"), '/', span("P1W"), `null`},
		// operands told by their form
		{date("2024-01-31"), '+', text("PT24H"), `"2024-02-01"`},
		{text("2024-02-28"), '+', span("P1D"), `"2024-02-29"`},
		{text("2024-03-01"), '-', text("2024-02-01"), `"P29D"`},
		{text("2024-03-01T06:00"), '-', text("2024-02-29"), `"P1DT6H"`},
		{text("10:00:00"), '+', text("PT45M"), `"10:45:00"`},
		{text("PT1H"), '+', text("-PT30M"), `"PT30M"`},
		{typed{TypeAny, Text("PT1H")}, '*', typed{TypeAny, Int(2)}, `"PT7200S"`},
		// text without a temporal form is a number
		{text("6"), '+', text("2024"), `2030`},
		{text("20240301"), '-', integer(1), `20240300`},
		{text("2024-3-1"), '+', integer(1), `1`},
		{text("10:00"), '+', integer(1), `1`},
		{text("2024-03-01 10:00"), '+', integer(1), `1`},
		{text("peter"), '+', integer(1), `1`},
		{typed{TypeBlob, Text("PT1H")}, '+', integer(1), `1`},
		// forms that are no dates or durations
		{text("2024-02-30"), '+', span("P1D"), `null`},
		{text("Peter"), '*', integer(2), `0`}, // a timespan from its first letter to its last, or none
		{text("PT"), '+', text("P1D?"), `0`},
		{text("25:00:00"), '-', clock("10:00:00"), `null`},
		{date("2024-02-30"), '-', date("2024-01-01"), `null`},
		// out of range
		{date("+275760-09-13"), '+', span("P1D"), `null`},
		{datetime("+275760-09-13T00:00:00"), '+', span("PT0.000000001S"), `null`},
		{date("2024-01-01"), '+', span("P4294967295Y"), `null`},
		{datetime("2024-01-01T00:00:00"), '-', span("PT9007199254740991S"), `null`},
		// NULL
		{date("2024-01-31"), '+', typed{TypeTimespan, Null}, `null`},
		{typed{TypeNull, Null}, '-', date("2024-01-31"), `null`},
		{typed{TypeDate, Null}, '+', integer(1), `null`},
		{span("PT1H"), '%', typed{TypeInteger, Null}, `null`},
	} {
		got, err := BindArith(c.op, c.a.t, c.b.t)(c.a.v, c.b.v)
		require.NoError(t, err, "%s %s %s", ToText(c.a.v), c.op, ToText(c.b.v))
		assert.Equal(t, c.want, string(AppendWire(nil, got)), "%s %s %s", ToText(c.a.v), c.op, ToText(c.b.v))
		if result := PromoteArith(c.op, c.a.t, c.b.t); !got.IsNull() {
			assert.True(t, result.Valid(got), "%s %s %s is no %s", ToText(c.a.v), c.op, ToText(c.b.v), result)
		}
	}
}

func TestTemporalOperatorsRefuse(t *testing.T) {
	d, dt, tm, ts := date("2024-01-31"), datetime("2024-01-31T22:30:00"), clock("22:30:00"), span("PT3H")
	for _, c := range []struct {
		a    typed
		op   ArithOp
		b    typed
		want string
	}{
		{d, '+', integer(1), "date + number"},
		{d, '+', d, "date + date"},
		{dt, '*', integer(2), "datetime * number"},
		{tm, '-', d, "time - date"},
		{ts, '%', integer(2), "timespan % number"},
		{ts, '-', d, "timespan - date"},
		{integer(2), '/', ts, "number / timespan"},
		{text("2024-03-01"), '+', integer(1), "date + number"},
		{ts, '*', text("2"), "timespan * other"},
		{ts, '+', typed{TypeJSON, Text("PT1H")}, "timespan + other"},
		{d, '-', typed{TypeTimestamp, Int(0)}, "date - number"},
	} {
		_, err := BindArith(c.op, c.a.t, c.b.t)(c.a.v, c.b.v)
		require.ErrorIs(t, err, UNSUPPORTED)
		assert.EqualError(t, err, "Unsupported temporal operation: "+c.want)
		assert.Equal(t, TypeAny, PromoteArith(c.op, c.a.t, c.b.t), "nothing is known of what never comes to be")
	}
}

func TestPlainOperators(t *testing.T) {
	seven, two := integer(7), integer(2)
	for op, want := range map[ArithOp]string{'+': "9", '-': "5", '*': "14", '/': "3.5", '%': "1"} {
		got, err := BindArith(op, seven.t, two.t)(seven.v, two.v)
		require.NoError(t, err)
		assert.Equal(t, want, ToText(got), op.String())
	}
}

func TestUnarySigns(t *testing.T) {
	for _, c := range []struct {
		x           typed
		minus, plus string
	}{
		{span("PT5M"), `"-PT5M"`, `"PT5M"`}, {span("-P1D"), `"P1D"`, `"-P1D"`}, {span("P0D"), `"PT0S"`, `"P0D"`},
		{text("PT1H"), `"-PT1H"`, `null`}, {text("Peter"), `null`, `null`}, {text("5"), `-5`, `5`},
		{typed{TypeAny, Text("-P1W")}, `"P1W"`, `null`}, {typed{TypeAny, Int(5)}, `-5`, `5`},
		{date("2024-01-31"), `null`, `null`}, {integer(5), `-5`, `5`}, {typed{TypeTimespan, Null}, `null`, `null`},
	} {
		assert.Equal(t, c.minus, string(AppendWire(nil, BindNeg(c.x.t)(c.x.v))), ToText(c.x.v))
		assert.Equal(t, c.plus, string(AppendWire(nil, BindPlus(c.x.t)(c.x.v))), ToText(c.x.v))
	}
}

// What a span of days and time moves, it moves back; a month may clamp and does not come back.
func TestShiftsComeBack(t *testing.T) {
	add, sub := BindArith('+', TypeDatetime, TypeTimespan), BindArith('-', TypeDatetime, TypeTimespan)
	diff := BindArith('-', TypeDatetime, TypeDatetime)
	rapid.Check(t, func(t *rapid.T) {
		d := durations().Draw(t, "d")
		d.Years, d.Months = 0, 0
		start, by := datetimeValue(instants().Draw(t, "i")), Text(d.withSign(d.Negative).String())
		moved, err := add(start, by)
		require.NoError(t, err)
		if moved.IsNull() {
			return
		}
		back, err := sub(moved, by)
		require.NoError(t, err)
		assert.Equal(t, start.Str(), back.Str())
		gone, err := diff(moved, start)
		require.NoError(t, err)
		assert.Zero(t, TypeTimespan.Compare(gone, by, Binary), "%s after %s", gone.Str(), by.Str())
	})
}

// Scaling by whole numbers is repeated addition, and division undoes it.
func TestScalingLaws(t *testing.T) {
	mul, div := BindArith('*', TypeTimespan, TypeInteger), BindArith('/', TypeTimespan, TypeInteger)
	rapid.Check(t, func(t *rapid.T) {
		d := durations().Draw(t, "d")
		n := rapid.Int64Range(1, 1000).Draw(t, "n")
		scaled, err := mul(Text(d.String()), Int(n))
		require.NoError(t, err)
		if scaled.IsNull() { // out of range
			return
		}
		back, err := div(scaled, Int(n))
		require.NoError(t, err)
		assert.Zero(t, TypeTimespan.Compare(back, Text(d.String()), Binary), "%s * %d = %s", d, n, scaled.Str())
		if d.HasCalendarUnits() && d.Seconds < 60 {
			assert.Equal(t, d.String(), back.Str())
		}
	})
}

// Every operator on every pair of operands ends in a value of the static type, NULL, or UNSUPPORTED.
func TestArithmeticIsTotal(t *testing.T) {
	operand := rapid.Custom(func(t *rapid.T) typed {
		typ := rapid.SampledFrom(builtinTypes).Draw(t, "type")
		return typed{typ, Cast(rapid.OneOf(genScalar, genTemporalText).Draw(t, "value"), typ)}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := operand.Draw(t, "a"), operand.Draw(t, "b")
		op := rapid.SampledFrom([]ArithOp{'+', '-', '*', '/', '%'}).Draw(t, "op")
		v, err := BindArith(op, a.t, b.t)(a.v, b.v)
		if err != nil {
			assert.ErrorIs(t, err, UNSUPPORTED)
		} else if result := PromoteArith(op, a.t, b.t); !v.IsNull() && (result == TypeInteger || result.Temporal) {
			assert.True(t, result.Valid(v), "%s is no %s", ToText(v), result)
		}
	})
}

// genTemporalText gives texts that look like dates, times and durations, most of them real ones.
var genTemporalText = rapid.OneOf(
	rapid.Map(instants(), datetimeValue), rapid.Map(instants(), dateValue),
	rapid.Map(rapid.Int64Range(0, NanosPerDay-1), timeValue),
	rapid.Map(durations(), func(d Duration) Value { return Text(d.String()) }),
	rapid.Map(rapid.StringMatching(`-?P?T?[0-9]{0,4}[-:YMWDTHS.]?[0-9]{0,2}[-:DHMS]?[0-9]{0,2}S?`), Text),
)
