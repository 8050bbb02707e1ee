-- Run behind the migrations, after the database was closed and opened again.

insert into late values (1, 1), (2, null);
insert into shape values (6, 'last', 60, 3, null, false);
update child set at = 'PT2H', sort = 9 where id = 1;
insert into side.notes values (1, 'beside');

-- Tables in memory leave nothing on disk.
create table aside (x integer primary key) using memory;
insert into aside values (1);
