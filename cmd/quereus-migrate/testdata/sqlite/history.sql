CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
CREATE TABLE urls(id INTEGER PRIMARY KEY AUTOINCREMENT,url LONGVARCHAR,title LONGVARCHAR,visit_count INTEGER DEFAULT 0 NOT NULL,typed_count INTEGER DEFAULT 0 NOT NULL,last_visit_time INTEGER NOT NULL,hidden INTEGER DEFAULT 0 NOT NULL);
CREATE TABLE sqlite_sequence(name,seq);
CREATE TABLE visits(id INTEGER PRIMARY KEY AUTOINCREMENT,url INTEGER NOT NULL,visit_time INTEGER NOT NULL,from_visit INTEGER,transition INTEGER DEFAULT 0 NOT NULL,segment_id INTEGER,is_known BOOLEAN DEFAULT FALSE NOT NULL);
CREATE TABLE keyword_search_terms (keyword_id INTEGER NOT NULL,url_id INTEGER NOT NULL,term LONGVARCHAR NOT NULL,normalized_term LONGVARCHAR NOT NULL);
CREATE TABLE segments (id INTEGER PRIMARY KEY,name VARCHAR,url_id INTEGER NON NULL);
CREATE TABLE downloads (id INTEGER PRIMARY KEY, guid VARCHAR NOT NULL, start INTEGER NOT NULL, "end" INTEGER, offset INTEGER, row INTEGER, hash BLOB NOT NULL);
CREATE INDEX visits_url_index ON visits (url);
CREATE INDEX urls_url_index ON urls (url);
CREATE INDEX downloads_range ON downloads (offset, row);
CREATE VIRTUAL TABLE pages USING fts5(title, body, content='urls', tokenize = "unicode61 remove_diacritics 2");
CREATE TRIGGER urls_gone AFTER DELETE ON urls WHEN old.hidden = 0 BEGIN
  DELETE FROM visits WHERE url = old.id;
  UPDATE segments SET url_id = CASE WHEN url_id = old.id THEN 0 ELSE url_id END;
END;
CREATE VIEW recent AS SELECT u.url, v.visit_time FROM visits v, urls u WHERE v.url = u.id AND u.title NOTNULL ORDER BY v.visit_time DESC LIMIT 100;
