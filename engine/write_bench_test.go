package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
)

// BenchmarkWholeTable runs statements that read or change most rows of the table, each committed on a fresh copy of the database.
func BenchmarkWholeTable(b *testing.B) {
	from := benchDir(b, benchRows)
	for _, s := range []struct{ name, sql string }{
		{"index", "create index by_r on big (r)"},
		{"text index", "create index by_name on big (name)"},
		{"unique", "alter table big add constraint one_code unique (code)"},
		{"retype", "alter table big alter column n set data type text"},
		{"new key", "alter table big alter primary key (code)"},
		{"foreign key", "alter table big add constraint own foreign key (n) references big (id)"},
		{"update all", "update big set r = r + 1"},
		{"delete half", "delete from big where id % 2 = 1"},
	} {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				dir := filepath.Join(b.TempDir(), "copy")
				require.NoError(b, os.CopyFS(dir, os.DirFS(from)))
				db := benchOpen(b, dir)
				c := db.Conn()
				b.StartTimer()
				_, err := c.Exec(ctx, s.sql, engine.Params{})
				require.NoError(b, err)
				b.StopTimer()
				require.NoError(b, db.Close())
				require.NoError(b, os.RemoveAll(dir))
				b.StartTimer()
			}
			perBenchRow(b)
		})
	}
}
