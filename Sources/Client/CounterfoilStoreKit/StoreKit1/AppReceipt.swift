#if canImport(StoreKit)
  package import Foundation
  import StoreKit

  /// The app receipt: StoreKit 1's evidence. It may lag behind the queue. After a reinstall it may be missing until it
  /// is refreshed.
  public struct AppReceipt: Sendable {
    /// Reads the receipt on the device; nil if there is none.
    public var read: @Sendable () async -> [UInt8]?
    /// Asks the store to write it again, for which it may ask the customer for their password; false if it did not.
    public var refresh: @Sendable () async -> Bool

    /// A receipt with its two operations.
    public init(
      read: @escaping @Sendable () async -> [UInt8]?, refresh: @escaping @Sendable () async -> Bool
    ) {
      self.read = read
      self.refresh = refresh
    }

    /// No receipt: signed transactions are the evidence.
    public static let none = AppReceipt(read: { nil }, refresh: { true })

    /// The receipt in the bundle of this app.
    public static let ofThisApp = file { Bundle.main.appStoreReceiptURL }

    /// The receipt in a file, which the store writes.
    package static func file(_ place: @escaping @Sendable () -> URL?) -> AppReceipt {
      AppReceipt(
        read: {
          guard let url = place(), let data = try? Data(contentsOf: url) else { return nil }
          return Array(data)
        },
        refresh: { await ReceiptRefresh.send() })
    }
  }

  private final class ReceiptRefresh: NSObject, SKRequestDelegate, Sendable {
    private let answer = Waiting<Bool>()

    static func send() async -> Bool {
      let delegate = ReceiptRefresh()
      let request = SKReceiptRefreshRequest()
      request.delegate = delegate
      request.start()
      let isDone = await delegate.answer.value()
      withExtendedLifetime((request, delegate)) {}
      return isDone ?? false
    }

    func requestDidFinish(_ request: SKRequest) { answer.end(true) }

    func request(_ request: SKRequest, didFailWithError error: any Error) { answer.end(false) }
  }
#endif
