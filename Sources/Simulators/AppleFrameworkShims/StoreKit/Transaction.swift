import AppStoreProtocol
import AppStoreSimulator
public import Foundation
import PaymentPrimitives
import SimulatedDevice

/// Stand-in for Apple's structure of the same name.
public struct Transaction: Sendable, Hashable, Identifiable {
  /// Stand-in for Apple's structure of the same name.
  public struct OwnershipType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let purchased = OwnershipType(rawValue: "PURCHASED")
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
  }

  /// Stand-in for Apple's structure of the same name.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let purchase = Reason(rawValue: "PURCHASE")
    public static let renewal = Reason(rawValue: "RENEWAL")
  }

  private let transaction: SimulatedTransaction
  let signed: String

  init(_ shown: DeviceTransaction) {
    transaction = shown.transaction
    signed = shown.signed
  }

  public var id: UInt64 { UInt64(transaction.id.text) ?? 0 }
  public var originalID: UInt64 { UInt64(transaction.originalId.text) ?? 0 }
  public var productID: String { transaction.product.text }
  public var productType: Product.ProductType { Product.ProductType(rawValue: transaction.type.rawValue) }
  public var purchasedQuantity: Int { transaction.quantity }
  public var purchaseDate: Date { Self.date(transaction.purchaseDate) }
  public var revocationDate: Date? { transaction.revocation.map { Self.date($0.date) } }
  public var appAccountToken: UUID? { transaction.appAccountToken.flatMap { UUID(uuidString: $0.text) } }
  public var ownershipType: OwnershipType { transaction.isFamilyShared ? .familyShared : .purchased }
  public var reason: Reason { transaction.reason == .renewal ? .renewal : .purchase }

  private static func date(_ moment: Timestamp) -> Date {
    Date(timeIntervalSince1970: Double(moment.milliseconds) / 1000)
  }

  /// Finishes the transaction; it does not throw, and it may have no effect (rule SK2-10).
  public func finish() async { await theRun().device.storeKit2.finish(transaction.id) }

  public static var updates: Transactions { Transactions(.updates) }
  public static var unfinished: Transactions { Transactions(.unfinished) }
  public static var currentEntitlements: Transactions { Transactions(.entitlements) }
  public static var all: Transactions { Transactions(.everything) }

  /// Stand-in for Apple's structure of the same name.
  public struct Transactions: AsyncSequence, Sendable {
    public typealias Element = VerificationResult<Transaction>

    enum Kind: Sendable { case updates, unfinished, entitlements, everything }
    private let kind: Kind

    init(_ kind: Kind) { self.kind = kind }

    public func makeAsyncIterator() -> AsyncIterator {
      let run = theRun()
      return AsyncIterator(kind: kind, run: run, live: kind == .updates ? run.iterateUpdates() : nil)
    }

    /// Iterator of `updates`, which never ends, or over a snapshot (rule SK2-8).
    public struct AsyncIterator: AsyncIteratorProtocol {
      let kind: Kind
      let run: AppRun
      private var live: AsyncStream<DeviceTransaction>.Iterator?
      private var snapshot: [DeviceTransaction]?

      init(kind: Kind, run: AppRun, live: AsyncStream<DeviceTransaction>?) {
        self.kind = kind
        self.run = run
        self.live = live?.makeAsyncIterator()
      }

      public mutating func next() async -> VerificationResult<Transaction>? {
        if kind == .updates { return await live?.next().map { VerificationResult($0) } }
        if snapshot == nil {
          switch kind {
          case .updates: snapshot = []
          case .unfinished: snapshot = await run.device.storeKit2.unfinished() ?? []
          case .entitlements: snapshot = await run.device.storeKit2.entitlements() ?? []
          case .everything: snapshot = await run.device.storeKit2.everything() ?? []
          }
        }
        guard let first = snapshot?.first else { return nil }
        snapshot?.removeFirst()
        return VerificationResult(first)
      }
    }
  }
}
