/// The header of signed texts is kept once (record 0174).
///
/// Apple's header contains the certificates: it is most of a signed transaction, and the same in all of a leaf
/// certificate. New evidence names its header from now on. `EvidenceHeaderMigration` splits the older rows beside the
/// traffic; until then they contain the whole text.
enum Migration0015 {
  static let statements = [
    """
    CREATE TABLE evidence_headers (  -- first parts of signed texts, each once; nothing changes or removes them
      id INTEGER PRIMARY KEY,
      digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), -- SHA-256 of the text
      text TEXT NOT NULL
    ) STRICT
    """,
    // Without a header, the column text is the whole text. With one, it is the rest; the digest is that of the whole.
    "ALTER TABLE evidence ADD COLUMN header INTEGER REFERENCES evidence_headers (id)",
    "ALTER TABLE evidence ADD COLUMN digest BLOB CHECK ((digest IS NULL) = (header IS NULL))",
    """
    INSERT INTO settings (name, value)
    SELECT 'evidence.wholeUpTo', CAST(last AS TEXT) FROM (SELECT max(id) AS last FROM evidence) WHERE last IS NOT NULL
    """,
  ]
}
