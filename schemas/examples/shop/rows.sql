-- Rows for version 1.
begin;
insert into country values ('se', 'Sweden'), ('de', 'Germany'), ('jp', 'Japan');
insert into customer values
  (1, 'ada@example.org', 'Ada', 'SE', '2024-01-15'),
  (2, 'bo@example.org', 'Bo', 'de', '2024-03-02'),
  (3, 'chie@example.org', 'Chie', 'jp', '2025-11-30');
insert into address values
  (1, 1, 'Storgatan 1', 'Lund', '222 22', 'se'),
  (2, 2, 'Hauptstr. 5', 'Köln', null, 'de'),
  (3, 3, '4-2-8 Shibakoen', 'Tokyo', '105-0011', 'jp');
insert into supplier values (1, 'North Mill', '+46 1'), (2, 'Glass & Co', null);
insert into category values (1, 'kitchen', null), (2, 'glasses', 1), (3, 'books', null);
insert into product values
  (1, 'BOWL-1', 'Bowl', '12.50', 1, 1),
  (2, 'GLASS-6', 'Six glasses', '30', 2, 2),
  (3, 'BOOK-9', 'Cooking for two', '24.90', 3, null);
insert into warehouse values (1, 'north', 'Malmö'), (2, 'south', 'Bonn');
insert into stock values (1, 1, 40), (1, 2, 8), (2, 1, 5), (2, 3, 100);
insert into orders values
  (1, 1, 1, '2025-02-01T10:00:00Z', 'paid'),
  (2, 2, 2, '2025-02-03T09:30:00+01:00', 'new'),
  (3, 1, null, '2025-06-11T20:15:00Z', 'done');
insert into order_line values (1, 1, 1, 2, 1250), (1, 2, 3, 1, 2490), (2, 1, 2, 1, 3000), (3, 1, 1, 1, 1250);
insert into payment values (1, 1, 4990, '2025-02-01T10:05:00Z', 'card'), (2, 3, 1250, '2025-06-11T20:16:00Z', 'cash');
insert into review values (1, 1, 5, 'A good bowl'), (3, 2, 4, null), (1, 2, 3, 'Heavy');
commit;
