import Foundation
import SQLiteDatabase

/// The rows of the first step.
private let first = """
  INSERT INTO settings VALUES ('profile', 'simulated');
    INSERT INTO settings VALUES ('installation.secret', '\(String(repeating: "0b", count: 32))');
  INSERT INTO payment_keys VALUES (1, 'game', 'appStore', 'production', '1');
  INSERT INTO orders (app, environment, order_id, user_id, store, quantity, product, product_kind, gives, gives_name,
    gives_amount, is_physical, created_at, state, state_at, paid_by, expires_at)
  VALUES ('game', 'production', x'00000000000000000000000000000001', 'alice', 'appStore', 1, 'coins', 'consumable',
    'units', 'coin', 100, 0, 0, 'paid', 5, 1, 1000);
  INSERT INTO payments (id, app, environment, original, store_product, kind, quantity, purchase_date, signed_date,
    ownership, is_renewal, is_upgraded, state, owner, order_id, first_seen_at, last_sequence)
  VALUES (1, 'game', 'production', 1, 'com.example.coins', 'consumable', 1, 0, 0, 'purchased', 0, 0, 'fulfilled',
    'alice', x'00000000000000000000000000000001', 0, 1);
  INSERT INTO grants (payment, app, environment, user_id, gives, gives_name, amount, granted_at, taken_back)
  VALUES (1, 'game', 'production', 'alice', 'units', 'coin', 100, 0, 0);
  INSERT INTO postings (app, environment, unit, debit_store, credit_user, amount, payment, cause, at)
  VALUES ('game', 'production', 'coin', 'appStore', 'alice', 100, 1, 'grant', 0);
  INSERT INTO balances VALUES ('game', 'production', 'alice', 'coin', 100);
  INSERT INTO deliveries (delivery_id, payment, app, environment, order_id, kind, sequence, body, created_at, state,
    attempts, next_attempt_at)
  VALUES ('dlv_1', 1, 'game', 'production', x'00000000000000000000000000000001', 'created', 1, '{}', 0,
      'pending', 0, 0);
  INSERT INTO journal (app, environment, at, what, order_id, payment, details)
  VALUES ('game', 'production', 5, 'payment.fulfilled', x'00000000000000000000000000000001', 1, '{}');
  """

/// The rows that the second step added.
private let second =
  first + """

    INSERT INTO orders (app, environment, order_id, user_id, store, quantity, product, product_kind, gives, gives_name,
      gives_amount, is_physical, wechat_price, wechat_currency, created_at, state, expires_at)
    VALUES ('game', 'production', x'00000000000000000000000000000002', 'bob', 'weChatPay', 1, 'coins', 'consumable',
      'units', 'coin', 100, 0, 600, 'CNY', 0, 'awaitingPayment', 1000);
    INSERT INTO wechat_pay_orders (app, environment, order_id, merchant, store_app, trade_type, amount, currency,
      prepay_body, state, next_question_at, questions)
    VALUES ('game', 'production', x'00000000000000000000000000000002', '1900000001', 'wx1', 'APP', 600, 'CNY', '{}',
      'prepared', 5, 0);
    INSERT INTO refunds (app, environment, number, payment, amount, total, currency, created_at, state, questions)
    VALUES ('game', 'production', 'R1', 1, 1, 600, 'CNY', 0, 'asked', 0);
    """

/// The rows that the third step added.
private let third =
  second + """

    INSERT INTO app_store_errands (payment, purpose, created_at, due_at, tries) VALUES (1, 'finish', 0, 5, 0);
    INSERT INTO receipts VALUES ('\(String(repeating: "a", count: 64))', 'MII', 0);
    INSERT INTO app_store_histories VALUES (1, 'game', 'production', 'r1', 0, 5);
    """

/// The rows that the fourth step added.
private let fourth =
  third + """

    INSERT INTO notifications (app, environment, notification_id, type, signed_date, signed_payload, received_at,
      effect)
    VALUES ('game', 'production', 'n1', 'TEST', 0, 'a.b.c', 0, 'applied');
    INSERT INTO notification_forwards (app, environment, notification_id, body, created_at, state, attempts,
      next_attempt_at)
    VALUES ('game', 'production', 'n1', '{}', 0, 'pending', 0, 0);
    INSERT INTO earlier_lists (app, environment, store, reach) VALUES ('game', 'production', 'appStore', 5);
    INSERT INTO imported_owners (app, environment, store, transaction_id, user_id, imported_at)
    VALUES ('game', 'production', 'appStore', '9', 'carol', 0);
    """

/// The rows that the fifth step added; it names the accounts of postings differently.
private let fifth =
  fourth.replacingOccurrences(of: "debit_store", with: "debit_account")
  .replacingOccurrences(of: "'coin', 'appStore', 'alice'", with: "'coin', 'issued:appStore', 'alice'")
  .replacingOccurrences(
    of: "INSERT INTO balances VALUES", with: "INSERT INTO balances (app, environment, user_id, unit, amount) VALUES")
    + """

    INSERT INTO bookings (id, app, environment, booking_key, user_id, unit, kind, amount, request_digest, at)
    VALUES (1, 'game', 'production', 'b1', 'bob', 'coin', 'debtWrittenOff', 5, '00', 0);
    INSERT INTO postings (app, environment, unit, debit_account, credit_user, amount, booking, cause, at)
    VALUES ('game', 'production', 'coin', 'writtenOff', 'bob', 5, 1, 'debtWrittenOff', 0);
    INSERT INTO balances (app, environment, user_id, unit, amount) VALUES ('game', 'production', 'bob', 'coin', 5);
    INSERT INTO consumption_consents VALUES ('game', 'production', 'bob', 1, 0);
    """

/// The rows that the sixth step added.
let schemaRowsOfStep6 =
  fifth + """

    INSERT INTO payment_keys VALUES (2, 'game', 'appStore', 'production', '2');
    INSERT INTO lines (id, app, environment, claimant, period_end, ask_at)
    VALUES (2, 'game', 'production', 'carol', 5, 10);
    INSERT INTO shared_rights VALUES ('game', 'production', 'dave', 2, 0);
    """

/// The rows that the eighth step added.
private let eighth =
  schemaRowsOfStep6.replacingOccurrences(
    of: "granted_at, taken_back)",
    with: """
      granted_at, taken_back,
        product, product_is_stores, product_kind, piece_gives, piece_name, piece_amount)
      """
  ).replacingOccurrences(
    of: "'alice', 'units', 'coin', 100, 0, 0);",
    with: "'alice', 'units', 'coin', 100, 0, 0, 'coins', 0, 'consumable', 'units', 'coin', 100);")
  + "\n  INSERT INTO promised_products VALUES ('game', 'coins', 0, 'consumable');"

/// The rows that the tenth step added.
let schemaRowsOfStep10 =
  eighth + """

    INSERT INTO stopped_changes (payment, statement, app, environment, kind, found, content, evidence, origin, attempts,
      next_attempt_at, first_seen_at, last_seen_at)
    VALUES (1, 's', 'game', 'production', 'noPlan', 'found', '{}', 'a.b.c', 'client', 0, 0, 0, 0);
    """

/// The rows that the fifteenth step added.
private let fifteenth =
  schemaRowsOfStep10 + """

    INSERT INTO evidence_headers (digest, text) VALUES (zeroblob(32), 'h');
    INSERT INTO evidence (payment, text, origin, received_at, header, digest)
    VALUES (1, '.p.s', 'client', 0, 1, zeroblob(32));
    """

/// The rows of a database at each step of the schema, as SQL of that time, and how they are read today.
///
/// A new step needs its entry here: the rows of the step before it, migrated.
let schemaPopulations: [Int: String] = [
  0: "",
  1: first,
  2: second,
  3: third,
  4: fourth,
  5: fifth,
  6: schemaRowsOfStep6,
  7: schemaRowsOfStep6,
  8: eighth,
  9: eighth,
  10: schemaRowsOfStep10,
  12: schemaRowsOfStep10,
  13: schemaRowsOfStep10 + "UPDATE payments SET refund_history = 'r1000,u2000';",
  14: schemaRowsOfStep10 + "INSERT INTO kept_claims (payment, claim, kept_at) VALUES (1, '{}', 0);",
  15: fifteenth,
  16: fifteenth,
  17: fifteenth,
  18: fifteenth + "\nINSERT INTO api_keys VALUES ('cfo_a', 'game', 'operator', '00', 'l', 0, NULL, 'viewer', 9, 5);",
  19: fifteenth + nineteenth,
  21: fifteenth + nineteenth + twentyFirst,
  22: fifteenth + nineteenth + twentyFirst,
  23: twentyThird,
  24: twentyThird + """

    UPDATE payments SET storefront = 'CHN', offer = 'code' || char(10) || 'winter' || char(10) || char(10) || 'P1M';
    UPDATE lines SET renewal_price_milliunits = 18000, renewal_price_currency = 'CNY';
    UPDATE journal SET event = '{}';
    """,
  25: twentyThird + """

    UPDATE api_keys SET may_credit = 1;
    INSERT INTO bookings (app, environment, booking_key, user_id, unit, kind, amount, request_digest, at)
    VALUES ('game', 'production', 'c1', 'u', 'coin', 'credit', 5, '', 0);
    """,
  27: twentyThird + "\nUPDATE payments SET revocation_date = 3, expires_date = 4;",
  26: twentyThird + """

    UPDATE operator_accounts SET code_salt = '02', codes_since = 3;
    UPDATE console_sessions SET proved_at = 2, wrong_codes = 1;
    INSERT INTO pending_sign_ins VALUES ('03', 'lin', 0, 4, 5);
    INSERT INTO passkeys VALUES ('BwcH', 'lin', zeroblob(65), 'laptop', 6, 7, 8, NULL);
    INSERT INTO operator_accounts (name, created_at) VALUES ('ann', 0);
    INSERT INTO approvals VALUES ('a1', 'game', 'production', 'order.refund', 'order', 'o1', '{}', '00', 'ticket 1',
      'lin', 1, 'ann', 2, 'approved', 3, NULL);
    """,
  28: twentyThird + """

    INSERT INTO merged_users VALUES ('game', 'production', 'guest', 'lin', 1, 2, 3);
    INSERT INTO spending_limits VALUES ('game', 'production', 'kid', 'CNY', 20000, 1);
    """,
  29: twentyThird + """

    INSERT INTO complaints VALUES ('game', 'production', '2002', 1, 'PENDING', 1, 1, NULL, NULL, 1, NULL, 'u', '{}',
      '[]', 2);
    """,
  30: twentyThird + """

    UPDATE api_keys SET may_give_entitlements = 1;
    INSERT INTO promotional_entitlements VALUES ('game', 'production', 'p1', 'u', 'premium', 1, 9, 'sorry', 'cfs_a',
      '00', 3, 'mistake', 'lin');
    """,
  31: twentyThird + """

    INSERT INTO erasures VALUES ('game', 'erased_1', NULL, 1, 2, 3, 4), ('game', 'erased_2', 'kid', 1, NULL, 0, 0);
    UPDATE api_keys SET may_erase = 1;
    """,
  32: twentyThird + "\nINSERT INTO hourly_totals VALUES ('game', 'production', 490000, 'order.paid', 'CNY', 2, 12000);",
  33: twentyThird + """

    INSERT INTO erasures VALUES ('game', 'erased_2', 'kid', 1, NULL, 0, 0);
    INSERT INTO audit_log (id, at, app, environment, actor_kind, actor, action, object_kind, object, reason, outcome,
      action_key, previous, hash, personal_digest, salt)
    VALUES (2, 6, 'game', 'production', 'account', 'lin', 'balance.credit', 'user', 'kid', 'sorry', 'done', 'k2',
      CAST(x'01' || zeroblob(31) AS BLOB), zeroblob(32), zeroblob(32), zeroblob(32));
    UPDATE audit_log SET object = 'erased_2', salt = NULL, redacted_by = 'erased_2' WHERE id = 2;
    """,
  34: twentyThird + """

    INSERT INTO bookings (app, environment, booking_key, user_id, unit, kind, amount, request_digest, at)
    VALUES ('game', 'production', 'c1', 'u', 'coin', 'credit', 5, '', 0);
    """,
]

private let twentyThird =
  fifteenth + nineteenth + twentyFirst + """

    INSERT INTO operator_accounts (name, created_at) VALUES ('lin', 0);
    INSERT INTO operator_roles VALUES ('lin', '*', 'support');
    INSERT INTO sign_in_links VALUES ('00', 'lin', 0, 1);
    INSERT INTO console_sessions (digest, account, created_at, seen_at) VALUES ('01', 'lin', 1, 2);
    INSERT INTO audit_log (id, at, app, environment, actor_kind, actor, role, address, action, object_kind, object,
      reason, request_id, outcome, problem, action_key, previous, hash)
    VALUES (1, 5, 'game', 'production', 'account', 'lin', 'support', '::1', 'delivery.redrive', 'delivery', 'dlv_1',
      'ticket 1', 'r1', 'done', NULL, 'k1', zeroblob(32), zeroblob(32));
    """

private let twentyFirst = """

  INSERT INTO phone_reports VALUES ('game', 'production', x'0190F0C8000070008000000000000001', 0);
  INSERT INTO phone_counts VALUES ('game', 'production', '2025-10-09', 'recovered', 3);
  """

private let nineteenth = """

  INSERT INTO delivery_attempts VALUES (1, 1, 0, 'backend', 500, 3, 'HTTP status 500', zeroblob(3));
  INSERT INTO store_order_numbers VALUES ('game', 'production', 'MK5TTT123H', 1, 0);
  """
