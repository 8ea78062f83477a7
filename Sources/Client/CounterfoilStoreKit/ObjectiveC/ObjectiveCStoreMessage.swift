#if canImport(StoreKit) && !os(macOS) && !os(tvOS) && !os(watchOS)
  import Counterfoil
  public import Foundation
  public import UIKit

  /// What a message of the App Store is about, for Objective-C.
  #if canImport(ObjectiveC)
    @objc(CFLStoreMessageReason)
  #endif
  public enum ObjectiveCStoreMessageReason: Int, Sendable {
    /// The price of a subscription rises, and the customer has to agree.
    case priceIncrease = 0
    /// A renewal could not be charged.
    case billingIssue = 1
    /// The customer may come back to a subscription for a lower price.
    case winBackOffer = 2
    /// Something else; the message says it.
    case other = 3
  }

  /// A message of the App Store for the customer, which the app shows when it suits, for Objective-C.
  #if canImport(ObjectiveC)
    @objc(CFLStoreMessage) @objcMembers
  #endif
  @available(iOS 16.0, visionOS 1.0, *)
  public final class ObjectiveCStoreMessage: NSObject, Sendable {
    private let message: StoreMessage
    private let client: ObjectiveCPurchasing

    init(_ message: StoreMessage, of client: ObjectiveCPurchasing) {
      self.message = message
      self.client = client
    }

    /// What it is about.
    public var reason: ObjectiveCStoreMessageReason {
      switch message.reason {
      case .priceIncrease: .priceIncrease
      case .billingIssue: .billingIssue
      case .winBackOffer: .winBackOffer
      case .other: .other
      }
    }

    /// Shows it in a scene, or with nil in the scene that the customer uses. What the customer does there comes as a
    /// transaction, and as a notification to the server.
    public func show(in scene: UIWindowScene?, completion: (@MainActor @Sendable ((any Error)?) -> Void)?) {
      client.work.start { [message, client] in
        do throws(StoreFailure) {
          try await message.show(in: scene)
          await completion?(nil)
        } catch {
          await completion?(client.error(error))
        }
      }
    }
  }

  @available(iOS 16.0, visionOS 1.0, *)
  extension ObjectiveCPurchasing {
    /// Holds the messages of the App Store, and hands each to the app, for as long as the process lives: call it once.
    /// Otherwise the system shows them by itself, perhaps over a payment; before iOS 16 it always does.
    public func holdStoreMessages(_ handler: @escaping @MainActor @Sendable (ObjectiveCStoreMessage) -> Void) {
      work.start {
        for await message in StoreMessages() { await handler(ObjectiveCStoreMessage(message, of: self)) }
      }
    }
  }
#endif
