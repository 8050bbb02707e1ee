package ast_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// bigSchema is a declaration of n tables with constraints, an index and a view each.
func bigSchema(tb testing.TB, n int) ast.Stmt {
	var b strings.Builder
	b.WriteString("declare schema main {")
	for i := range n {
		fmt.Fprintf(&b, ` table order_%d { id integer primary key, "group" text not null collate nocase default 'none', amount decimal(10, 2) null check (amount >= 0 and amount < 1e6),`, i)
		for c := range 15 {
			fmt.Fprintf(&b, " c%d integer default (%d + 1) * 2,", c, c)
		}
		fmt.Fprintf(&b, " constraint owner_%[1]d foreign key (id) references people(id) on delete cascade } with tags (team = 'a')", i)
		fmt.Fprintf(&b, ` index ix_%[1]d on order_%[1]d (lower("group"), amount desc) where amount is not null`, i)
		fmt.Fprintf(&b, ` view v_%[1]d as select o.id, sum(o.amount) over (partition by o."group" order by o.id) as running from order_%[1]d o join people p on p.id = o.id where o.amount between 1 and 2 or not o.c1 in (1, 2, 3);`, i)
	}
	b.WriteString("}")
	return parseStmt(tb, b.String())
}

func BenchmarkPrintBigSchema(b *testing.B) {
	schema := bigSchema(b, 500)
	buf := ast.Append(nil, schema, ast.Options{})
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = ast.Append(buf[:0], schema, ast.Options{})
	}
}

func BenchmarkWalkBigSchema(b *testing.B) {
	schema := bigSchema(b, 500)
	b.ReportAllocs()
	for b.Loop() {
		ast.Walk(schema, func(ast.Node) bool { return true })
	}
}
