package function_test

import "testing"

func TestSeries(t *testing.T) {
	h := newHarness()
	for from, want := range map[string]string{
		"generate_series(9223372036854775806, 9223372036854775807)": "[9223372036854775806]\n[9223372036854775807]",
		"generate_series(9223372036854775807, 9223372036854775809)": "[9223372036854775807]\n[9223372036854775808]\n[9223372036854775809]",
		"generate_series(9007199254740992.0, 9007199254740993)":     "[9007199254740992]\n[9007199254740993]",
		"generate_series('0.5', 2.25)":                              "[0.5]\n[1.5]",
		"generate_series(1, '1.9')":                                 "[1]",
		"generate_series(true, 2)":                                  "[1]\n[2]",
		"generate_series(x'31', 2)":                                 "",
		"split_string('', '')":                                      `["",0]`,
		"split_string('aXbX', 'X')":                                 "[\"a\",0]\n[\"b\",1]\n[\"\",2]",
		"split_string(5, 'X')":                                      "",
	} {
		h.requireAnswer(t, "select * from "+from, want)
	}
}
