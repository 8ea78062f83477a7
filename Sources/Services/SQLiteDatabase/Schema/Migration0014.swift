/// Claims that wait with a payment (record 0165). Earlier versions read them back from the journal.
///
/// `CROSS JOIN` fixes the order: only the journal of payments that were never granted is read.
enum Migration0014 {
  static let statements = [
    """
    CREATE TABLE kept_claims (       -- users' claims to payments that cannot be granted yet
      id INTEGER PRIMARY KEY,        -- in the order of their arrival
      payment INTEGER NOT NULL REFERENCES payment_keys (id),
      claim TEXT NOT NULL,           -- JSON: the user, the orders on the device, what proves the device
      kept_at INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX kept_claims_of_payment ON kept_claims (payment)",
    """
    INSERT INTO kept_claims (payment, claim, kept_at)
    SELECT j.payment, json_extract(j.details, '$.claim'), min(j.at)
    FROM payments AS p CROSS JOIN journal AS j INDEXED BY journal_of_payment ON j.payment = p.id
    WHERE p.state NOT IN ('fulfilled', 'reversed', 'reinstated') AND j.details LIKE '%"claim":%'
      AND json_valid(j.details) AND json_type(j.details, '$.claim') = 'object'
    GROUP BY j.payment, json_extract(j.details, '$.claim') ORDER BY min(j.id)
    """,
  ]
}
