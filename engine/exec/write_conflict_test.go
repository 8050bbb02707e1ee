package exec_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConflictActions(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table a (id integer primary key, u text null unique, n integer default 5, check (n > 0))
		--
		insert into a values (1, 'x', 1), (2, 'y', 2)
		--
		insert or ignore into a values (1, 'q', 1), (3, 'y', 1), (4, 'z', -1), (5, 'v', null), (6, 'w', 6) returning id
		-- [6]
		insert or replace into a (id, u, n) values (2, 'x', null) returning *
		-- [2,"x",5]
		select * from a
		-- [2,"x",5] [6,"w",6]
		insert or fail into a values (7, 'f', 1), (8, 'x', 1), (9, 'g', 1)
		-- error CONSTRAINT: UNIQUE constraint failed: a (u)
		select id from a
		-- [2] [6] [7]
		insert or abort into a values (10, 'h', 1), (2, 'i', 1)
		-- error CONSTRAINT: UNIQUE constraint failed: a PK.
		insert or replace into a values (10, 'h', -1)
		-- error CONSTRAINT: CHECK constraint failed: _check_0 (n > 0)
		begin
		--
		insert into a values (11, null, 1)
		--
		insert or fail into a values (12, null, 1), (2, 'i', 1)
		-- error CONSTRAINT: UNIQUE constraint failed: a PK.
		insert or rollback into a values (13, null, 1), (14, null, 0)
		-- error CONSTRAINT: CHECK constraint failed
		select id from a
		-- [2] [6] [7]`)
}

func TestDeclaredActions(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table d (id integer primary key on conflict ignore, r integer null unique on conflict replace,
			n integer not null on conflict replace default 9, g text not null on conflict ignore default 'g', check (n < 10) on conflict fail)
		--
		insert into d (id, r, n) values (1, 10, null), (1, 11, 1), (2, 10, 2) returning *
		-- [1,10,9,"g"] [2,10,2,"g"]
		select id from d
		-- [2]
		insert into d (id, n, g) values (3, 1, null), (4, 1, 'x'), (5, 20, 'x'), (6, 1, 'x')
		-- error CONSTRAINT: CHECK constraint failed: _check_0 (n < 10)
		update d set g = null
		--
		update d set n = null where id = 4 returning *
		-- [4,null,9,"x"]
		update d set id = 2 where id = 4
		--
		insert or abort into d (id, n) values (2, 1)
		-- error CONSTRAINT: UNIQUE constraint failed: d PK.
		select * from d
		-- [2,10,2,"g"] [4,null,9,"x"]`)
}

// A substitute is computed of the row as it was supplied, and generated columns follow it.
func TestSubstitutes(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table s (id integer primary key, a integer not null default '12', b text not null default (new.a || '!'), g integer generated always as (a * 2))
		--
		insert or replace into s values (1, null, null)
		-- error CONSTRAINT: NOT NULL constraint failed: s.b
		insert or replace into s values (2, null, 'b'), (3, 5, null) returning *
		-- [2,12,"b",24] [3,5,"5!",10]`)
}

func TestUpsert(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table u (id integer primary key, mail text collate nocase unique, n integer default 1 check (n < 100), note text null, slot integer null)
		--
		create unique index u_slot on u (slot) where n > 50
		--
		insert into u values (1, 'A@x', 1, null, null), (2, 'b@x', 2, null, null)
		--
		insert into u (id, mail) values (3, 'a@X'), (4, 'new') on conflict (mail) do update set n = u.n + new.n, note = excluded.mail returning id, mail, n, note
		-- [1,"A@x",2,"a@X"] [4,"new",1,null]
		insert into u (id, mail) values (1, 'c') on conflict (mail) do nothing
		-- error CONSTRAINT: UNIQUE constraint failed: u PK.
		insert into u (id, mail) values (1, 'c') on conflict (mail) do nothing on conflict do update set note = 'any' returning note
		-- ["any"]
		insert into u (id, mail) values (1, 'c') on conflict (note) do nothing
		-- error CONSTRAINT: UNIQUE constraint failed: u PK.
		insert into u (id, mail, n) values (1, 'c', 9) on conflict (id) do update set n = 50 where u.n > 5 returning id
		--
		insert into u (id, mail) values (1, 'c') on conflict (id) do update set n = old.n
		-- error ERROR: old.n isn't a column
		insert into u (id, mail, n) values (1, 'c', 500) on conflict do nothing
		-- error CONSTRAINT: CHECK constraint failed: _check_n (n < 100)
		insert into u (id, mail) values (1, 'c') on conflict (id) do update set n = 500
		-- error CONSTRAINT: CHECK constraint failed: _check_n (n < 100)
		insert into u (id, mail) values (1, 'c') on conflict (id) do update set mail = 'B@X'
		-- error CONSTRAINT: UNIQUE constraint failed: u (mail)
		insert into u (id, mail) values (7, 'p'), (7, 'q'), (7, 'r') on conflict (id) do update set mail = mail || new.mail returning mail
		-- ["p"] ["pq"] ["pqr"]
		insert into u values (8, 's', 60, null, 1)
		--
		insert into u values (9, 't', 10, null, 1) on conflict (slot) do nothing
		--
		insert into u values (10, 'v', 70, null, 1) on conflict (slot) do update set id = 80 returning id
		-- [80]
		insert into u (id, mail) values (1, 'c') on conflict (nowhere) do nothing
		-- error ERROR: Column 'nowhere' not found in table 'u' for ON CONFLICT target
		insert into u (id, mail) values (1, 'c') on conflict (id) do update set nowhere = 1
		-- error ERROR: Column 'nowhere' not found in table 'u' for DO UPDATE SET`)
}

// NULLs are equal in a primary key and exempt under UNIQUE, for targets as for the rules.
func TestUpsertOverNulls(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table k (a integer null, b integer null unique, n integer default 0, primary key (a))
		--
		insert into k values (null, null, 1)
		--
		insert into k values (null, 5, 2) on conflict (b) do nothing
		-- error CONSTRAINT: UNIQUE constraint failed: k PK.
		insert into k values (null, 5, 2) on conflict (a) do update set n = n + new.n returning *
		-- [null,null,3]`)
}

func TestChangesCountDirectWrites(t *testing.T) {
	db := newWriteDB(t)
	for _, c := range []struct {
		sql  string
		want int64
	}{
		{`create table p (id integer primary key); create table c (id integer primary key, p integer references p (id) on delete cascade)`, 0},
		{`insert into p values (1), (2), (3)`, 3},
		{`insert or ignore into p values (3), (4)`, 1},
		{`insert into p values (4) on conflict do nothing`, 0},
		{`insert into c values (1, 1), (2, 1)`, 2},
		{`delete from p where id < 3`, 2},
		{`with x as (insert into p values (8) returning id) update p set id = id + 10 where id = 3`, 2},
		{`select * from p`, 0},
	} {
		db.changes = 0
		_, err := db.do(c.sql)
		require.NoError(t, err, c.sql)
		require.Equal(t, c.want, db.changes, c.sql)
	}
}
