declare schema main version '1.0' {
  table kinds {
    id integer primary key, i integer null, r real null, n numeric null, t text null, b blob null, f boolean null,
    d date null, tm time null, dt datetime null, ts timestamp null, sp timespan null, j json null, a any null
  } with tags (caption = 'one column of every type', rank = 1.5, shown = true, nothing = null);
  table by_nocase { name text primary key collate nocase, n integer };
  table by_rtrim { name text collate rtrim, n integer, primary key (name desc, n) };
  table by_many { a any null, s timespan, j json, r real, primary key (a desc, s, j desc, r) };
  table lone { x integer null, primary key () };
  table shape {
    id integer primary key, kept text null, renamed integer, big integer default 123456789012345678901, empty json null,
    late boolean default true
  };
  table parent { id integer primary key, code text, unique (code) on conflict replace };
  table child {
    id integer primary key, parent text null, sort integer, n integer null, word text collate nocase, doc json null,
    at timespan null, twice integer generated always as (sort * 2) stored, half real generated always as (sort / 2.0),
    constraint ck_sort check on insert (sort >= 0) with tags (why = 'positions'),
    constraint uq_word unique (word, n) with tags (msg = 'taken'),
    constraint fk_parent foreign key (parent) references parent(code) on delete cascade on update set null with tags (rel = 'parent')
  } with context (actor text null);
  index ix_sort on child (sort desc, word);
  index ix_part on child (n) where n > 10;
  unique index ux_part on child (word) where n is null;
  index ix_expr on child (sort + n, lower(word) desc) with tags (why = 'search');
  index ix_rtrim on child (word collate rtrim, at, doc desc);
  index ix_half on child (half, at desc);
  table again { id integer, w integer primary key desc, unique (w) };
  table "Odd ""Name""" { "Column One" integer primary key, "select" text null };
  table late { id integer primary key, child integer null, foreign key (child) references child(id) deferrable initially deferred };
  view kept (number, word) as select id, word from child where n is not null with tags (warm = true);
  assertion parents check (not exists (select 1 from child where parent is not null and parent not in (select code from parent)));
}
