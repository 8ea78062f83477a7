package import PaymentModel
package import PaymentPrimitives

/// What phones counted.
package protocol PhoneDiagnosticsReader {
  /// Whether that report was counted. Older ones than `PhoneReport.remembered` may be forgotten.
  func hasPhoneReport(_ id: OrderIdentifier, in appEnvironment: AppEnvironment) throws -> Bool
  /// The counts from one day to another, the newest day first, then by kind; at most `limit`.
  func phoneCounts(
    from first: String, to last: String, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [PhoneCount]
}
