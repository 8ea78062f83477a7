/// Each grant stores its promise: the product id, its kind and the content of one piece (record 0120).
///
/// The promise of an earlier grant is derived from stored data, never from a catalog. It comes from the order's copy of
/// the product if that matches the signed product, otherwise from the grant's own content. An entitlement without an
/// end, or with the end that the store signs, has no length of its own. If the quantity does not divide the content,
/// the content of a piece is unknown: it stays null, and the grant is in the operator's queue.
enum Migration0008 {
  static let statements =
    [
      "DROP INDEX grants_of_rights",
      "DROP INDEX grants_of_user",
      // SQLite cannot change a constraint of a table: the table is created again.
      "ALTER TABLE grants RENAME TO former_grants",
      """
      CREATE TABLE grants (            -- what a payment gave, once
        payment INTEGER PRIMARY KEY REFERENCES payments (id),
        app TEXT NOT NULL,
        environment TEXT NOT NULL,
        user_id TEXT NOT NULL,
        gives TEXT NOT NULL CHECK (gives IN ('units', 'entitlement')),
        gives_name TEXT NOT NULL,
        amount INTEGER,                -- of units
        starts_at INTEGER,             -- of a right; without an end it lasts
        ends_at INTEGER,
        granted_at INTEGER NOT NULL,
        taken_back INTEGER NOT NULL,   -- units, or 1 for a right
        debt TEXT,
        product TEXT NOT NULL,         -- what was promised, to the end: our own id of the product,
        product_is_stores INTEGER NOT NULL, -- or the App Store's, where nothing says ours
        product_kind TEXT NOT NULL,
        piece_gives TEXT CHECK (piece_gives IN ('units', 'entitlement')), -- null where nothing says it
        piece_name TEXT,
        piece_amount INTEGER,          -- units, or the milliseconds that a bought period lasts
        CHECK ((gives = 'units') = (amount IS NOT NULL)),
        CHECK ((gives = 'entitlement') = (starts_at IS NOT NULL)),
        CHECK (ifnull(amount, 1) >= 1),
        CHECK (taken_back BETWEEN 0 AND ifnull(amount, 1)),
        CHECK ((piece_gives IS NULL) = (piece_name IS NULL)),
        CHECK (piece_gives IS NOT 'units' OR piece_amount IS NOT NULL)
      ) STRICT
      """,
      copy,
      "DROP TABLE former_grants",
      """
      CREATE INDEX grants_of_rights ON grants (app, environment, user_id, granted_at)
        WHERE gives = 'entitlement'
      """,
      "CREATE INDEX grants_of_user ON grants (app, environment, user_id, taken_back, amount)",
      "CREATE INDEX grants_of_unknown_promise ON grants (app, environment) WHERE piece_gives IS NULL",
      """
      CREATE TABLE promised_products ( -- each product of which something was ever granted
        app TEXT NOT NULL,
        product TEXT NOT NULL,
        is_stores INTEGER NOT NULL,
        kind TEXT NOT NULL,
        PRIMARY KEY (app, product, is_stores, kind)
      ) STRICT, WITHOUT ROWID
      """,
      """
      INSERT INTO promised_products (app, product, is_stores, kind)
      SELECT DISTINCT app, product, product_is_stores, product_kind FROM grants
      """,
    ]

  /// Whether the order's copy of the product is the signed product. The App Store signs one of the store ids; a WeChat
  /// Pay payment has the Counterfoil product id. The list of ids stores texts with `\` and the line end escaped
  /// (`TextList`).
  private static let isMeant = """
    CASE k.store WHEN 'weChatPay' THEN o.product = p.store_product
    ELSE instr(
      char(10) || o.app_store_products || char(10),
      char(10) || replace(replace(p.store_product, '\\', '\\\\'), char(10), '\\n') || char(10)) > 0 END
    """

  /// The product id from the first delivery that contains one.
  private static let toldProduct = """
    SELECT json_extract(d.body, '$.productId') FROM deliveries AS d
    WHERE d.payment = g.payment AND json_valid(d.body) AND json_type(d.body, '$.productId') = 'text'
    ORDER BY d.sequence LIMIT 1
    """

  private static let copy = """
    INSERT INTO grants (
      payment, app, environment, user_id, gives, gives_name, amount, starts_at, ends_at, granted_at, taken_back, debt,
      product, product_is_stores, product_kind, piece_gives, piece_name, piece_amount)
    WITH known AS MATERIALIZED (
      SELECT g.*, p.kind AS signed_kind, p.quantity, p.store_product, k.store, coalesce(\(isMeant), 0) AS is_meant,
        o.product_kind, o.gives AS order_gives, o.gives_name AS order_name, o.gives_amount AS order_amount,
        coalesce(o.product, (\(toldProduct))) AS product,
        CASE WHEN g.gives = 'units' THEN g.amount
          WHEN g.ends_at IS NOT NULL AND p.kind <> 'autoRenewable' THEN g.ends_at - g.starts_at END AS whole
      FROM former_grants AS g
      JOIN payments AS p ON p.id = g.payment
      JOIN payment_keys AS k ON k.id = g.payment
      LEFT JOIN orders AS o ON o.app = p.app AND o.environment = p.environment AND o.order_id = p.order_id),
    named AS MATERIALIZED (
      SELECT app, store, store_product, product, max(payment) FROM known WHERE product IS NOT NULL
      GROUP BY app, store, store_product),
    told AS (
      SELECT known.*, CASE
          WHEN whole IS NULL THEN 1
          WHEN quantity < 1 OR whole < 1 THEN 0
          ELSE whole % quantity = 0 END AS divides
      FROM known)
    SELECT payment, t.app, environment, user_id, gives, gives_name, amount, starts_at, ends_at, granted_at, taken_back,
      debt, coalesce(t.product, named.product, t.store_product), coalesce(t.product, named.product) IS NULL,
      CASE WHEN is_meant THEN product_kind ELSE signed_kind END,
      CASE WHEN is_meant THEN order_gives WHEN divides THEN gives END,
      CASE WHEN is_meant THEN order_name WHEN divides THEN gives_name END,
      CASE WHEN is_meant THEN order_amount WHEN divides THEN whole / quantity END
    FROM told AS t
    LEFT JOIN named ON named.app = t.app AND named.store = t.store AND named.store_product = t.store_product
    ORDER BY payment
    """
}
