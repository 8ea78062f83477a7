import Counterfoil

/// Where the OpenSDK's delegate puts what WeChat says. It may do so from the launch on: nothing is lost before
/// somebody listens.
public struct WeChatResponses: Sendable {
  /// Responses nobody has taken yet. A customer makes one at a time; of a flood the newest count.
  static let untakenMax = 16

  let stream: AsyncStream<WeChatResponse>
  private let continuation: AsyncStream<WeChatResponse>.Continuation

  /// An empty place, for one OpenSDK and one `WeChatPayApp`.
  public init() {
    (stream, continuation) = AsyncStream.makeStream(
      of: WeChatResponse.self, bufferingPolicy: .bufferingNewest(Self.untakenMax))
  }

  /// Takes in a response (`onResp`), from whatever thread.
  ///
  /// - Parameters:
  ///   - isPayResp: whether it is a `PayResp`; those to sharing or signing in are the app's own, and dropped here.
  ///   - errCode: WeChat's number: 0 done, -1 error, -2 the customer left.
  ///   - errStr: WeChat's own words, where there are any.
  ///   - prepayId: what it answers, where it says so (Android).
  ///   - extData: what the request carried, where it comes back (Android).
  public func onResp(
    isPayResp: Bool, errCode: Int, errStr: String? = nil, prepayId: String? = nil, extData: String? = nil
  ) {
    guard isPayResp else { return }
    continuation.yield(
      WeChatResponse(errCode: errCode, errStr: errStr, prepayId: prepayId, extData: extData))
  }
}
