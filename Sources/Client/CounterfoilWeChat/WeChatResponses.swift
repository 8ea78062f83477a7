import Counterfoil

/// Receives WeChat's responses from the OpenSDK's delegate. It can do so from the launch on: nothing is lost before
/// there is a listener.
public struct WeChatResponses: Sendable {
  /// Maximum responses without a reader. A customer causes one at a time; of too many, the newest are kept.
  static let untakenMax = 16

  let stream: AsyncStream<WeChatResponse>
  private let continuation: AsyncStream<WeChatResponse>.Continuation

  /// An empty buffer, for one OpenSDK and one `WeChatPayApp`.
  public init() {
    (stream, continuation) = AsyncStream.makeStream(
      of: WeChatResponse.self, bufferingPolicy: .bufferingNewest(Self.untakenMax))
  }

  /// Takes a response (`onResp`), from any thread.
  ///
  /// - Parameters:
  ///   - isPayResp: whether it is a `PayResp`; responses about sharing or signing in are the app's own, and dropped
  ///   here.
  ///   - errCode: WeChat's number: 0 done, -1 error, -2 the customer left.
  ///   - errStr: WeChat's own text, if there is any.
  ///   - prepayId: the payment that it answers, if it says so (Android).
  ///   - extData: the value of the request, if it comes back (Android).
  public func onResp(
    isPayResp: Bool, errCode: Int, errStr: String? = nil, prepayId: String? = nil, extData: String? = nil
  ) {
    guard isPayResp else { return }
    continuation.yield(
      WeChatResponse(errCode: errCode, errStr: errStr, prepayId: prepayId, extData: extData))
  }
}
