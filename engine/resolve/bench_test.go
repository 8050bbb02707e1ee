package resolve_test

import (
	"testing"

	"github.com/quereus/quereus-migrate/engine/resolve"
)

func BenchmarkRenameInView(b *testing.B) {
	home := resolve.Home{Catalog: sample, Path: []string{"main"}}
	q := parseQuery(b, "with q as (select a, b from t where c > 1) select q.a, u.d from q join u on q.a = u.a where exists (select 1 from t where t.a = q.a and b > k) order by q.a")
	b.ReportAllocs()
	for b.Loop() {
		resolve.Rename(q, home, resolve.Renaming{Schema: "main", Name: "t", Column: "a", To: "n"})
	}
}
