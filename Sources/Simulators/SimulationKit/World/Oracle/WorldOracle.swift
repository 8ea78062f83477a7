/// Checks a world after its end. It knows the App Store's charges, the users of each sheet, and the backend's
/// bookings. It reads the results from the server's database, and trusts no other part.
struct WorldOracle: Sendable {
  private let checks: [any WorldCheck]

  init(_ records: WorldRecords) {
    let ownership = ChargeOwnership(records: records)
    let repeats = RepeatPurchases(records: records)
    let promises = PromisedProducts(records: records)
    let marks = ChargeMarks(records: records, repeats: repeats)
    checks = [
      ChargeCheck(
        records: records, ownership: ownership, repeats: repeats, promises: promises,
        periods: PeriodOwnerCheck(records: records, ownership: ownership),
        held: HeldChargeCheck(records: records, ownership: ownership, repeats: repeats, promises: promises),
        operatorGrants: OperatorGrantCheck(records: records, repeats: repeats), marks: marks),
      TokenCheck(records: records), RefundKnowledgeCheck(records: records),
      PaymentCheck(records: records, marks: marks),
      BookCheck(records: records), RefundCheck(records: records, repeats: repeats),
      BalanceCheck(records: records, ownership: ownership, promises: promises), DebitCheck(records: records),
      CreditCheck(records: records), MergeCheck(records: records), LimitCheck(records: records),
      PromotionCheck(records: records),
      ErasureCheck(records: records), EventCheck(records: records), OperatorCheck(records: records),
      EntitlementCheck(records: records, repeats: repeats), RestoreCheck(records: records),
      OrderCheck(records: records), VaultCheck(records: records), QueueCheck(records: records),
      WeChatPayCheck(records: records), ComplaintCheck(records: records), OtherShopCheck(records: records),
      SandboxCheck(records: records, repeats: repeats, promises: promises), FloodCheck(records: records),
      AuditCheck(records: records), SheetCheck(records: records),
    ]
  }

  /// Reports every violated rule.
  func run() async throws {
    for check in checks { try await check.run() }
  }
}
