/// A part of the first step of the schema.
enum MessageTables {
  /// Tables, those first to which others refer.
  static let all = [
    """
    CREATE TABLE balances (          -- the sums of the postings, a row for each user and unit; stores have none
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      unit TEXT COLLATE "C" NOT NULL,
      amount BIGINT NOT NULL,
      frozen_since BIGINT,
      PRIMARY KEY (app, environment, user_id, unit)
    )
    """,
    """
    CREATE TABLE notifications (     -- as received, each once
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      notification_id TEXT COLLATE "C" NOT NULL,
      type TEXT COLLATE "C" NOT NULL,
      subtype TEXT COLLATE "C",
      signed_date BIGINT NOT NULL,
      transaction_id TEXT COLLATE "C",
      signed_payload TEXT COLLATE "C" NOT NULL,
      received_at BIGINT NOT NULL,
      effect TEXT COLLATE "C" NOT NULL,
      UNIQUE (app, environment, notification_id)
    )
    """,
    """
    CREATE TABLE deliveries (        -- what the app's backend is told
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      delivery_id TEXT COLLATE "C" NOT NULL,  -- a digest of the payment, the kind and the cause
      payment BIGINT NOT NULL REFERENCES payments (id),
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      order_id UUID,
      kind TEXT COLLATE "C" NOT NULL,
      sequence BIGINT NOT NULL CHECK (sequence >= 1),
      body TEXT COLLATE "C" NOT NULL,
      created_at BIGINT NOT NULL,
      state TEXT COLLATE "C" NOT NULL CHECK (state IN ('pending', 'acknowledged', 'parked')),
      state_at BIGINT,
      attempts BIGINT NOT NULL,
      next_attempt_at BIGINT NOT NULL,
      lease_until BIGINT,
      lease_fence BIGINT,
      last_problem TEXT COLLATE "C",
      ready_at BIGINT NOT NULL GENERATED ALWAYS
        AS (greatest(next_attempt_at, coalesce(lease_until, next_attempt_at))) STORED,
      UNIQUE (payment, sequence),
      CHECK ((state = 'pending') = (state_at IS NULL))
    )
    """,
    """
    CREATE TABLE journal (           -- the story of orders and payments; nothing changes or removes it
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      at BIGINT NOT NULL,
      what TEXT COLLATE "C" NOT NULL,
      order_id UUID,
      payment BIGINT,  -- of payment_keys
      details TEXT COLLATE "C" NOT NULL
    )
    """,
    """
    CREATE TABLE wechat_pay_orders ( -- beside an order: what was promised to WeChat Pay, and how far it is
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      order_id UUID NOT NULL,
      merchant TEXT COLLATE "C" NOT NULL,  -- mchid
      store_app TEXT COLLATE "C" NOT NULL,  -- appid
      trade_type TEXT COLLATE "C" NOT NULL,
      amount BIGINT NOT NULL CHECK (amount >= 1),
      currency TEXT COLLATE "C" NOT NULL,
      prepay_body TEXT COLLATE "C" NOT NULL,  -- sent to the byte whenever the order is opened
      state TEXT COLLATE "C" NOT NULL
        CHECK (state IN ('preparing', 'unknown', 'prepared', 'closing', 'closed', 'paid')),
      close_reason TEXT COLLATE "C",
      handle TEXT COLLATE "C",  -- prepay_id, h5_url or code_url
      handle_at BIGINT,
      transaction_id TEXT COLLATE "C",  -- of the payment that names it
      next_question_at BIGINT,
      questions BIGINT NOT NULL,
      PRIMARY KEY (app, environment, order_id),
      FOREIGN KEY (app, environment, order_id) REFERENCES orders (app, environment, order_id),
      CHECK ((state = 'closing') = (close_reason IS NOT NULL)),
      CHECK ((handle IS NULL) = (handle_at IS NULL))
    )
    """,
    """
    CREATE TABLE refunds (
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      number TEXT COLLATE "C" NOT NULL,  -- out_refund_no
      order_id UUID,
      payment BIGINT NOT NULL REFERENCES payments (id),
      amount BIGINT NOT NULL CHECK (amount >= 1),
      total BIGINT NOT NULL,
      currency TEXT COLLATE "C" NOT NULL,
      reason TEXT COLLATE "C",
      body TEXT COLLATE "C",  -- sent to the byte whenever it is asked for; of a refund made elsewhere null
      created_at BIGINT NOT NULL,
      state TEXT COLLATE "C" NOT NULL CHECK (state IN ('asked', 'underWay', 'done', 'failed', 'stuck')),
      done_at BIGINT,
      failure TEXT COLLATE "C",
      store_number TEXT COLLATE "C",
      signed_date BIGINT,
      next_question_at BIGINT,
      questions BIGINT NOT NULL,
      PRIMARY KEY (app, environment, number),
      CHECK ((state = 'done') = (done_at IS NOT NULL)),
      CHECK ((state = 'failed') = (failure IS NOT NULL))
    )
    """,
    """
    CREATE TABLE reconciliations (   -- the comparison with a store's bill of a day
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      store TEXT COLLATE "C" NOT NULL,
      day TEXT COLLATE "C" NOT NULL,
      tried_at BIGINT NOT NULL,
      done_at BIGINT,
      report TEXT COLLATE "C",
      PRIMARY KEY (app, environment, store, day)
    )
    """,
    """
    CREATE TABLE app_store_errands (
      payment BIGINT NOT NULL REFERENCES payment_keys (id),
      purpose TEXT COLLATE "C" NOT NULL,
      created_at BIGINT NOT NULL,
      due_at BIGINT NOT NULL,
      tries BIGINT NOT NULL,
      claim TEXT COLLATE "C",  -- who presents it, and with what (JSON)
      shown TEXT COLLATE "C",  -- what is known of it without Apple (JSON)
      PRIMARY KEY (payment, purpose)
    )
    """,
    """
    CREATE TABLE receipts (          -- as received; evidence names them by digest
      digest TEXT COLLATE "C" PRIMARY KEY CHECK (length(digest) = 64),  -- SHA-256 of its text, in hexadecimal
      text TEXT COLLATE "C" NOT NULL,
      received_at BIGINT NOT NULL
    )
    """,
    """
    CREATE TABLE app_store_histories ( -- how far a customer's transaction history was read
      customer BIGINT PRIMARY KEY REFERENCES payment_keys (id),
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      revision TEXT COLLATE "C",
      read_at BIGINT,
      due_at BIGINT NOT NULL
    )
    """,
    """
    CREATE TABLE imported_owners (   -- whose a transaction was by the earlier system's books
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      store TEXT COLLATE "C" NOT NULL,
      transaction_id TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      product TEXT COLLATE "C",
      imported_at BIGINT NOT NULL,
      PRIMARY KEY (app, environment, store, transaction_id)
    )
    """,
    """
    CREATE TABLE notification_forwards ( -- notifications as they are passed on
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      notification_id TEXT COLLATE "C" NOT NULL,
      body TEXT COLLATE "C",  -- as received, to the byte; let go of once the other side has it
      created_at BIGINT NOT NULL,
      state TEXT COLLATE "C" NOT NULL CHECK (state IN ('pending', 'acknowledged', 'parked')),
      state_at BIGINT,
      attempts BIGINT NOT NULL,
      next_attempt_at BIGINT NOT NULL,
      lease_until BIGINT,
      lease_fence BIGINT,
      last_problem TEXT COLLATE "C",
      ready_at BIGINT NOT NULL GENERATED ALWAYS
        AS (greatest(next_attempt_at, coalesce(lease_until, next_attempt_at))) STORED,
      UNIQUE (app, environment, notification_id),
      FOREIGN KEY (app, environment, notification_id)
        REFERENCES notifications (app, environment, notification_id),
      CHECK ((state = 'pending') = (state_at IS NULL)),
      CHECK ((state = 'acknowledged') = (body IS NULL))
    )
    """,
    """
    CREATE TABLE bookings (          -- what a backend or an operator booked; nothing changes or removes it
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      booking_key TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      unit TEXT COLLATE "C" NOT NULL,
      kind TEXT COLLATE "C" NOT NULL,
      amount BIGINT NOT NULL CHECK (amount >= 1),
      request_digest TEXT COLLATE "C" NOT NULL,
      reason TEXT COLLATE "C",
      metadata TEXT COLLATE "C",
      at BIGINT NOT NULL,
      UNIQUE (app, environment, booking_key)
    )
    """,
  ]
}
