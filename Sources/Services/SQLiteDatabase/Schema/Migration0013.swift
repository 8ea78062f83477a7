/// What the store told of earlier refunds under each transaction id.
///
/// What was bought again during a refund that is over is a purchase of its own, also where that refund never took
/// effect here (record 0164).
enum Migration0013 {
  static let statements = [
    "ALTER TABLE payments ADD COLUMN refund_history TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE echoes ADD COLUMN refund_history TEXT NOT NULL DEFAULT ''",
  ]
}
