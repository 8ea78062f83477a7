/// A part of the first step of the schema.
enum GrantTables {
  /// Tables, those first to which others refer.
  static let all = [
    """
    CREATE TABLE postings (          -- movements of units from one account to another; nothing changes or removes them
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      unit TEXT COLLATE "C" NOT NULL,
      debit_user TEXT COLLATE "C",
      debit_account TEXT COLLATE "C",  -- issued:appStore, issued:weChatPay, spent, writtenOff
      credit_user TEXT COLLATE "C",
      credit_account TEXT COLLATE "C",
      amount BIGINT NOT NULL CHECK (amount >= 1),
      payment BIGINT REFERENCES payments (id),
      cause TEXT COLLATE "C" NOT NULL,
      booking BIGINT REFERENCES bookings (id),
      at BIGINT NOT NULL,
      UNIQUE (payment, cause),
      CHECK ((debit_user IS NULL) <> (debit_account IS NULL)),
      CHECK ((credit_user IS NULL) <> (credit_account IS NULL)),
      CHECK ((payment IS NULL) <> (booking IS NULL))
    )
    """,
    """
    CREATE TABLE grants (            -- what a payment gave, once
      payment BIGINT PRIMARY KEY REFERENCES payments (id),
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      gives TEXT COLLATE "C" NOT NULL CHECK (gives IN ('units', 'entitlement')),
      gives_name TEXT COLLATE "C" NOT NULL,
      amount BIGINT,  -- of units
      starts_at BIGINT,  -- of a right; without an end it lasts
      ends_at BIGINT,
      granted_at BIGINT NOT NULL,
      taken_back BIGINT NOT NULL,  -- units, or 1 for a right
      debt TEXT COLLATE "C",
      product TEXT COLLATE "C" NOT NULL,  -- what was promised, to the end: our own id of the product,
      product_is_stores BIGINT NOT NULL,  -- or the App Store's, where nothing says ours
      product_kind TEXT COLLATE "C" NOT NULL,
      piece_gives TEXT COLLATE "C" CHECK (piece_gives IN ('units', 'entitlement')),  -- null where nothing says it
      piece_name TEXT COLLATE "C",
      piece_amount BIGINT,  -- units, or the milliseconds that a bought period lasts
      CHECK ((gives = 'units') = (amount IS NOT NULL)),
      CHECK ((gives = 'entitlement') = (starts_at IS NOT NULL)),
      CHECK (coalesce(amount, 1) >= 1),
      CHECK (taken_back BETWEEN 0 AND coalesce(amount, 1)),
      CHECK ((piece_gives IS NULL) = (piece_name IS NULL)),
      CHECK (piece_gives IS DISTINCT FROM 'units' OR piece_amount IS NOT NULL)
    )
    """,
    """
    CREATE TABLE consumption_consents ( -- whether Apple may be told how far a user's purchases are used
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      is_given BIGINT NOT NULL,
      at BIGINT NOT NULL,
      PRIMARY KEY (app, environment, user_id)
    )
    """,
    """
    CREATE TABLE shared_rights (     -- rights that a restore lets another user share
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      original BIGINT NOT NULL REFERENCES payment_keys (id),
      since BIGINT NOT NULL,
      PRIMARY KEY (app, environment, user_id, original)
    )
    """,
    """
    CREATE TABLE promised_products ( -- each product of which something was ever granted
      app TEXT COLLATE "C" NOT NULL,
      product TEXT COLLATE "C" NOT NULL,
      is_stores BIGINT NOT NULL,
      kind TEXT COLLATE "C" NOT NULL,
      PRIMARY KEY (app, product, is_stores, kind)
    )
    """,
    """
    CREATE TABLE stopped_changes (   -- changes of money that something stopped, until they take effect
      payment BIGINT NOT NULL REFERENCES payment_keys (id),
      statement TEXT COLLATE "C" NOT NULL,  -- SHA-256 of the content, hexadecimal
      app TEXT COLLATE "C" NOT NULL,  -- app and environment of the key, for the index
      environment TEXT COLLATE "C" NOT NULL,
      kind TEXT COLLATE "C" NOT NULL,
      invariant BIGINT,
      found TEXT COLLATE "C" NOT NULL,
      orders TEXT COLLATE "C",  -- one a line, in hexadecimal digits
      content TEXT COLLATE "C" NOT NULL,  -- what the store said (JSON)
      presentations TEXT COLLATE "C",  -- one a line: who presented it, and with what (JSON)
      evidence TEXT COLLATE "C" NOT NULL,
      origin TEXT COLLATE "C" NOT NULL,
      attempts BIGINT NOT NULL,
      next_attempt_at BIGINT NOT NULL,
      first_seen_at BIGINT NOT NULL,
      last_seen_at BIGINT NOT NULL,
      PRIMARY KEY (payment, statement)
    )
    """,
    """
    CREATE TABLE kept_claims (       -- users' claims to payments that cannot be granted yet
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,  -- in the order of their arrival
      payment BIGINT NOT NULL REFERENCES payment_keys (id),
      claim TEXT COLLATE "C" NOT NULL,  -- JSON: the user, the orders on the device, what proves the device
      kept_at BIGINT NOT NULL
    )
    """,
    """
    CREATE TABLE evidence_headers (  -- first parts of signed texts, each once; nothing changes or removes them
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      digest BYTEA NOT NULL UNIQUE CHECK (length(digest) = 32),  -- SHA-256 of the text
      text TEXT COLLATE "C" NOT NULL
    )
    """,
    """
    CREATE TABLE evidence (          -- as received, in order of receipt; nothing changes or removes it
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      payment BIGINT NOT NULL,  -- of payment_keys
      text TEXT COLLATE "C" NOT NULL,
      origin TEXT COLLATE "C" NOT NULL,
      received_at BIGINT NOT NULL,
      header BIGINT,  -- of evidence_headers
      digest BYTEA CHECK ((digest IS NULL) = (header IS NULL))
    )
    """,
    """
    CREATE TABLE delivery_attempts ( -- the failed ones; the newest 100 of a delivery
      delivery BIGINT NOT NULL REFERENCES deliveries (id),
      number BIGINT NOT NULL CHECK (number >= 1),
      at BIGINT NOT NULL,
      endpoint TEXT COLLATE "C" NOT NULL,
      status BIGINT,
      milliseconds BIGINT NOT NULL,
      problem TEXT COLLATE "C",
      answer BYTEA,  -- its first 256 bytes
      PRIMARY KEY (delivery, number)
    )
    """,
    """
    CREATE TABLE store_order_numbers ( -- of Apple's receipts, as Apple explained them
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      number TEXT COLLATE "C" NOT NULL,
      payment BIGINT NOT NULL REFERENCES payment_keys (id),
      learned_at BIGINT NOT NULL,
      PRIMARY KEY (app, environment, number, payment)
    )
    """,
    """
    CREATE TABLE phone_reports (
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      report UUID NOT NULL,
      received_at BIGINT NOT NULL,
      PRIMARY KEY (app, environment, report)
    )
    """,
    """
    CREATE TABLE phone_counts (
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      day TEXT COLLATE "C" NOT NULL,
      kind TEXT COLLATE "C" NOT NULL,
      count BIGINT NOT NULL CHECK (count > 0),
      PRIMARY KEY (app, environment, day, kind)
    )
    """,
  ]
}
