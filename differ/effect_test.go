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
		{Effect{Kind: ReadsRows, Rows: 1}, "reads 1 row"},
		{Effect{Kind: BuildsIndex}, "builds index of 0 rows"},
		{Effect{Kind: RewritesRows, Rows: Unknown}, "rewrites all rows"},
		{Effect{Kind: FillsTable, Rows: 7}, "fills the table from its query"},
		{Effect{Kind: DeletesRows, Rows: 12}, "deletes 12 rows"},
		{Effect{Kind: RewritesRows, Rows: 12, Fills: 3}, "fills NULL in 3 of 12 rows"},
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
