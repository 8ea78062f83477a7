package import PaymentModel
package import PaymentPrimitives

extension RecordingTransaction {
  package func hasPhoneReport(_ id: OrderIdentifier, in appEnvironment: AppEnvironment) throws -> Bool {
    try read(.phoneReport(id, appEnvironment)) { try $0.hasPhoneReport(id, in: appEnvironment) }
  }

  package func phoneCounts(
    from first: String, to last: String, in appEnvironment: AppEnvironment, limit: Int
  ) throws -> [PhoneCount] {
    try readWithoutKey { try $0.phoneCounts(from: first, to: last, in: appEnvironment, limit: limit) }
  }

  package func insert(_ report: PhoneReport) throws { try write(.message(.insertPhoneReport(report))) }
}
