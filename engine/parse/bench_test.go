package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// largeSchema is a declaration of n tables like those of ordinary applications.
func largeSchema(n int) string {
	var b strings.Builder
	b.WriteString("declare schema main version '1' {\n")
	for i := range n {
		fmt.Fprintf(&b, `  -- orders of branch %[1]d
  table orders_%[1]d {
    id integer primary key,
    customer_id integer not null references customers_%[1]d(id) on delete cascade,
    status text collate nocase default 'new' check (status in ('new', 'paid', 'sent', 'lost')),
    placed_at datetime,
    note text null,
    amount decimal(12, 2) default 0 check (amount >= 0 and amount < 1000000),
    total real generated always as (round(amount * 1.19, 2)) stored,
    constraint uq_orders_%[1]d unique (customer_id, placed_at),
    constraint ck_orders_%[1]d check (length(note) < 4000 or note is null)
  } with tags (owner = 'sales', "ui.label" = 'Orders')
  index ix_orders_%[1]d on orders_%[1]d (status, placed_at desc) where status != 'lost'
  view open_orders_%[1]d as
    select o.id, o.amount, c.name from orders_%[1]d as o join customers_%[1]d as c on c.id = o.customer_id
    where o.status = 'new' and o.amount > 10 order by o.placed_at desc
`, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// insertScript is a script of n INSERT statements of ten rows each.
func insertScript(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("insert into customers (id, name, email, balance, active) values\n")
		for j := range 10 {
			id := i*10 + j
			end := ","
			if j == 9 {
				end = ";"
			}
			fmt.Fprintf(&b, "  (%d, 'Customer No. %d', 'customer.%d@example.com', %d.%02d, true)%s\n", id, id, id, id%1000, id%100, end)
		}
	}
	return b.String()
}

func benchmarkStmts(b *testing.B, text string) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Stmts(ast.NewSource("", text)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseSchema(b *testing.B) { benchmarkStmts(b, largeSchema(1000)) }

func BenchmarkParseInsert(b *testing.B) { benchmarkStmts(b, insertScript(2000)) }

// BenchmarkParsePoint is one short query: what a prepared statement costs before planning.
func BenchmarkParsePoint(b *testing.B) {
	benchmarkStmts(b, "select id, name from customers where id = ? and active")
}
