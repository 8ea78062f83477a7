import SimulatedDevice
public import UIKit

/// Stand-in for Apple's structure of the same name (rule SK2-31).
public struct Message: Hashable, Sendable {
  /// Stand-in for Apple's structure of the same name.
  public struct Reason: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let generic = Reason(rawValue: 0)
    public static let priceIncreaseConsent = Reason(rawValue: 1)
    public static let billingIssue = Reason(rawValue: 2)
    public static let winBackOffer = Reason(rawValue: 3)
  }

  private let message: DeviceMessage

  public var reason: Reason {
    switch message {
    case .generic: .generic
    case .priceIncreaseConsent: .priceIncreaseConsent
    case .billingIssue: .billingIssue
    case .winBackOffer: .winBackOffer
    }
  }

  @MainActor public func display(in scene: UIWindowScene) throws {
    guard scene.activationState == .foregroundActive else { throw StoreKitError.unknown }
    theRun().device.messages.show(message)
  }

  public static var messages: Messages { Messages() }

  /// Stand-in for Apple's structure of the same name.
  public struct Messages: AsyncSequence, Sendable {
    public typealias Element = Message

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(stream: theRun().device.messages.iterate().makeAsyncIterator())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      var stream: AsyncStream<DeviceMessage>.Iterator

      public mutating func next() async -> Message? { await stream.next().map { Message(message: $0) } }
    }
  }
}
