/* A music store as a script for the sqlite3 shell keeps it. */
PRAGMA foreign_keys = OFF;
DROP TABLE IF EXISTS [Artist];
DROP TABLE IF EXISTS [Album];
DROP INDEX IF EXISTS [IFK_AlbumArtistId];

CREATE TABLE [Artist]
(
    [ArtistId] INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    [Name] NVARCHAR(120)
);

CREATE TABLE [Album]
(
    [AlbumId] INTEGER  NOT NULL,
    [Title] NVARCHAR(160)  NOT NULL,
    [ArtistId] INTEGER  NOT NULL,
    CONSTRAINT [PK_Album] PRIMARY KEY  ([AlbumId]),
    FOREIGN KEY ([ArtistId]) REFERENCES [Artist] ([ArtistId])
		ON DELETE NO ACTION ON UPDATE NO ACTION
);

CREATE TABLE [Genre] ([GenreId] INTEGER NOT NULL CONSTRAINT [PK_Genre] PRIMARY KEY, [Name] NVARCHAR(120) UNIQUE COLLATE NOCASE);

CREATE TABLE [MediaType]
(
    [MediaTypeId] INTEGER PRIMARY KEY NOT NULL,
    [Name] NVARCHAR(120) DEFAULT 'file' COLLATE NOCASE
) WITHOUT ROWID, STRICT;

CREATE TABLE [Track]
(
    [TrackId] INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    [Name] NVARCHAR(200)  NOT NULL,
    [AlbumId] INTEGER,
    [MediaTypeId] INTEGER  NOT NULL,
    [GenreId] INTEGER,
    [Composer] NVARCHAR(220),
    [Milliseconds] INTEGER  NOT NULL CHECK ([Milliseconds] >= 0),
    [Bytes] INTEGER,
    [UnitPrice] NUMERIC(10,2)  NOT NULL DEFAULT 0.99,
    FOREIGN KEY ([AlbumId]) REFERENCES [Album] ([AlbumId]) ON DELETE NO ACTION ON UPDATE NO ACTION,
    FOREIGN KEY ([GenreId]) REFERENCES [Genre] ([GenreId]) MATCH SIMPLE,
    FOREIGN KEY ([MediaTypeId]) REFERENCES [MediaType] ([MediaTypeId]) MATCH FULL
);

CREATE TABLE [PlaylistTrack]
(
    [PlaylistId] INTEGER  NOT NULL,
    [TrackId] INTEGER  NOT NULL REFERENCES [Track] ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT [PK_PlaylistTrack] PRIMARY KEY  ([PlaylistId], [TrackId])
);

CREATE UNIQUE INDEX [IPK_Track] ON [Track]([TrackId]);
CREATE INDEX [IFK_AlbumArtistId] ON [Album] ([ArtistId]);
CREATE INDEX [IX_TrackName] ON [Track] ([Name] COLLATE NOCASE ASC, [Composer] DESC) WHERE [Composer] NOT NULL;

CREATE VIEW [LongTracks] AS
SELECT t.[Name] AS [Track], a.[Title] AS [Album], t.[Milliseconds] / 60000.0 AS [Minutes]
FROM [Track] t LEFT OUTER JOIN [Album] a ON a.[AlbumId] = t.[AlbumId]
WHERE t.[Milliseconds] > 600000 AND t.[Composer] NOTNULL;

INSERT INTO [Genre] ([GenreId], [Name]) VALUES (1, 'Rock');
INSERT INTO [Genre] ([GenreId], [Name]) VALUES (2, 'Jazz'), (3, 'Metal');
INSERT INTO [MediaType] VALUES (1, 'MPEG audio file');
