import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol

/// The checks that every request passes first, in WeChat Pay's order.
struct RequestGate {
  let state: WeChatPayState
  /// The real time plus the set error of WeChat Pay's clock.
  let wireTime: Timestamp

  struct Passed {
    let merchant: SimulatedMerchant
    let nonce: String
    /// The certificate of the request's signature: answers are encrypted with its key.
    let certificate: SimulatedMerchant.Certificate
  }

  /// The merchant that a request claims to come from.
  static func namedMerchant(in request: HTTPRequest) -> String? {
    request.fields["Authorization"].flatMap { (try? RequestSignature(authorization: $0))?.mchid }
  }

  /// Checks the header fields, then the merchant, then the signature over the raw target and bytes.
  ///
  /// - Parameter rawTarget: path and query exactly as received.
  func admit(_ request: HTTPRequest, rawTarget: String) throws(APIProblem) -> Passed {
    let fields = request.fields
    guard fields["User-Agent"]?.isEmpty == false else {
      throw .parameter("User-Agent", "缺少 User-Agent", location: "header")
    }
    guard let accept = fields["Accept"], !accept.isEmpty else {
      throw .parameter("Accept", "缺少 Accept", location: "header")
    }
    guard accept.contains("*/*") || accept.contains("application/") || accept.contains("text/") else {
      throw APIProblem(406, "NOT_ACCEPTABLE", message: "不支持的 Accept")
    }
    if request.method == "POST" {
      guard fields["Content-Type"]?.lowercased().hasPrefix("application/json") == true else {
        throw APIProblem(415, "UNSUPPORTED_MEDIA_TYPE", message: "不支持的 Content-Type")
      }
    }
    guard request.body.count <= WeChatPaySimulatorLimits.bodyBytesMax else {
      throw APIProblem(413, "PARAM_ERROR", message: "请求内容过大", number: 268_435_461)
    }
    guard let authorization = fields["Authorization"] else { throw .signature("Http头缺少Authorization") }
    let signature: RequestSignature
    do throws(CodedError<RequestSignatureErrorCode>) {
      signature = try RequestSignature(authorization: authorization)
    } catch { throw .signature("Http头Authorization值格式错误：\(error.details)") }
    return try admit(request, rawTarget, signature: signature)
  }

  private func admit(
    _ request: HTTPRequest, _ rawTarget: String, signature: RequestSignature
  ) throws(APIProblem) -> Passed {
    guard let merchant = state.merchants[signature.mchid] else {
      throw .signature("商户号 \(Shown.number(signature.mchid)) 不存在")
    }
    guard merchant.isActive else { throw APIProblem(403, "NO_AUTH", message: "商户号未激活或已注销", number: 268_443_715) }
    guard let certificate = merchant.certificate(signature.certificateSerial) else {
      throw .signature("商户证书序列号有误：\(signature.certificateSerial)")
    }
    do throws(CodedError<RequestSignatureErrorCode>) {
      try signature.verify(
        method: request.method, target: rawTarget, body: request.body, key: certificate.key, at: wireTime)
    } catch {
      guard error.code == .requestSignature else { throw .signature("Http头Authorization中的timestamp与发起请求的时间不得超过5分钟") }
      throw .signature("签名信息与请求不符", information: information(request, rawTarget, signature: signature))
    }
    try admitPlatformKey(request.fields)
    return Passed(merchant: merchant, nonce: signature.nonce, certificate: certificate)
  }

  /// What WeChat Pay computed itself, so that a developer can find the wrong line.
  private func information(_ request: HTTPRequest, _ rawTarget: String, signature: RequestSignature) -> JSONValue {
    let message = SignedText.request(
      method: request.method, target: rawTarget, timestamp: signature.timestamp, nonce: signature.nonce,
      body: request.body)
    let shown = String(decoding: message.prefix(128), as: UTF8.self)
    return .members([
      ("method", .string(request.method)), ("url", .string(rawTarget)),
      ("sign_message_length", .integer(message.count)),
      ("truncated_sign_message", .string(shown + (message.count > 128 ? "…" : ""))),
    ])
  }

  /// `Wechatpay-Serial`, if present, must name a platform key.
  private func admitPlatformKey(_ fields: HTTPFields) throws(APIProblem) {
    guard let serial = fields["Wechatpay-Serial"] else { return }
    guard let name = platformKey(serial), state.keys.mode != .certificates || !name.isPublicKey else {
      throw APIProblem(400, "INVALID_REQUEST", message: "Wechatpay-Serial 不是有效的微信支付公钥ID或平台证书序列号")
    }
  }

  /// The names of all keys by their identifiers in headers.
  let identifiers: [PlatformKeyIdentifier: PlatformKeyName]

  func platformKey(_ serial: String) -> PlatformKeyName? {
    PlatformKeyIdentifier(serial).flatMap { identifiers[$0] }
  }
}

/// Text from a request, shortened for an answer.
enum Shown {
  static func number(_ text: String) -> String { String(text.unicodeScalars.prefix(32)) }
}
