/// A part of the first step of the schema.
enum SchemaIndexes {
  /// The indexes: each question has one, and every one has a question.
  ///
  /// An index of a list begins with an expression: without statistics it would seem as good as the key of a row.
  static let all = [
    """
    CREATE INDEX api_keys_of_app ON api_keys (app, created_at, key_id)
    """,
    """
    CREATE UNIQUE INDEX orders_backend_reference ON orders (app, environment, reference)
      WHERE reference_from = 'backend'
    """,
    """
    CREATE UNIQUE INDEX orders_app_reference ON orders (app, environment, user_id, reference)
      WHERE reference_from = 'app'
    """,
    """
    CREATE UNIQUE INDEX orders_idempotency ON orders (app, environment, idempotency_caller, idempotency_key)
      WHERE idempotency_key IS NOT NULL
    """,
    """
    CREATE INDEX orders_of_user ON orders ((app || ' ' || environment), user_id, created_at, order_id)
    """,
    """
    CREATE INDEX orders_unpaid ON orders (app, environment, user_id, state, created_at)
      WHERE state <> 'paid'
    """,
    """
    CREATE INDEX orders_to_expire ON orders (expires_at)
      WHERE state = 'awaitingPayment' AND store = 'appStore'
    """,
    """
    CREATE UNIQUE INDEX payments_of_order ON payments (app, environment, order_id)
      WHERE order_id IS NOT NULL
    """,
    """
    CREATE INDEX payments_in_line ON payments (original) WHERE original <> id
    """,
    """
    CREATE INDEX payments_waiting ON payments (app, environment, state, first_seen_at)
      WHERE state <> 'fulfilled'
    """,
    """
    CREATE INDEX evidence_of_payment ON evidence (payment)
    """,
    """
    CREATE INDEX claims_of_user ON claims (app, environment, user_id, at)
    """,
    """
    CREATE INDEX grants_of_rights ON grants (app, environment, user_id, granted_at)
      WHERE gives = 'entitlement'
    """,
    """
    CREATE INDEX grants_of_user ON grants (app, environment, user_id, taken_back, amount)
    """,
    """
    CREATE INDEX postings_to_user ON postings (app, environment, credit_user, unit, id, amount)
      WHERE credit_user IS NOT NULL
    """,
    """
    CREATE INDEX postings_from_user ON postings (app, environment, debit_user, unit, id, amount)
      WHERE debit_user IS NOT NULL
    """,
    """
    CREATE INDEX notifications_kept ON notifications (app, environment, type, effect)
      WHERE effect = 'kept'
    """,
    """
    CREATE UNIQUE INDEX deliveries_by_identifier ON deliveries ((payment >> 13), delivery_id)
    """,
    """
    CREATE INDEX deliveries_ready ON deliveries (app, environment, ready_at, created_at, state)
      WHERE state = 'pending'
    """,
    """
    CREATE INDEX deliveries_parked ON deliveries (app, environment, created_at, state)
      WHERE state = 'parked'
    """,
    """
    CREATE INDEX orders_by_app_reference ON orders (app, environment, reference, created_at, order_id)
      WHERE reference_from = 'app'
    """,
    """
    CREATE INDEX deliveries_by_time ON deliveries (app, environment, created_at)
    """,
    """
    CREATE INDEX journal_of_order ON journal (order_id) WHERE order_id IS NOT NULL
    """,
    """
    CREATE INDEX journal_of_payment ON journal (payment) WHERE payment IS NOT NULL
    """,
    """
    CREATE INDEX payments_charged ON payments (app, environment, purchase_date) WHERE merchant IS NOT NULL
    """,
    """
    CREATE INDEX wechat_pay_orders_to_ask ON wechat_pay_orders (next_question_at)
      WHERE next_question_at IS NOT NULL
    """,
    """
    CREATE INDEX refunds_of_payment ON refunds (payment, created_at, number)
    """,
    """
    CREATE INDEX refunds_made ON refunds ((app || ' ' || environment), created_at, number)
    """,
    """
    CREATE INDEX refunds_to_ask ON refunds (next_question_at) WHERE next_question_at IS NOT NULL
    """,
    """
    CREATE INDEX app_store_errands_due ON app_store_errands (due_at)
    """,
    """
    CREATE INDEX app_store_histories_due ON app_store_histories (app, environment, due_at)
    """,
    """
    CREATE INDEX notification_forwards_ready
      ON notification_forwards (app, ready_at, environment, notification_id, created_at, state) WHERE state = 'pending'
    """,
    """
    CREATE INDEX notification_forwards_open
      ON notification_forwards (app, created_at, environment, notification_id, state) WHERE state <> 'acknowledged'
    """,
    """
    CREATE UNIQUE INDEX postings_of_booking ON postings (booking) WHERE booking IS NOT NULL
    """,
    """
    CREATE INDEX lines_to_ask ON lines (app, environment, ask_at) WHERE ask_at IS NOT NULL
    """,
    """
    CREATE INDEX shared_rights_of ON shared_rights (original)
    """,
    """
    CREATE INDEX grants_of_unknown_promise ON grants (app, environment) WHERE piece_gives IS NULL
    """,
    """
    CREATE INDEX payments_in_doubt ON payments (app, environment, ids_disagree_since)
      WHERE ids_disagree_since IS NOT NULL
    """,
    """
    CREATE INDEX echoes_of_line ON echoes (line)
    """,
    """
    CREATE INDEX stopped_changes_due ON stopped_changes (next_attempt_at)
    """,
    """
    CREATE INDEX stopped_changes_in ON stopped_changes (app, environment, first_seen_at, kind)
    """,
    """
    CREATE INDEX orders_by_time ON orders ((app || ' ' || environment), created_at, order_id)
    """,
    """
    CREATE INDEX kept_claims_of_payment ON kept_claims (payment)
    """,
    """
    CREATE INDEX payments_by_line_item ON payments (web_order_line_item)
      WHERE web_order_line_item IS NOT NULL
    """,
    """
    CREATE INDEX payments_unmatched_token ON payments (token)
      WHERE token IS NOT NULL AND order_id IS NULL AND state <> 'fulfilled'
    """,
    """
    CREATE INDEX refunds_by_store_number ON refunds (store_number)
      WHERE store_number IS NOT NULL
    """,
    """
    CREATE INDEX payments_bought ON payments (app, environment, purchase_date) WHERE merchant IS NULL
    """,
    """
    CREATE INDEX refunds_stuck ON refunds (app, environment, created_at, number)
      WHERE state = 'stuck'
    """,
    """
    CREATE INDEX orders_frozen ON orders (app, environment, created_at, order_id)
      WHERE frozen_because IS NOT NULL
    """,
    """
    CREATE INDEX balances_frozen ON balances (app, environment, frozen_since, user_id, unit)
      WHERE frozen_since IS NOT NULL
    """,
    """
    CREATE INDEX app_store_errands_consumption ON app_store_errands (created_at)
      WHERE purpose = 'consumption'
    """,
    """
    CREATE INDEX journal_listed ON journal (app, environment, what, id)
      WHERE \(Schema0001.listedEvents)
    """,
    """
    CREATE INDEX phone_reports_received ON phone_reports ((app || ' ' || environment), received_at)
    """,
  ]
}
