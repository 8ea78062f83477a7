#if canImport(StoreKit) && !os(macOS) && !os(tvOS) && !os(watchOS)
  public import Counterfoil
  import StoreKit
  public import UIKit

  /// A message of the App Store for the customer, which the app shows when it suits.
  @available(iOS 16.0, visionOS 1.0, *)
  public struct StoreMessage: Sendable {
    /// What a message is about.
    public enum Reason: Hashable, Sendable {
      /// The price of a subscription rises, and the customer has to agree.
      case priceIncrease
      /// A renewal could not be charged.
      case billingIssue
      /// The customer may come back to a subscription for a lower price.
      case winBackOffer
      /// Something else; the message says it.
      case other
    }

    private let message: Message

    init(_ message: Message) { self.message = message }

    /// What it is about.
    public var reason: Reason {
      if message.reason == .priceIncreaseConsent { return .priceIncrease }
      if #available(iOS 16.4, *), message.reason == .billingIssue { return .billingIssue }
      if #available(iOS 18.0, visionOS 2.0, *), message.reason == .winBackOffer { return .winBackOffer }
      return .other
    }

    /// Shows it. What the customer does there comes as a transaction, and as a notification to the server.
    ///
    /// - Parameter scene: where it appears; otherwise in the scene that the customer uses.
    /// - Throws: `StoreFailure` if it could not be shown.
    @MainActor public func show(in scene: UIWindowScene? = nil) throws(StoreFailure) {
      let scene = try StoreSheets.place(scene)
      do {
        try message.display(in: scene)
      } catch {
        throw StoreFailure(storeKit2: error)
      }
    }
  }

  /// The messages of the App Store: a price increase that needs consent, a failed renewal, a win-back offer.
  ///
  /// The system shows them by itself, perhaps over a payment. While an app goes through this sequence, it holds them:
  ///
  ///     for await message in StoreMessages() {
  ///       await untilNothingIsBought()
  ///       try? message.show()
  ///     }
  ///
  /// Before iOS 16 the system shows them by itself, always.
  @available(iOS 16.0, visionOS 1.0, *)
  public struct StoreMessages: AsyncSequence, Sendable {
    /// A message.
    public typealias Element = StoreMessage

    /// The messages from now on, and those that wait.
    public init() {}

    /// Begins to hold the messages.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(messages: Message.messages.makeAsyncIterator()) }

    /// Waits for one message after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate var messages: Message.Messages.AsyncIterator

      /// The next message.
      public mutating func next() async -> StoreMessage? { await messages.next().map { StoreMessage($0) } }
    }
  }
#endif
