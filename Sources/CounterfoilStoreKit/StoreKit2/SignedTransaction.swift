#if canImport(StoreKit)
import Counterfoil
import Foundation
import PaymentVocabulary
import StoreKit

/// What StoreKit 2 shows of transactions. StoreKit 1's queue sees the same store (client spec §2.3, 21).
enum SignedTransaction {
  /// The signed form of a transaction of StoreKit 1's queue; nil where the system has none, or does not say in time.
  static func find(_ entry: StoreTransaction, _ surroundings: Surroundings) async -> String? {
    guard let id = entry.id, #available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *) else { return nil }
    let ids = Set([id.text, entry.originalId?.text].compactMap { $0 })
    return await surroundings.bounded(AdapterLimits.evidenceSearch) { () -> String? in
      for await result in Transaction.unfinished where "\(result.unsafePayloadValue.id)" == id.text {
        return result.jwsRepresentation
      }
      guard entry.state == .restored else { return nil }
      for await result in Transaction.currentEntitlements where ids.contains("\(result.unsafePayloadValue.id)") {
        return result.jwsRepresentation
      }
      return nil
    } ?? nil
  }
}

@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
extension StoreTransaction {
  /// A transaction as StoreKit 2 shows it. One whose signature the device could not check goes to the server like any
  /// other (client spec §2.3, 12).
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
