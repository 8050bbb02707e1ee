package differ

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/types"
)

func TestEffectText(t *testing.T) {
	for _, c := range []struct {
		effect Effect
		text   string
	}{
		{Effect{}, "metadata only"},
		{Effect{ReadsRows, 1}, "reads 1 row"},
		{Effect{BuildsIndex, 0}, "builds index of 0 rows"},
		{Effect{RewritesRows, Unknown}, "rewrites all rows"},
		{Effect{FillsTable, 7}, "fills the table from its query"},
		{Effect{DeletesRows, 12}, "deletes 12 rows"},
	} {
		require.Equal(t, c.text, c.effect.String())
	}
}

func TestConversion(t *testing.T) {
	for _, c := range []struct {
		from, to *types.Type
		values   byte
	}{
		{types.TypeText, types.TypeJSON, someValues},
		{types.TypeText, types.TypeBlob, everyValue},
		{types.TypeInteger, types.TypeTimespan, everyValue},
		{types.TypeNumeric, types.TypeDate, someValues},
		{types.TypeBlob, types.TypeText, someValues},
		{types.TypeBoolean, types.TypeDate, noValue},
		{types.TypeTimestamp, types.TypeTime, everyValue},
		{types.TypeTimespan, types.TypeReal, noValue},
		{types.TypeJSON, types.TypeAny, everyValue},
		{&types.Type{Name: "POINT"}, types.TypeText, someValues},
	} {
		require.Equal(t, string(c.values), string(conversion(c.from, c.to)), "%s to %s", c.from, c.to)
	}
	for _, row := range conversions {
		require.Len(t, row, 2*len(conversionOrder)-1)
	}
	require.Len(t, conversions, len(conversionOrder))
}
