import AppStoreSimulator
public import Foundation
import PaymentPrimitives
import SimulatedDevice

/// Stand-in for Apple's enumeration of the same name, for transactions.
public enum VerificationResult<SignedType: Sendable>: Sendable {
  case unverified(SignedType, VerificationError)
  case verified(SignedType)

  /// Stand-in for Apple's enumeration of the same name.
  public enum VerificationError: Error, Hashable, Sendable {
    case revokedCertificate
    case invalidCertificateChain
    case invalidDeviceVerification
    case invalidEncoding
    case invalidSignature
    case missingRequiredProperties
  }

  public var unsafePayloadValue: SignedType {
    switch self {
    case .unverified(let value, _), .verified(let value): value
    }
  }
}

extension VerificationResult where SignedType == Transaction {
  /// The signed transaction as the device received it.
  public var jwsRepresentation: String { unsafePayloadValue.signed }

  init(_ shown: DeviceTransaction) {
    let transaction = Transaction(shown)
    self = shown.isVerified ? .verified(transaction) : .unverified(transaction, .invalidSignature)
  }
}

/// Stand-in for Apple's enumeration of the same name.
public enum StoreKitError: Error, Sendable {
  case unknown
  case userCancelled
  case networkError(URLError)
  case systemError(any Error)
  case notAvailableInStorefront
  case notEntitled
  case unsupported
}

/// Stand-in for Apple's enumeration of the same name.
public enum AppStore {
  public static var canMakePayments: Bool { !theRun().device.account.switches.forbidsPayments }
  public static var deviceVerificationID: UUID? { UUID(uuidString: theRun().device.identifier.text) }

  public static func sync() async throws {
    switch await theRun().device.storeKit2.synchronize() {
    case .success: return
    case .failure(let failure): throw failure.forStoreKit2
    case nil: throw CancellationError()
    }
  }
}

/// Stand-in for Apple's structure of the same name: a purchase that the customer began outside the app (rule SK2-19).
public struct PurchaseIntent: Sendable {
  public let product: Product
  public let offer: Product.SubscriptionOffer?

  public static var intents: PurchaseIntents { PurchaseIntents() }

  /// Stand-in for Apple's structure of the same name.
  public struct PurchaseIntents: AsyncSequence, Sendable {
    public typealias Element = PurchaseIntent

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(stream: theRun().iterateIntents().makeAsyncIterator())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      var stream: AsyncStream<DevicePayment>.Iterator

      public mutating func next() async -> PurchaseIntent? {
        while let payment = await stream.next() {
          if let product = try? await Product.products(for: [payment.product.text]).first {
            return PurchaseIntent(product: product, offer: payment.offer.map { .winBack($0) })
          }
        }
        return nil
      }
    }
  }
}
