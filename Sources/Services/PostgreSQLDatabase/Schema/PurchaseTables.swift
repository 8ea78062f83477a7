/// A part of the first step of the schema.
enum PurchaseTables {
  /// Tables, those first to which others refer.
  static let all = [
    """
    CREATE TABLE settings (          -- of the installation: its profile, its secret
      name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      value TEXT COLLATE "C" NOT NULL
    )
    """,
    """
    CREATE TABLE api_keys (
      key_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
      app TEXT COLLATE "C" NOT NULL,
      kind TEXT COLLATE "C" NOT NULL,
      digest TEXT COLLATE "C" NOT NULL,  -- SHA-256 of the whole key, hexadecimal
      label TEXT COLLATE "C" NOT NULL,
      created_at BIGINT NOT NULL,  -- every moment is in milliseconds since 1970
      revoked_at BIGINT,
      role TEXT COLLATE "C",
      expires_at BIGINT,
      used_at BIGINT
    )
    """,
    """
    CREATE TABLE payment_keys (      -- each store transaction ever named, once: elsewhere its number stands for it
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      app TEXT COLLATE "C" NOT NULL,
      store TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      transaction_id TEXT COLLATE "C" NOT NULL,
      UNIQUE (app, store, environment, transaction_id)
    )
    """,
    """
    CREATE TABLE orders (
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      order_id UUID NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      store TEXT COLLATE "C" NOT NULL,
      quantity BIGINT NOT NULL CHECK (quantity >= 1),
      product TEXT COLLATE "C" NOT NULL,  -- the product as it was when the order was made, up to is_physical
      product_kind TEXT COLLATE "C" NOT NULL,
      gives TEXT COLLATE "C" NOT NULL CHECK (gives IN ('units', 'entitlement')),
      gives_name TEXT COLLATE "C" NOT NULL,
      gives_amount BIGINT,  -- units of one piece, or the milliseconds that a right lasts
      app_store_products TEXT COLLATE "C",  -- one a line, the preferred one first
      wechat_price BIGINT,  -- in the smallest unit of its currency
      wechat_currency TEXT COLLATE "C",
      is_physical BIGINT NOT NULL,
      reference TEXT COLLATE "C",
      reference_from TEXT COLLATE "C" CHECK (reference_from IN ('backend', 'app')),
      metadata TEXT COLLATE "C",
      platform TEXT COLLATE "C",
      scene TEXT COLLATE "C",
      created_at BIGINT NOT NULL,
      derived_payment BIGINT,  -- of payment_keys
      derived_from UUID,
      derived_reference TEXT COLLATE "C",
      derived_reference_from TEXT COLLATE "C",
      derived_flags TEXT COLLATE "C",
      idempotency_caller TEXT COLLATE "C",
      idempotency_key TEXT COLLATE "C",
      request_digest TEXT COLLATE "C",
      state TEXT COLLATE "C" NOT NULL CHECK (state IN ('awaitingPayment', 'paid', 'closed')),
      state_at BIGINT,
      close_reason TEXT COLLATE "C",
      paid_by BIGINT,  -- of payment_keys
      expires_at BIGINT NOT NULL,
      approval_pending_since BIGINT,
      verdict TEXT COLLATE "C",
      verdict_reason TEXT COLLATE "C",
      verdict_at BIGINT,
      frozen_because TEXT COLLATE "C",
      debt TEXT COLLATE "C",
      UNIQUE (app, environment, order_id),
      CHECK ((state = 'paid') = (paid_by IS NOT NULL)),
      CHECK ((state = 'closed') = (close_reason IS NOT NULL))
    )
    """,
    """
    CREATE TABLE payments (
      id BIGINT PRIMARY KEY,  -- of payment_keys
      app TEXT COLLATE "C" NOT NULL,  -- app and environment of the key, for the indexes
      environment TEXT COLLATE "C" NOT NULL,
      original BIGINT NOT NULL,  -- of payment_keys
      web_order_line_item TEXT COLLATE "C",
      store_product TEXT COLLATE "C" NOT NULL,
      kind TEXT COLLATE "C" NOT NULL,
      quantity BIGINT NOT NULL,  -- as signed
      purchase_date BIGINT NOT NULL,
      original_purchase_date BIGINT,
      expires_date BIGINT,
      signed_date BIGINT NOT NULL,
      token UUID,
      ownership TEXT COLLATE "C" NOT NULL,
      app_transaction TEXT COLLATE "C",
      revocation_date BIGINT,
      revocation_reason BIGINT,
      revocation_type TEXT COLLATE "C",
      revocation_percentage BIGINT,
      price_milliunits BIGINT,
      price_currency TEXT COLLATE "C",
      is_renewal BIGINT NOT NULL,
      is_upgraded BIGINT NOT NULL,
      state TEXT COLLATE "C" NOT NULL,
      hold_reason TEXT COLLATE "C",
      parts_taken BIGINT,  -- of a reversed or reinstated payment
      owner TEXT COLLATE "C",
      order_id UUID,
      match_rule TEXT COLLATE "C",
      match_flags TEXT COLLATE "C",
      match_at BIGINT,
      presenter TEXT COLLATE "C",
      first_seen_at BIGINT NOT NULL,
      finished_at BIGINT,
      last_sequence BIGINT NOT NULL,
      merchant TEXT COLLATE "C",
      store_app TEXT COLLATE "C",
      stated_revocation_date BIGINT,
      stated_revocation_reason BIGINT,
      stated_revocation_type TEXT COLLATE "C",
      stated_revocation_percentage BIGINT,
      refund_reversed_at BIGINT,
      ids_disagree_since BIGINT,
      confirmed_revocation BIGINT,
      set_aside TEXT COLLATE "C",
      refund_history TEXT COLLATE "C" NOT NULL DEFAULT '',
      CHECK ((state = 'held') = (hold_reason IS NOT NULL)),
      CHECK ((state IN ('reversed', 'reinstated')) = (parts_taken IS NOT NULL))
    )
    """,
    """
    CREATE TABLE echoes (            -- later ids of what is already a payment
      id BIGINT PRIMARY KEY REFERENCES payment_keys (id),
      payment BIGINT NOT NULL REFERENCES payment_keys (id),
      first_seen_at BIGINT NOT NULL,
      line BIGINT REFERENCES payment_keys (id),
      refund_reversed_at BIGINT,
      web_order_line_item TEXT COLLATE "C",
      store_product TEXT COLLATE "C",
      kind TEXT COLLATE "C",
      quantity BIGINT,
      purchase_date BIGINT,
      original_purchase_date BIGINT,
      expires_date BIGINT,
      signed_date BIGINT,
      token UUID,
      ownership TEXT COLLATE "C",
      app_transaction TEXT COLLATE "C",
      revocation_date BIGINT,
      revocation_reason BIGINT,
      revocation_type TEXT COLLATE "C",
      revocation_percentage BIGINT,
      price_milliunits BIGINT,
      price_currency TEXT COLLATE "C",
      is_renewal BIGINT,
      is_upgraded BIGINT,
      refund_history TEXT COLLATE "C" NOT NULL DEFAULT ''
    )
    """,
    """
    CREATE TABLE lines (             -- subscriptions, by their original transaction
      id BIGINT PRIMARY KEY REFERENCES payment_keys (id),
      claimant TEXT COLLATE "C",
      app TEXT COLLATE "C" NOT NULL DEFAULT '',
      environment TEXT COLLATE "C" NOT NULL DEFAULT '',
      transferred_to TEXT COLLATE "C",
      transferred_at BIGINT,
      period_end BIGINT,
      ask_at BIGINT,
      renewal_signed_at BIGINT,
      renews BIGINT,
      renews_to TEXT COLLATE "C",
      expiration TEXT COLLATE "C",
      in_billing_retry BIGINT,
      grace_until BIGINT,
      renewal_date BIGINT,
      price_increase TEXT COLLATE "C"
    )
    """,
    """
    CREATE TABLE known_users (
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      app_transaction TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      PRIMARY KEY (app, environment, app_transaction, user_id)
    )
    """,
    """
    CREATE TABLE claims (
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      user_id TEXT COLLATE "C" NOT NULL,
      payment BIGINT NOT NULL REFERENCES payment_keys (id),
      at BIGINT NOT NULL
    )
    """,
    """
    CREATE TABLE earlier_lists (     -- the earlier system's deliveries were loaded for these
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      store TEXT COLLATE "C" NOT NULL,
      reach BIGINT,
      PRIMARY KEY (app, environment, store)
    )
    """,
    """
    CREATE TABLE earlier_deliveries (
      app TEXT COLLATE "C" NOT NULL,
      environment TEXT COLLATE "C" NOT NULL,
      store TEXT COLLATE "C" NOT NULL,
      transaction_id TEXT COLLATE "C" NOT NULL,
      PRIMARY KEY (app, environment, store, transaction_id)
    )
    """,
    """
    CREATE TABLE grant_changes (     -- refunds and their undoing, each once
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      payment BIGINT NOT NULL REFERENCES payments (id),
      kind TEXT COLLATE "C" NOT NULL,
      cause TEXT COLLATE "C" NOT NULL,
      amount BIGINT NOT NULL CHECK (amount >= 1),
      at BIGINT NOT NULL,
      UNIQUE (payment, kind, cause)
    )
    """,
  ]
}
