package exec_test

import (
	"fmt"
	"testing"
)

// eachAccess runs a script with and without the module's accesses: lookups by seek and by scan must agree.
func eachAccess(t *testing.T, script string) {
	for _, noSeek := range []bool{false, true} {
		t.Run(fmt.Sprintf("noSeek=%v", noSeek), func(t *testing.T) {
			db := newWriteDB(t)
			db.noSeek = noSeek
			db.script(script)
		})
	}
}

func TestChildSide(t *testing.T) {
	eachAccess(t, `
		create table par (id integer primary key, code text unique)
		--
		create table kid (id integer primary key, pid integer null references par (id), pcode text null references par (code))
		--
		insert into par values (1, 'a'), (2, 'b')
		--
		insert into kid values (10, 1, 'a'), (11, null, null)
		--
		insert into kid values (12, 99, null)
		-- error CONSTRAINT: FOREIGN KEY constraint failed: _fk_kid_pid ('kid' references 'par')
		update kid set pcode = 'zz'
		-- error CONSTRAINT: FOREIGN KEY constraint failed: _fk_kid_pcode ('kid' references 'par')
		insert or ignore into kid values (13, 99, null), (14, 2, null) returning id
		-- [14]
		insert or replace into kid values (14, 99, null)
		-- error CONSTRAINT: FOREIGN KEY constraint failed: _fk_kid_pid
		create table node (id integer primary key, up integer null references node (id))
		--
		insert into node values (4, 4), (6, 5), (5, null)
		--
		insert or ignore into node values (7, 7), (8, 9), (9, null) returning id
		-- [7] [9]
		create table lost (id integer primary key, p integer null references nowhere (id))
		--
		insert into lost values (1, null)
		--
		insert into lost values (2, 1)
		-- error CONSTRAINT: FOREIGN KEY constraint failed: _fk_lost_p: referenced table 'main.nowhere' does not exist
		insert or ignore into lost values (2, 1)
		--
		select id from lost
		-- [1]`)
}

func TestRestrict(t *testing.T) {
	eachAccess(t, `
		create table p (id integer primary key, u text null unique)
		--
		create table c (id integer primary key, p integer references p (id), u text null references p (u))
		--
		insert into p values (1, 'a'), (2, 'b'), (3, null)
		--
		insert into c values (1, 1, null), (2, 2, 'b')
		--
		delete from p where id = 1
		-- error CONSTRAINT: FOREIGN KEY constraint failed: DELETE on 'p' violates RESTRICT from 'c' (_fk_c_p)
		update p set u = 'B' where id = 2
		-- error CONSTRAINT: FOREIGN KEY constraint failed: UPDATE on 'p' violates RESTRICT from 'c' (_fk_c_u)
		update p set id = id where id = 1
		--
		insert or replace into p values (1, 'x')
		--
		insert or replace into p values (2, 'x')
		-- error CONSTRAINT: FOREIGN KEY constraint failed: DELETE on 'p' violates RESTRICT from 'c'
		insert into p values (1, 'q') on conflict (id) do update set id = 9
		-- error CONSTRAINT: FOREIGN KEY constraint failed: UPDATE on 'p' violates RESTRICT from 'c'
		create table node (id integer primary key, up integer null references node (id))
		--
		insert into node values (1, null), (2, 1), (3, 2), (4, 4)
		--
		delete from node where id = 1
		-- error CONSTRAINT: FOREIGN KEY constraint failed: DELETE on 'node' violates RESTRICT from 'node'
		delete from node where id = 4
		--
		delete from node
		--
		create table loose (id integer primary key, g integer)
		--
		create table lc (id integer primary key, g integer references loose (g))
		--
		insert into loose values (1, 5), (2, 5)
		--
		insert into lc values (1, 5)
		--
		delete from loose where id = 1
		-- error CONSTRAINT: FOREIGN KEY constraint failed: DELETE on 'loose' violates RESTRICT from 'lc'
		pragma foreign_keys = off
		--
		delete from loose
		--
		pragma foreign_keys = on
		--
		update lc set id = 2
		-- error CONSTRAINT: FOREIGN KEY constraint failed: _fk_lc_g`)
}

func TestFaultyKeys(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table pk2 (a integer, b integer, primary key (a, b))
		--
		create table short (x integer primary key, y integer null references pk2)
		--
		insert into short values (1, null)
		-- error ERROR: Foreign key '_fk_short_y' on table 'main.short'
		delete from pk2
		-- error ERROR: Foreign key '_fk_short_y' on table 'main.short'
		delete from short
		--
		create table lm (id integer primary key, g integer references pk2 (nocol))
		--
		insert into lm values (1, 1)
		-- error ERROR: Referenced column 'nocol' not found in table 'pk2'`)
}

func TestCascades(t *testing.T) {
	eachAccess(t, `
		create table p (id integer primary key)
		--
		create table cas (id integer primary key, p integer references p (id) on delete cascade on update cascade)
		--
		create table nul (id integer primary key, p integer null references p (id) on delete set null on update set null)
		--
		create table def (id integer primary key, p integer default 1 references p (id) on delete set default on update set default)
		--
		create table deep (id integer primary key, c integer references cas (id) on delete cascade)
		--
		insert into p values (1), (2), (3), (4)
		--
		insert into cas values (10, 2), (11, 3), (12, 2)
		--
		insert into nul values (20, 2), (21, 3)
		--
		insert into def values (30, 2), (31, 3)
		--
		insert into deep values (100, 10), (101, 12), (102, 11)
		--
		delete from p where id = 2
		--
		update p set id = 33 where id = 3
		--
		select (select count(*) from deep), c.*, n.*, d.* from cas c, nul n, def d
		-- [1,11,33,20,null,30,1] [1,11,33,20,null,31,1] [1,11,33,21,null,30,1] [1,11,33,21,null,31,1]
		delete from p where id = 1
		-- error CONSTRAINT: FOREIGN KEY constraint failed: _fk_def_p
		create table last (id integer primary key, d integer references deep (id) on delete restrict)
		--
		insert into last values (1, 102)
		--
		delete from p where id = 33
		-- error CONSTRAINT: FOREIGN KEY constraint failed: DELETE on 'deep' violates RESTRICT from 'last'
		delete from last
		--
		delete from p where id = 33
		--
		select (select count(*) from cas) + (select count(*) from deep)
		-- [0]
		create table nn (id integer primary key, p integer references p (id) on delete set null)
		--
		insert into nn values (1, 4)
		--
		delete from p where id = 4
		-- error CONSTRAINT: NOT NULL constraint failed: nn.p`)
}

func TestRings(t *testing.T) {
	eachAccess(t, `
		create table t (id integer primary key, up integer null references t (id) on delete cascade on update cascade)
		--
		insert into t values (1, null), (2, 1), (3, 2), (4, 1), (9, null)
		--
		update t set id = id + 100 where id < 3 returning id, up
		-- [101,null] [102,1]
		select * from t
		-- [3,102] [4,101] [9,null] [101,null] [102,101]
		delete from t where id = 102
		--
		delete from t where id in (101, 4) returning id
		-- [4] [101]
		select * from t
		-- [9,null]
		create table r1 (id integer primary key references r2 (id) on update cascade on delete cascade)
		--
		create table r2 (id integer primary key references r1 (id) on update cascade on delete cascade)
		--
		begin
		--
		insert into r1 values (1), (5)
		--
		insert into r2 values (1), (5)
		--
		commit
		--
		update r1 set id = 2 where id = 1
		--
		delete from r2 where id = 5
		--
		select (select max(id) from r1), (select max(id) from r2)
		-- [2,2]`)
}

// What a conflict action declared on the child leaves alone may not stay behind.
func TestCascadesMeetTheChildsRules(t *testing.T) {
	eachAccess(t, `
		create table p (id integer primary key)
		--
		create table c (id integer primary key, p integer references p (id) on delete cascade on update cascade,
			constraint pinned check on delete (old.id < 100), constraint low check (p < 50) on conflict ignore, constraint lower check (p < 40) on conflict fail)
		--
		insert into p values (1), (2), (3)
		--
		insert into c values (10, 1), (100, 2)
		--
		delete from p where id = 2
		-- error CONSTRAINT: CHECK constraint failed: pinned (old.id < 100)
		update p set id = 60 where id = 1
		-- error CONSTRAINT: FOREIGN KEY constraint failed: UPDATE on 'p' violates RESTRICT from 'c'
		update p set id = case id when 3 then 30 else 45 end where id <> 2
		-- error CONSTRAINT: CHECK constraint failed: lower (p < 40)
		select id from p
		-- [1] [2] [3]
		create table k (id integer primary key, p integer references p (id) on delete cascade, check on delete (context.who = 'me')) with context (who text)
		--
		delete from p where id = 3
		-- error ERROR: table 'main.k' requires mutation context variable 'who'`)
}

// Text keys cascade by value as stored, and are found under their collation; JSON and TIMESPAN by their own order.
func TestKeysOfOtherTypes(t *testing.T) {
	eachAccess(t, `
		create table tp (k text collate nocase primary key)
		--
		create table tc (id integer primary key, k text collate nocase references tp (k) on update cascade)
		--
		insert into tp values ('Ab')
		--
		insert into tc values (1, 'aB')
		--
		update tp set k = 'AB'
		--
		select k from tc
		-- ["AB"]
		create table sp (d timespan primary key)
		--
		create table sc (id integer primary key, d timespan references sp (d) on delete cascade)
		--
		insert into sp values ('PT1H')
		--
		insert into sc values (1, 'PT60M'), (2, 'PT3600S')
		--
		insert into sc values (3, 'PT61M')
		-- error CONSTRAINT: FOREIGN KEY constraint failed: _fk_sc_d
		delete from sp
		--
		select count(*) from sc
		-- [0]
		create table jp (id integer primary key, j json unique)
		--
		create table jc (id integer primary key, j json references jp (j) on update set default)
		--
		insert into jp values (1, '{"a":1,"b":2}')
		--
		insert into jc values (1, '{"b":2,"a":1}')
		--
		update jp set j = '{"b":2, "a":1}'
		--
		delete from jp
		-- error CONSTRAINT: FOREIGN KEY constraint failed: DELETE on 'jp' violates RESTRICT from 'jc'`)
}

// Values in great number are dealt with while the statement is still at work.
func TestManyKeys(t *testing.T) {
	db := newWriteDB(t)
	db.script(`
		create table p (id integer primary key)
		--
		create table c (id integer primary key, p integer references p (id))
		--
		create index c_p on c (p)
		--
		insert into p select value from generate_series(1, 66000)
		--
		insert into c select value, value from generate_series(1, 66000)
		--
		delete from p
		-- error CONSTRAINT: FOREIGN KEY constraint failed: DELETE on 'p' violates RESTRICT from 'c'
		delete from c
		--
		delete from p
		--
		select (select count(*) from p) + (select count(*) from c)
		-- [0]`)
}
