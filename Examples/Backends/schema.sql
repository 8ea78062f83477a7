-- The book of every backend in this folder. They run it at each start. SQLite; for PostgreSQL say BIGINT for INTEGER.

-- Your own numbers of orders. The phone's key makes a repeat the same order.
CREATE TABLE IF NOT EXISTS order_number (
  user_id TEXT NOT NULL,
  phone_key TEXT NOT NULL,
  number TEXT NOT NULL UNIQUE,
  payer_address TEXT NOT NULL,
  PRIMARY KEY (user_id, phone_key)
);

-- Every delivery that was acknowledged, as it came. The primary key is what makes "at least once" exactly once.
CREATE TABLE IF NOT EXISTS delivery (
  id TEXT NOT NULL PRIMARY KEY,
  body TEXT NOT NULL
);

-- What each payment gives now: the totals of its highest sequence.
CREATE TABLE IF NOT EXISTS holding (
  store TEXT NOT NULL,
  transaction_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  gives TEXT NOT NULL,          -- the unit, or the entitlement
  sequence INTEGER NOT NULL,
  in_force INTEGER NOT NULL,    -- units; of an entitlement 1 or 0
  expires_at TEXT,
  PRIMARY KEY (store, transaction_id, user_id)
);

-- What a user has. Your own spending takes from the same row.
CREATE TABLE IF NOT EXISTS wallet (
  user_id TEXT NOT NULL,
  unit TEXT NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (user_id, unit)
);
