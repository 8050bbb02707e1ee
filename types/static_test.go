package types

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

var genType = rapid.SampledFrom(append([]*Type{TypeNull, even, ranked}, builtinTypes...))

func TestPromoteArith(t *testing.T) {
	for _, c := range []struct {
		op         ArithOp
		a, b, want *Type
	}{
		{'+', TypeInteger, TypeInteger, TypeInteger},
		{'%', TypeInteger, TypeInteger, TypeInteger},
		{'/', TypeInteger, TypeInteger, TypeNumeric},
		{'*', TypeInteger, TypeReal, TypeNumeric},
		{'/', TypeReal, TypeReal, TypeReal},
		{'-', TypeNumeric, TypeNumeric, TypeNumeric},
		{'-', TypeNumeric, TypeReal, TypeNumeric},
		{'+', TypeText, TypeInteger, TypeAny},
		{'+', TypeBoolean, TypeInteger, TypeAny},
		{'+', TypeAny, TypeInteger, TypeAny},
		{'+', TypeNull, TypeInteger, TypeAny},
		{'+', TypeTimestamp, TypeInteger, TypeAny},
		{'+', TypeDate, TypeTimespan, TypeDate},
		{'-', TypeDate, TypeDatetime, TypeTimespan},
		{'+', TypeTimespan, TypeTime, TypeTime},
		{'-', TypeTimespan, TypeDate, TypeAny},
		{'*', TypeNumeric, TypeTimespan, TypeTimespan},
		{'/', TypeTimespan, TypeTimespan, TypeReal},
		{'/', TypeTimespan, TypeReal, TypeTimespan},
		{'+', TypeDate, TypeText, TypeAny},
		{'+', TypeDate, TypeInteger, TypeAny},
	} {
		assert.Same(t, c.want, PromoteArith(c.op, c.a, c.b), "%s %s %s", c.a, c.op, c.b)
	}
}

func TestPromoteSign(t *testing.T) {
	for _, same := range []*Type{TypeInteger, TypeReal, TypeNumeric, TypeTimespan} {
		assert.Same(t, same, PromoteSign(same))
	}
	for _, other := range []*Type{TypeText, TypeBoolean, TypeDate, TypeTimestamp, TypeAny, TypeNull, TypeJSON} {
		assert.Same(t, TypeAny, PromoteSign(other))
	}
}

func TestCommonType(t *testing.T) {
	for _, c := range []struct {
		of   []*Type
		want *Type
	}{
		{nil, TypeNull},
		{[]*Type{TypeNull, TypeNull}, TypeNull},
		{[]*Type{TypeText}, TypeText},
		{[]*Type{TypeNull, TypeDate, TypeNull, TypeDate}, TypeDate},
		{[]*Type{TypeInteger, TypeReal}, TypeNumeric},
		{[]*Type{TypeInteger, TypeNull, TypeReal, TypeNumeric}, TypeNumeric},
		{[]*Type{TypeInteger, TypeText}, TypeAny},
		{[]*Type{TypeInteger, TypeText, TypeInteger}, TypeAny},
		{[]*Type{TypeInteger, TypeBoolean}, TypeAny},
		{[]*Type{TypeJSON, TypeText}, TypeAny},
		{[]*Type{TypeAny, TypeNull}, TypeAny},
		{[]*Type{even, TypeInteger}, TypeAny},
		{[]*Type{even, even}, even},
	} {
		assert.Same(t, c.want, CommonType(c.of...), "%v", c.of)
	}
}

func TestMergeSetOp(t *testing.T) {
	for _, c := range []struct{ a, b, merged, castA, castB *Type }{
		{TypeInteger, TypeInteger, TypeInteger, nil, nil},
		{TypeInteger, TypeReal, TypeNumeric, nil, nil},
		{TypeNull, TypeJSON, TypeJSON, nil, nil},
		{TypeJSON, TypeText, TypeJSON, nil, TypeJSON},
		{TypeInteger, TypeJSON, TypeJSON, TypeJSON, nil},
		{TypeAny, TypeJSON, TypeJSON, TypeJSON, nil},
		{TypeTimespan, TypeText, TypeAny, nil, nil},
		{TypeInteger, TypeText, TypeAny, nil, nil},
	} {
		merged, castA, castB := MergeSetOp(c.a, c.b)
		assert.Equal(t, [3]*Type{c.merged, c.castA, c.castB}, [3]*Type{merged, castA, castB}, "%s %s", c.a, c.b)
	}
}

func TestComparisonCast(t *testing.T) {
	for _, c := range []struct{ left, right, castLeft, castRight *Type }{
		{TypeInteger, TypeText, nil, TypeNumeric},
		{TypeNumeric, TypeText, nil, TypeNumeric},
		{TypeReal, TypeText, nil, TypeReal},
		{TypeText, TypeReal, TypeReal, nil},
		{TypeText, TypeText, nil, nil},
		{TypeInteger, TypeReal, nil, nil},
		{TypeInteger, TypeAny, nil, nil},
		{TypeInteger, TypeBlob, nil, nil},
		{TypeBoolean, TypeText, nil, nil},
		{TypeBlob, TypeText, nil, nil},
		{TypeDate, TypeText, nil, nil},
		{TypeTimestamp, TypeText, nil, nil},
		{TypeAny, TypeText, nil, nil},
		{TypeNull, TypeText, nil, nil},
		{TypeJSON, TypeText, nil, TypeJSON},
		{TypeInteger, TypeJSON, TypeJSON, nil},
		{TypeJSON, TypeAny, nil, TypeJSON},
		{TypeTimespan, TypeJSON, TypeJSON, nil},
		{TypeJSON, TypeNull, nil, nil},
		{TypeJSON, TypeJSON, nil, nil},
		{even, TypeText, nil, nil},
	} {
		castLeft, castRight := ComparisonCast(c.left, c.right)
		assert.Equal(t, [2]*Type{c.castLeft, c.castRight}, [2]*Type{castLeft, castRight}, "%s %s", c.left, c.right)
	}
}

func TestComparisonType(t *testing.T) {
	for _, c := range []struct{ left, right, want *Type }{
		{TypeTimespan, TypeTimespan, TypeTimespan},
		{TypeTimespan, TypeText, TypeTimespan},
		{TypeAny, TypeTimespan, TypeTimespan},
		{TypeTimespan, TypeInteger, TypeTimespan},
		{TypeTimespan, TypeJSON, TypeJSON},
		{TypeJSON, TypeText, TypeJSON},
		{TypeJSON, TypeNull, nil},
		{TypeText, TypeText, nil},
		{TypeDate, TypeDatetime, nil},
		{ranked, ranked, ranked},
		{ranked, TypeInteger, nil},
	} {
		assert.Same(t, c.want, ComparisonType(c.left, c.right), "%s %s", c.left, c.right)
	}
}

// Which side stands left never matters.
func TestStaticRulesAreSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genType.Draw(t, "a"), genType.Draw(t, "b")
		castA, castB := ComparisonCast(a, b)
		castB2, castA2 := ComparisonCast(b, a)
		assert.Equal(t, [2]*Type{castA, castB}, [2]*Type{castA2, castB2})
		assert.False(t, castA != nil && castB != nil)
		assert.Same(t, ComparisonType(a, b), ComparisonType(b, a))
		merged, armA, armB := MergeSetOp(a, b)
		merged2, armB2, armA2 := MergeSetOp(b, a)
		assert.Equal(t, [3]*Type{merged, armA, armB}, [3]*Type{merged2, armA2, armB2})
		assert.Same(t, CommonType(a, b), CommonType(b, a))
		assert.Same(t, CommonType(a, b), CommonType(CommonType(a, b), a))
	})
}

func TestMemberCasts(t *testing.T) {
	assert.Equal(t, []CastPair{{nil, TypeNumeric}, {}, {nil, TypeNumeric}},
		MemberCasts(TypeInteger, []*Type{TypeText, TypeInteger, TypeText}))
	assert.Equal(t, []CastPair{{TypeNumeric, nil}, {}, {TypeReal, nil}},
		MemberCasts(TypeText, []*Type{TypeInteger, TypeText, TypeReal}), "each member compares as = would")
	assert.Equal(t, []CastPair{{nil, TypeJSON}, {}, {}},
		MemberCasts(TypeJSON, []*Type{TypeText, TypeJSON, TypeNull}))
	assert.Equal(t, []CastPair{{TypeJSON, TypeJSON}, {TypeJSON, nil}},
		MemberCasts(TypeText, []*Type{TypeInteger, TypeJSON}))
	assert.Empty(t, MemberCasts(TypeText, nil))
}

func TestGroupCasts(t *testing.T) {
	for _, c := range []struct{ args, want []*Type }{
		{nil, []*Type{}},
		{[]*Type{TypeText}, []*Type{nil}},
		{[]*Type{TypeInteger, TypeText, TypeReal}, []*Type{nil, TypeNumeric, nil}},
		{[]*Type{TypeReal, TypeText}, []*Type{nil, TypeReal}},
		{[]*Type{TypeText, TypeInteger}, []*Type{TypeNumeric, nil}},
		{[]*Type{TypeText, TypeReal, TypeNull, TypeReal}, []*Type{TypeReal, nil, nil, nil}},
		{[]*Type{TypeText, TypeReal, TypeInteger, TypeReal}, []*Type{TypeNumeric, nil, nil, nil}},
		{[]*Type{TypeText, TypeInteger, TypeText}, []*Type{nil, nil, nil}},
		{[]*Type{TypeText, TypeInteger, TypeAny}, []*Type{nil, nil, nil}},
		{[]*Type{TypeText, TypeNull}, []*Type{nil, nil}},
		{[]*Type{TypeText, TypeInteger, TypeJSON}, []*Type{TypeJSON, TypeJSON, nil}},
		{[]*Type{TypeJSON, TypeText, TypeNull}, []*Type{nil, TypeJSON, nil}},
	} {
		assert.Equal(t, c.want, GroupCasts(c.args), "%v", c.args)
	}
}
