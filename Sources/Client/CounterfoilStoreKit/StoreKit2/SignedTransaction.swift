#if canImport(StoreKit)
  import Counterfoil
  import Foundation
  import PaymentPrimitives
  import StoreKit

  /// StoreKit 2's view of transactions. StoreKit 1's queue shows the same store (SK2-21).
  enum SignedTransaction {
    /// The signed forms of transactions of StoreKit 1's queue, by their numbers. Transactions without a signed form
    /// are left out; the result is empty if the system does not answer in time.
    static func find(
      _ entries: [StoreTransaction], _ bounds: BoundedWait
    ) async -> [TransactionIdentifier: String] {
      let entries = entries.filter { $0.isEvidence && $0.id != nil }
      guard !entries.isEmpty else { return [:] }
      return await bounds.value(within: AdapterLimits.evidenceSearch) {
        var found: [TransactionIdentifier: String] = [:]
        for await result in Transaction.unfinished {
          found[TransactionIdentifier("\(result.unsafePayloadValue.id)")] = result.jwsRepresentation
        }
        guard entries.contains(where: { $0.state == .restored }) else { return found }
        for await result in Transaction.currentEntitlements {
          let id = TransactionIdentifier("\(result.unsafePayloadValue.id)")
          // A restored entry may have a number of its own; it names the first purchase too.
          for entry in entries where entry.id == id || (entry.state == .restored && entry.originalId == id) {
            if let number = entry.id { found[number] = result.jwsRepresentation }
          }
        }
        return found
      } ?? [:]
    }
  }

  extension StoreTransaction {
    /// A transaction as StoreKit 2 shows it. If the device could not check its signature, it still goes to the server
    /// (SK2-12).
    init(_ result: VerificationResult<Transaction>) {
      let transaction = result.unsafePayloadValue
      var state = State.purchased
      if let date = transaction.revocationDate { state = .revoked(at: Timestamp(date)) }
      if case .unverified = result { state = .unverified }
      self.init(handle: "transaction-\(transaction.id)", state: state, quantity: max(1, transaction.purchasedQuantity))
      id = TransactionIdentifier("\(transaction.id)")
      product = StoreProductIdentifier(transaction.productID)
      purchaseDate = Timestamp(transaction.purchaseDate)
      token = transaction.appAccountToken.flatMap { OrderIdentifier($0.uuidString) }
      evidence = result.jwsRepresentation
      originalId = transaction.originalID == transaction.id ? nil : TransactionIdentifier("\(transaction.originalID)")
      isFamilyShared = transaction.ownershipType == .familyShared
      if #available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, *) {
        isRenewal = transaction.reason == .renewal
      } else {
        isRenewal = originalId != nil
      }
    }
  }

  extension Timestamp {
    init(_ date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded())) }
  }
#endif
