-- Contacts of a telephone, as its application creates them.
CREATE TABLE IF NOT EXISTS contact (_id INTEGER PRIMARY KEY AUTOINCREMENT, display_name TEXT COLLATE NOCASE, photo BLOB, starred INTEGER NOT NULL DEFAULT 0 CHECK (starred IN (0, 1)), desc TEXT, left INT, right INT);
CREATE TABLE IF NOT EXISTS phone (_id INTEGER PRIMARY KEY, contact_id INTEGER NOT NULL, number TEXT NOT NULL, normalized TEXT AS (replace(number, ' ', '')) STORED, kind TEXT DEFAULT "mobile", FOREIGN KEY (contact_id) REFERENCES contact (_id) ON DELETE CASCADE);
CREATE TABLE IF NOT EXISTS label (name TEXT PRIMARY KEY ON CONFLICT REPLACE, color INTEGER DEFAULT (0xff0000));
CREATE TEMP TABLE scratch (a);
CREATE INDEX IF NOT EXISTS contact_name ON contact (display_name COLLATE LOCALIZED);
CREATE UNIQUE INDEX IF NOT EXISTS phone_number ON phone (contact_id, lower(number));
CREATE VIEW phones AS SELECT c.display_name, p.number FROM contact c JOIN phone p ON p.contact_id = c._id WHERE c.desc IS NOT NULL AND c.left NOT NULL;
UPDATE contact SET starred = 0;
