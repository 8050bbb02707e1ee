package resolve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/quereus/quereus-migrate/engine/resolve"
)

func TestSourceMentions(t *testing.T) {
	home := resolve.Home{Catalog: tables{"s.t": "a", "main.t": "a", "main.u": "b", "other.w": "c"}, Path: []string{"s", "main"}}
	for _, c := range []struct{ text, want string }{
		{"select * from t, U, t as x where a in (select b from u)", "s.t main.U s.t main.u"},
		{"select * from main.t, committed.t, Other.w, nosuch, other.t, w", "main.t s.t other.w"},
		{"with t as (select b from u) select * from t where exists (select 1 from main.t)", "main.u main.t"},
		{"select * from w, t with schema other", "other.w"},
		{"select 1 where 1 in t and (select max(b) from u) > 1", "s.t main.u"},
	} {
		got := []string{}
		for _, q := range resolve.SourceMentions(parseQuery(t, c.text), home) {
			got = append(got, q.Schema.Text+"."+q.Name.Text)
		}
		assert.Equal(t, strings.Fields(c.want), got, c.text)
	}
}

func TestStarred(t *testing.T) {
	home := resolve.Home{Catalog: tables{"s.t": "a", "main.t": "a", "main.u": "b"}, Path: []string{"s", "main"}}
	for _, c := range []struct{ text, want string }{
		{"select * from t, u as x", "s.t main.u"},
		{"select x.* from t, u as x where a in (select main.t.* from main.t)", "main.t main.u"},
		{"select a, count(*) from t", ""},
		{"select * from (select a from t) as q", ""},
		{"with t as (select b from u) select * from t union all select * from main.t", "main.t"},
	} {
		got := []string{}
		for _, q := range resolve.Starred(parseQuery(t, c.text), home) {
			got = append(got, q.Schema.Text+"."+q.Name.Text)
		}
		assert.Equal(t, strings.Fields(c.want), got, c.text)
	}
}
