package exec_test

import "testing"

// The scripts below go through the rules of writing one by one.

func TestInsert(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table t (id integer primary key, a text default 'x', b integer null, g integer generated always as (id * 10))
		--
		insert into t values (1, 'one', 1), (2, 'two', null) returning *
		-- [1,"one",1,10] [2,"two",null,20]
		insert into t (b, id) select b + 1, id + 10 from t where b is not null returning id, a, b
		-- [11,"x",2]
		insert into t default values
		-- error CONSTRAINT: NOT NULL constraint failed: t.id
		insert into t (id, a) values (3, default), (4, 'given')
		--
		select id, a from t where id in (3, 4)
		-- [3,"x"] [4,"given"]
		insert into t (id, nothing) values (1, 2)
		-- error ERROR: Column 'nothing' not found in table 't'
		insert into t (id, Id) values (1, 2)
		-- error ERROR: column 'Id' specified more than once in INSERT into 't'
		insert into t (id, g) values (1, 2)
		-- error ERROR: Cannot INSERT into generated column 'g'
		insert into t values (1, 2)
		-- error ERROR: Column count mismatch in VALUES clause. Expected 3 columns, got 2.
		insert into t select 1
		-- error ERROR: Column count mismatch
		insert into nothing values (1)
		-- error NOTFOUND: Table 'nothing' not found in schema path: main
		insert into committed.t values (1)
		-- error ERROR: Cannot modify committed-state table 'committed.t'
		insert into t (id) values (5) returning old.id
		-- error ERROR: OLD qualifier cannot be used in INSERT RETURNING clause
		insert into t (id) values (5) returning count(*)
		-- error ERROR: Aggregate function count not allowed in this context`)
}

func TestDefaults(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table t (id integer primary key default (coalesce((select max(id) from t), 0) + mutation_ordinal()), n integer default 3,
			m integer default (new.n * 2), s text default (typeof(new.n)))
		--
		insert into t (n) values ('4'), (5) returning *
		-- [1,4,8,"integer"] [2,5,10,"integer"]
		insert into t (m, s) values (1, 'a'), (2, 'b') returning id
		-- [3] [4]
		insert into t (id) values (9)
		-- error ERROR: new.n isn't a column
		insert into t values (8, default, default, 's')
		-- error ERROR: new.n isn't a column
		insert into t values (8, 7, default, default), (9, default, 1, 's') returning id, n, m, s
		-- [8,7,14,"integer"] [9,3,1,"s"]
		update t set id = mutation_ordinal()
		-- error ERROR: mutation_ordinal() is only valid`)
}

func TestConversionHappensOnce(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table j (id integer primary key, doc json null, n integer null)
		--
		insert into j values (1, '"[1]"', '7'), (2, '[1]', 8.9)
		--
		select id, doc, typeof(doc), n from j
		-- [1,"[1]","text",7] [2,[1],"json",8]
		update j set doc = doc
		--
		insert into j select id + 10, doc, n from j
		--
		insert into j values (1, null, null) on conflict (id) do update set doc = j.doc
		--
		select id, doc, typeof(doc) from j
		-- [1,"[1]","text"] [2,[1],"json"] [11,"[1]","text"] [12,[1],"json"]
		insert or ignore into j values (20, '{', 1)
		-- error MISMATCH: Type conversion failed for column 'doc'
		update j set n = 'x'
		-- error MISMATCH: Type conversion failed for column 'n'`)
}

func TestUpdateAndDelete(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table t (id integer primary key, a integer, b integer, g integer generated always as (a + b))
		--
		insert into t values (1, 1, 10), (2, 2, 20), (3, 3, 30)
		--
		update t set a = b, b = a where id = 1 returning *, old.a
		-- [1,10,1,11,1]
		update t as x set a = x.a + 1 where x.id > 1 returning x.id, a
		-- [2,3] [3,4]
		update t as x set a = t.a
		-- error ERROR: t.a isn't a column
		update t set id = id - 1 returning id, old.id
		-- [0,1] [1,2] [2,3]
		update t set id = id + 1
		-- error CONSTRAINT: UNIQUE constraint failed: t PK.
		update t set a = 1, A = 2
		-- error ERROR: duplicate assignment to column 'A' in UPDATE on 't'
		update t set g = 1
		-- error ERROR: Cannot UPDATE generated column 'g'
		update t set x = 1
		-- error ERROR: Column 'x' not found in table 't'
		delete from t where id = 0 returning new.id
		-- error ERROR: NEW qualifier cannot be used in DELETE RETURNING clause
		delete from t where g > 20 returning id, old.g
		-- [1,23] [2,34]
		select * from t
		-- [0,10,1,11]`)
}

func TestUpdateFrom(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table acc (id integer primary key, bal integer)
		--
		create table mv (id integer primary key, acc integer, amt integer)
		--
		insert into acc values (1, 10), (2, 20), (3, 30)
		--
		insert into mv values (1, 1, 5), (2, 2, 7), (3, 2, 100)
		--
		update acc set bal = bal + amt from mv where mv.acc = acc.id returning acc.id, bal
		-- [1,15] [2,27]
		update acc set bal = o.bal from acc o where o.id = acc.id + 1
		--
		select * from acc
		-- [1,27] [2,30] [3,30]
		update acc set bal = 0 from acc
		-- error ERROR: duplicate source name: acc
		update acc set bal = s.v from (select column_0 as v from (values (8), (9)) order by 1 desc) s where acc.id = 1 returning bal
		-- [9]`)
}

func TestStatementsNeverReadTheirOwnWrites(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table r (id integer primary key, v integer)
		--
		insert into r values (1, 5), (2, 7)
		--
		insert into r select id + 10, v from r union all select id + 20, v from r returning id, (select count(*) from r)
		-- [11,2] [12,2] [21,2] [22,2]
		update r set v = (select count(*) from r x where x.v = 5) where v = 5 returning id, v
		-- [1,3] [11,3] [21,3]
		delete from r where (select count(*) from r x where x.id <> r.id) > 1 returning id
		-- [1] [2] [11] [12] [21] [22]
		insert into r select 1, count(*) from r
		--
		insert into r values (2, (select max(id) from r)), (3, case when true then (select max(id) from r) end) returning v
		-- [1] [1]`)
}

func TestRelations(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table a (id integer primary key, v text)
		--
		create table b (id integer primary key, v text)
		--
		insert into a values (1, 'one'), (2, 'two')
		--
		with gone as (delete from a where id = 2 returning id, v) insert into b select id, v from gone returning *
		-- [2,"two"]
		select (select count(*) from ins), x.id from (insert into a values (5, 'five') returning id) x, (select 1) y
		-- error NOTFOUND: Table 'ins' not found
		with ins as (insert into a values (6, 'six') returning id) select 1
		-- [1]
		with m as (insert into a values (7, 's') returning id), n as (insert into a values (8, 'e') returning id) select (select id from m) + (select id from n)
		-- [15]
		select (insert into b values (10, 'x'), (11, 'y') returning id) as first, a.id from a
		-- [10,1] [10,6] [10,7] [10,8]
		select b.v, r.v from b join (update b set v = v || '!' where id = 10 returning id, v) r on r.id = b.id
		-- ["x","x!"]
		insert into a values ((insert into b values (20, 'n') returning id) + 1, 'nested') returning id
		-- [21]
		insert into b delete from a where id = 21 returning id, v
		--
		select exists (update b set v = '' where id = 99 returning id)
		-- [false]
		select v from b where id = 21
		-- ["nested"]
		with a1 as (update b set v = 'p' where id = 21 returning id), b1 as (update b set id = 22 where id = 21 returning v) select v from b1
		-- ["p"]
		with x as (insert into a values (30, 'x') returning id) insert into b select 10, 'dup' from x
		-- error CONSTRAINT: UNIQUE constraint failed: b PK.
		select count(*) from a where id = 30
		-- [0]
		select * from (with c as (insert into a values (20, 't') returning id) select id from c) z
		-- error ERROR: WITH member 'c' is data-modifying (INSERT), which is only allowed in a statement's own leading WITH clause
		delete from a where id in (update b set v = 'w' returning id)
		-- error UNSUPPORTED: data-modifying
		update a set v = (insert into b values (1, 'm') returning v)
		-- error UNSUPPORTED: data-modifying
		select * from (with c as (select 40 as k) select * from (insert into a select k, 'i' from c returning id) d) e
		-- error UNSUPPORTED: member of an inner WITH
		select * from (with c as (select 41 as k) insert into a select k, 'i' from c returning id) d
		-- [41]`)
}

func TestReturningKeepsWhatTwoPartsWrote(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table t (id integer primary key, a integer, b integer)
		--
		insert into t values (1, 0, 0), (2, 0, 0)
		--
		with x as (update t set a = 1 returning id), y as (update t set b = a + 5 where id = 1 returning a, b) select * from y
		-- [1,5]
		with x as (delete from t where id = 2 returning id), y as (update t set b = 9 returning id) select id from y
		-- [1]
		select * from t
		-- [1,1,9]`)
}

func TestContext(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table doc (id integer primary key, owner text default actor, at text default context.stamp, constraint mine check (new.owner = context.actor)) with context (actor text, stamp text null)
		--
		insert into doc (id) with context actor = 'a' || 'nn', stamp = 1 values (1) returning owner, at
		-- ["ann","1"]
		insert into doc values (2, 'x', 't')
		-- error ERROR: table 'main.doc' requires mutation context variable 'actor'
		insert into doc (id, at) values (2, 't') with context actor = 'bob', other = nothing
		--
		insert into doc values (3, 'x', 't') with context actor = 'a', Actor = 'b'
		-- error ERROR: mutation context variable 'Actor' supplied more than once
		insert into doc values (3, 'x', 't') with context actor = null
		-- error CONSTRAINT: NOT NULL constraint failed: mutation context variable 'actor'
		insert into doc values (3, 'x', 't') with context actor = id
		-- error ERROR: Column not found: id
		update doc set at = 'u' where id = 2
		-- error ERROR: requires mutation context variable 'actor'
		update doc set at = 'u' where id = 2 with context actor = 'zed'
		-- error CONSTRAINT: CHECK constraint failed: mine (new.owner = context.actor)
		delete from doc where id = 2 returning at
		-- ["t"]`)
}

func TestTargets(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table t (id integer primary key)
		--
		create view v as select id from t
		--
		insert into v values (1)
		-- error UNSUPPORTED: writing through a view is not supported yet: 'v'
		with w as (select id from t) delete from w
		-- error UNSUPPORTED: writing through a member of WITH is not supported yet: 'w'
		update (select id from t) as q set id = 1
		-- error UNSUPPORTED: writing through a query is not supported yet: 'q'
		insert into t values (1) with tags ("quereus.id" = 'x')
		-- error ERROR: Reserved tag 'quereus.id' is not allowed on a DML statement
		insert into t values (1) with tags (free = 'x') with schema nowhere
		-- error NOTFOUND: Table 't' not found in schema path: nowhere`)
}
