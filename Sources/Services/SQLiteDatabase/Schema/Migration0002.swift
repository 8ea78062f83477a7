/// The schema for WeChat Pay: the data beside an order there, refunds requested by this product, the state of the daily
/// comparison.
enum Migration0002 {
  static let statements = [
    "ALTER TABLE payments ADD COLUMN merchant TEXT",
    "ALTER TABLE payments ADD COLUMN store_app TEXT",
    """
    CREATE INDEX payments_charged ON payments (app, environment, purchase_date) WHERE merchant IS NOT NULL
    """,
    "DROP INDEX orders_to_expire",
    """
    CREATE INDEX orders_to_expire ON orders (expires_at)
      WHERE state = 'awaitingPayment' AND store = 'appStore'
    """,
    """
    CREATE TABLE wechat_pay_orders ( -- beside an order: what was promised to WeChat Pay, and how far it is
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      order_id BLOB NOT NULL CHECK (length(order_id) = 16),
      merchant TEXT NOT NULL,        -- mchid
      store_app TEXT NOT NULL,       -- appid
      trade_type TEXT NOT NULL,
      amount INTEGER NOT NULL CHECK (amount >= 1),
      currency TEXT NOT NULL,
      prepay_body TEXT NOT NULL,     -- sent to the byte whenever the order is opened
      state TEXT NOT NULL
        CHECK (state IN ('preparing', 'unknown', 'prepared', 'closing', 'closed', 'paid')),
      close_reason TEXT,
      handle TEXT,                   -- prepay_id, h5_url or code_url
      handle_at INTEGER,
      transaction_id TEXT,           -- of the payment that names it
      next_question_at INTEGER,
      questions INTEGER NOT NULL,
      PRIMARY KEY (app, environment, order_id),
      FOREIGN KEY (app, environment, order_id) REFERENCES orders (app, environment, order_id),
      CHECK ((state = 'closing') = (close_reason IS NOT NULL)),
      CHECK ((handle IS NULL) = (handle_at IS NULL))
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE INDEX wechat_pay_orders_to_ask ON wechat_pay_orders (next_question_at)
      WHERE next_question_at IS NOT NULL
    """,
    """
    CREATE TABLE refunds (
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      number TEXT NOT NULL,          -- out_refund_no
      order_id BLOB,
      payment INTEGER NOT NULL REFERENCES payments (id),
      amount INTEGER NOT NULL CHECK (amount >= 1),
      total INTEGER NOT NULL,
      currency TEXT NOT NULL,
      reason TEXT,
      body TEXT,                     -- sent to the byte whenever it is asked for; of a refund made elsewhere null
      created_at INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('asked', 'underWay', 'done', 'failed', 'stuck')),
      done_at INTEGER,
      failure TEXT,
      store_number TEXT,
      signed_date INTEGER,
      next_question_at INTEGER,
      questions INTEGER NOT NULL,
      PRIMARY KEY (app, environment, number),
      CHECK ((state = 'done') = (done_at IS NOT NULL)),
      CHECK ((state = 'failed') = (failure IS NOT NULL))
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX refunds_of_payment ON refunds (payment, created_at, number)",
    "CREATE INDEX refunds_made ON refunds (app, environment, created_at, number)",
    "CREATE INDEX refunds_to_ask ON refunds (next_question_at) WHERE next_question_at IS NOT NULL",
    """
    CREATE TABLE reconciliations (   -- the comparison with a store's bill of a day
      app TEXT NOT NULL,
      environment TEXT NOT NULL,
      store TEXT NOT NULL,
      day TEXT NOT NULL,
      tried_at INTEGER NOT NULL,
      done_at INTEGER,
      report TEXT,
      PRIMARY KEY (app, environment, store, day)
    ) STRICT, WITHOUT ROWID
    """,
  ]
}
