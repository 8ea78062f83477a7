#if canImport(StoreKit)
  import Foundation
  import StoreKit

  /// The app receipt: StoreKit 1's evidence. It may lag behind the queue, and be missing after a reinstall until it is
  /// refreshed.
  public struct AppReceipt: Sendable {
    /// The receipt as it lies on the device; nil when there is none.
    public var read: @Sendable () async -> [UInt8]?
    /// Has the store write it anew, which may ask the customer for his password; false when it did not.
    public var refresh: @Sendable () async -> Bool

    /// A receipt by its two doors.
    public init(
      read: @escaping @Sendable () async -> [UInt8]?, refresh: @escaping @Sendable () async -> Bool
    ) {
      self.read = read
      self.refresh = refresh
    }

    /// There is none: signed transactions are the evidence.
    public static let none = AppReceipt(read: { nil }, refresh: { true })

    #if canImport(ObjectiveC)
      /// The receipt in the bundle of this app.
      public static let ofThisApp = AppReceipt(
        read: {
          guard let url = Bundle.main.appStoreReceiptURL, let data = try? Data(contentsOf: url) else { return nil }
          return Array(data)
        },
        refresh: { await ReceiptRefresh.send() })
    #else
      /// There is none off Apple's systems.
      public static let ofThisApp = none
    #endif
  }

  #if canImport(ObjectiveC)
    /// Asks the store for the receipt.
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
#endif
