/// What can be exported: one kind of rows, chosen by the time that is named.
package enum ExportKind: String, Hashable, CaseIterable, Sendable {
  /// By the time when they were made.
  case orders
  /// By the time of purchase, whatever became of them.
  case payments
  /// By the time of recording at WeChat Pay, and by the time that Apple states.
  case refunds
  /// Every movement on a user's balance, by its time.
  case ledger
  /// By the time when they were made. The bodies are not there.
  case deliveries
  /// By the time of each entry.
  case auditLog = "audit-log"

  /// The names of its columns, in order; a JSON line has the same names.
  package var columns: [String] {
    switch self {
    case .orders:
      [
        "app", "environment", "store", "order", "reference", "user", "product", "quantity", "created_at_utc",
        "beijing_day", "state", "transaction", "paid_at_utc", "closed_because",
      ]
    case .payments:
      [
        "app", "environment", "store", "transaction", "original_transaction", "order", "out_trade_no", "reference",
        "user", "product", "store_product", "quantity", "ownership", "milliunits", "amount", "currency", "storefront",
        "purchased_at_utc", "beijing_day", "granted_at_utc", "state", "reason", "rule", "refunded_minor_units",
        "refunded_at_utc", "offer_type", "offer_id",
      ]
    case .refunds:
      [
        "app", "environment", "store", "number", "store_number", "transaction", "order", "minor_units", "amount",
        "of_minor_units", "currency", "at_utc", "beijing_day", "state", "done_at_utc", "reason",
      ]
    case .ledger:
      [
        "app", "environment", "user", "unit", "number", "debit", "credit", "amount", "change", "balance_after", "cause",
        "store", "transaction", "booking", "at_utc", "beijing_day",
      ]
    case .deliveries:
      [
        "app", "environment", "delivery", "store", "transaction", "order", "type", "sequence", "state", "attempts",
        "created_at_utc", "beijing_day", "acknowledged_at_utc", "last_problem",
      ]
    case .auditLog:
      [
        "number", "at_utc", "beijing_day", "app", "environment", "actor_kind", "actor", "role", "address", "action",
        "object_kind", "object", "reason", "request_id", "outcome", "problem", "action_key", "previous_hash", "hash",
        "redacted_by",
      ]
    }
  }
}

/// How the rows are written.
package enum ExportFormat: String, Hashable, CaseIterable, Sendable {
  /// RFC 4180 in UTF-8 with a mark, for spreadsheets.
  case csv
  /// A JSON object on each line, for programs. A value that is missing is left out.
  case jsonl
}
