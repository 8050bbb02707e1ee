PRAGMA journal_mode = WAL;
PRAGMA user_version(7);

CREATE TABLE user (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL COLLATE NOCASE UNIQUE,
  email TEXT NULL CHECK (email IS NULL OR email LIKE '%@%'),
  active BOOL NOT NULL DEFAULT 1
) STRICT;

CREATE TABLE ticket (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
  owner INTEGER NULL REFERENCES user (id) ON DELETE SET NULL,
  "order" INTEGER NOT NULL DEFAULT (-1),
  opened TEXT NOT NULL DEFAULT (datetime('now')),
  closed TEXT NULL,
  CHECK ((state = 'closed') = (closed NOT NULL))
) STRICT;

CREATE TABLE comment (
  ticket INTEGER NOT NULL,
  number INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (ticket, number)
  FOREIGN KEY (ticket) REFERENCES ticket (id)
) WITHOUT ROWID;

CREATE INDEX ticket_open ON ticket (owner, "order") WHERE state = 'open';

CREATE VIEW open_tickets (id, title, login) AS
SELECT t.id, t.title, u.login FROM ticket AS t LEFT JOIN user AS u ON u.id = t.owner WHERE t.closed ISNULL;
