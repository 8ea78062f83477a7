import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import WeChatPayProtocol

/// Nothing is taken but what the platform of this program signed, byte for byte; and whatever is signed is read or
/// refused, never trapped on.
func fuzzWeChatNotification(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let text = String(decoding: bytes, as: UTF8.self)
  // Lines as headers, the rest as body, and none of it signed.
  var fields = HTTPFields()
  let lines = text.split(separator: "\n", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
  let names = ["Wechatpay-Timestamp", "Wechatpay-Nonce", "Wechatpay-Serial", "Wechatpay-Signature"]
  for (name, line) in zip(names, lines) { fields.add(name, line) }
  precondition((try? Platform.keys.verify(fields, body: bytes, at: Platform.now)) == nil)
  _ = try? RequestSignature(authorization: text)
  // Signed, the bytes reach everything behind the signature: as a whole notification, and as what is sealed in one.
  check(bytes)
  for type in ["TRANSACTION.SUCCESS", "REFUND.SUCCESS", "SECURITY_ECHO.SUCCESS"] {
    let sealed = SealedResource(
      sealing: bytes, key: Platform.apiV3Key, nonce: "123456789012", associatedData: "transaction")
    check(
      WeChatPayNotification.body(
        id: "1", createTime: Platform.now, eventType: type, summary: "", resource: sealed
      ).bytes)
  }
  let answer = HTTPResponse(status: 200, fields: Platform.fields(bytes), body: bytes)
  let query = WeChatPayCall.transaction(outTradeNo: "ORD001", mchid: "1")
  if let transaction = query.outcome(of: answer, keys: Platform.keys, at: Platform.now).answer {
    precondition(transaction.outTradeNo == "ORD001")
  }
  let refused = HTTPResponse(status: 400, fields: Platform.fields(bytes), body: bytes)
  _ = query.outcome(of: refused, keys: Platform.keys, at: Platform.now)
  _ = try? CertificateDownload.certificates(
    in: answer, keys: Platform.keys, apiV3Key: Platform.apiV3Key, at: Platform.now)
  return 0
}

private func check(_ body: [UInt8]) {
  guard
    let notification = try? WeChatPayNotification(
      fields: Platform.fields(body), body: body, keys: Platform.keys, apiV3Key: Platform.apiV3Key, at: Platform.now)
  else { return }
  switch notification.content {
  case .transaction(let transaction):
    let again = try? PaymentTransaction(transaction.json)
    precondition(again == transaction.cutToSeconds, "a transaction that was written is not read")
    _ = try? WeChatPayEvidence.finding(
      of: transaction, app: "fuzzed", environment: .simulated, signedDate: notification.signedDate)
  case .refund(let refund):
    _ = try? WeChatPayEvidence.refund(
      refund, mchid: "1", app: "fuzzed", environment: .simulated, signedDate: notification.signedDate)
  case .complaint(let notice):
    let again = try? ComplaintNotice(notice.json)
    precondition(again == notice, "a notice that was written is not read")
  case .echo, .other: break
  }
}

extension PaymentTransaction {
  /// WeChat Pay writes whole seconds.
  fileprivate var cutToSeconds: PaymentTransaction {
    var copy = self
    copy.successTime = successTime.map { Timestamp(seconds: $0.seconds) }
    return copy
  }
}

private enum Platform {
  static let now = Timestamp(seconds: 1_795_000_000)
  static let signer = PlatformSigner(identifier: .publicKey("PUB_KEY_ID_1"), privateKey: key)
  static let key = RSAPrivateKey(randomBytes: [UInt8](repeating: 1, count: 32))

  static func fields(_ body: [UInt8]) -> HTTPFields { signer.fields(signing: body, at: now, nonce: "n") }

  static let keys: PlatformKeyRing = {
    var keys = PlatformKeyRing()
    do {
      try keys.add(publicKey: key.publicKey, identifier: "PUB_KEY_ID_1")
    } catch {
      preconditionFailure("a ring takes a public key")
    }
    return keys
  }()

  static let apiV3Key: APIv3Key = {
    guard let key = try? APIv3Key(Secret([UInt8](repeating: 0x61, count: 32))) else {
      preconditionFailure("a key has 32 bytes")
    }
    return key
  }()
}
