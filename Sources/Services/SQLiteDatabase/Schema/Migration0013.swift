/// The store's statements about earlier refunds, under each transaction id.
///
/// A purchase made again during a refund that is over is a separate purchase, also if that refund never took effect
/// here (record 0164).
enum Migration0013 {
  static let statements = [
    "ALTER TABLE payments ADD COLUMN refund_history TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE echoes ADD COLUMN refund_history TEXT NOT NULL DEFAULT ''",
  ]
}
