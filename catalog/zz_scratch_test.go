package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
)

func BenchmarkScratch(b *testing.B) {
	var sb strings.Builder
	for i := 0; i < 10000; i++ {
		fmt.Fprintf(&sb, "create table table_%d (id integer primary key, name text null, code text collate nocase, a integer default 0, b real default 1.5, created datetime default '2020-01-01T00:00:00', p integer null references table_%d(id), note text null default 'x', flag boolean default true, amount numeric, constraint ck_%d check (a >= 0 and b < 100), constraint uq_%d unique (code));\n", i, i/2, i, i)
	}
	stmts, err := parse.Stmts(ast.NewSource("", sb.String()))
	if err != nil {
		b.Fatal(err)
	}
	build := func() *Snapshot {
		s := NewSnapshot()
		e := s.Edit()
		env := testEnv()
		for _, st := range stmts {
			t, err := BuildTable(st.(*ast.CreateTableStmt), env)
			if err != nil {
				b.Fatal(err)
			}
			e.PutTable(t)
		}
		return e.Done()
	}
	s := build()
	b.Run("build", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			build()
		}
	})
	b.Run("hash", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			Hash(s, "main")
		}
	})
}
