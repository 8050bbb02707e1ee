-- Everything that a database of format 1 can hold, a little of each. One statement after the other, each in a transaction of its own.

create table kinds (
  id integer primary key, i integer null, r real null, n numeric null, t text null, b blob null, f boolean null,
  d date null, tm time null, dt datetime null, ts timestamp null, sp timespan null, j json null, a any null
) with tags (caption = 'one column of every type', rank = 1.5, shown = true, nothing = null);
insert into kinds values (1, 7, 0.5, 3, 'plain', x'00ff', true, '2024-02-29', '23:59:59.5', '2024-02-29T12:30:00', 1709210000, 'P1DT2H', '{"b":[1,2.5,"x",null,true],"a":{}}', 12);
insert into kinds values (2, -1, -1e300, 2.25, 'ÀÉ ß 水 🎈', x'', false, '0001-01-01', '00:00:00', '9999-12-31T23:59:59.999999999', -5, '-PT0.000000001S', '"text"', 'any text');
insert into kinds values (3, 123456789012345678901234567890, 9e999, -99999999999999999999, '', x'6100', null, null, null, null, 36893488147419103232, 'P2Y', '12345678901234567890', x'01');
insert into kinds values (4, -18446744073709551616, -9e999, 0, 'a text of more than sixty-three bytes, which has its length behind the tag', null, null, null, null, null, null, null, 'null', json('[{}]'));
insert into kinds (id) values (5);
insert into kinds (id, i, a, j) values (6, 63, true, '[]'), (7, 64, -0.0, 'true'), (8, -64, 1.5, '0'), (9, 9223372036854775807, 0, '{"":{"":""}}'), (10, -9223372036854775808, 9223372036854775808, '1.5e10');

create table by_nocase (name text collate nocase primary key, n integer) ;
insert into by_nocase values ('Ärger', 1), ('apple', 2), ('BANANA', 3), ('cherry', 4);
create table by_rtrim (name text collate rtrim, n integer, primary key (name desc, n));
insert into by_rtrim values ('x  ', 1), ('x', 2), ('y ', 1), ('', 0);
create table by_many (a any null, s timespan, j json, r real, primary key (a desc, s, j desc, r));
insert into by_many values (null, 'PT1H', '{}', 0), (1, 'PT60M', '[1,{"k":null}]', -1.5), (1, 'PT1H', '[1,{"k":false}]', 1e300), ('text', 'P1M', '"s"', 0.1), (x'00', 'P31D', 'false', -1e19), (json('{"b":1,"a":2}'), '-P1W', '{"z":1}', 2);
create table lone (x integer null, primary key ());
insert into lone values (42);

create table shape (id integer primary key, gone text, kept text, moved integer) ;
insert into shape values (1, 'old 1', 'first', 10), (2, 'old 2', 'first', 20);
alter table shape add column added text default 'filled';
insert into shape values (3, 'old 3', 'second', 30, 'written');
alter table shape drop column gone;
alter table shape rename column moved to renamed;
alter table shape add column big integer default 123456789012345678901;
alter table shape add column empty json null;
insert into shape values (4, 'third', 40, 'written', 1, '{"now":1}');
alter table shape drop column added;
alter table shape alter column kept drop not null;
insert into shape values (5, null, 50, 2, null);

create table parent (id integer primary key, code text, unique (code) on conflict replace);
create table child (
  id integer primary key, parent text null, sort integer, n integer null, word text collate nocase, doc json null, at timespan null,
  twice integer generated always as (sort * 2) stored, half real generated always as (sort / 2.0) virtual,
  constraint fk_parent foreign key (parent) references parent(code) on delete cascade on update set null with tags (rel = 'parent'),
  constraint ck_sort check on insert (sort >= 0) with tags (why = 'positions'),
  constraint uq_word unique (word, n) with tags (msg = 'taken')
) with context (actor text null);
create index ix_sort on child (sort desc, word);
create index ix_part on child (n) where n > 10;
create unique index ux_part on child (word) where n is null;
create index ix_expr on child (sort + n, lower(word) desc) with tags (why = 'search');
create index ix_rtrim on child (word collate rtrim, at, doc desc);
insert into parent values (1, 'p1'), (2, 'p2');
insert into child (id, parent, sort, n, word, doc, at) values
  (1, 'p1', 1, 5, 'One', '{"a":1}', 'PT1H'), (2, 'p2', 2, 15, 'two', '[1]', 'PT60M'), (3, null, 3, null, 'Three', null, null), (4, 'p1', 0, 25, 'four ', '"x"', 'P1D');
update child set n = 16, sort = 7 where id = 2;
delete from child where id = 4;
insert into child (id, parent, sort, n, word) values (5, 'p2', 5, null, 'FIVE');

create table again (id integer primary key, w text, unique (w));
insert into again values (1, '30'), (2, '4');
alter table again alter column w set data type integer;
alter table again alter primary key (w desc);

create view kept (number, word) as select id, word from child where n is not null with tags (warm = true);
create assertion parents check (not exists (select 1 from child where parent is not null and parent not in (select code from parent)));
create table dropped (id integer primary key);
insert into dropped values (1);
drop table dropped;
create table "Odd ""Name""" ("Column One" integer primary key, "select" text null);
insert into "Odd ""Name""" values (1, 'quoted');
