package import HTTPMessages
package import PaymentPrimitives
package import StrictJSON

/// A notification of WeChat Pay's whose signature was checked and whose content was decrypted.
///
/// Delivery is not guaranteed, comes repeated and out of order: it is news, to be kept and acknowledged before work.
package struct WeChatPayNotification: Sendable {
  package enum Content: Hashable, Sendable {
    /// An order was paid. There is no notification of one that was not.
    case transaction(PaymentTransaction)
    case refund(RefundNotification)
    /// The answer to the self-test: the message that was sent.
    case echo(String)
    /// Something that this version does not know: to be kept and acknowledged, and nothing else.
    case other
  }

  /// Names the event; the same whenever it is sent again.
  package let id: String
  /// When the event came to be.
  package let createTime: Timestamp?
  /// `TRANSACTION.SUCCESS`, `REFUND.SUCCESS`, …, as it came.
  package let eventType: String
  package let content: Content
  /// The decrypted bytes, to be kept as evidence; empty for what this version does not know.
  package let plaintext: [UInt8]
  package let signedBy: PlatformKeyIdentifier
  /// When this sending of it was signed.
  package let signedDate: Timestamp

  /// WeChat Pay's own bound of ciphertext is 1 MiB; twice that is more than any notification.
  package static let bytesMax = 2 << 20

  /// Checks the signature, then reads, then decrypts: in this order.
  ///
  /// - Parameters:
  ///   - fields: the header fields of the request.
  ///   - body: the bytes as they came.
  /// - Throws: what failed, with the status to answer.
  package init(
    fields: HTTPFields, body: [UInt8], keys: PlatformKeyRing, apiV3Key: APIv3Key, at now: Timestamp
  ) throws(NotificationFailure) {
    signedBy = try Self.verify(fields, body, keys, now)
    signedDate = fields["Wechatpay-Timestamp"].flatMap { Int64(decimal: $0) }.map { Timestamp(seconds: $0) } ?? now
    let envelope = try Envelope(body)
    id = envelope.id
    createTime = envelope.createTime
    eventType = envelope.eventType
    plaintext =
      try envelope.resource.map { resource throws(NotificationFailure) in
        do throws(CodedError<SealedResourceErrorCode>) { return try resource.open(apiV3Key) } catch {
          throw .sealed(error)
        }
      } ?? []
    content = envelope.resource == nil ? .other : try Self.content(eventType, plaintext)
  }

  private static func verify(
    _ fields: HTTPFields, _ body: [UInt8], _ keys: PlatformKeyRing, _ now: Timestamp
  ) throws(NotificationFailure) -> PlatformKeyIdentifier {
    do throws(CodedError<PlatformSignatureErrorCode>) {
      guard body.count <= bytesMax else { throw CodedError(.wrongSignature, "The body is too large.") }
      return try keys.verify(fields, body: body, at: now)
    } catch { throw .unverified(error) }
  }

  /// The outer object, with its resource where the event is one that we know.
  private struct Envelope {
    let id: String
    let createTime: Timestamp?
    let eventType: String
    let resource: SealedResource?

    init(_ body: [UInt8]) throws(NotificationFailure) {
      do {
        let fields = try JSONFields(JSONReader.read(body, limits: JSONLimits(bytesMax: bytesMax)))
        id = try fields.string("id", bytesMax: 64)
        createTime = try fields.moment("create_time")
        eventType = try fields.string("event_type", bytesMax: 64)
        resource =
          knows(eventType)
          ? try SealedResource(JSONFields(fields.value("resource") ?? .null, path: "resource")) : nil
      } catch {
        throw .malformed(CodedError(.malformed, "\(error)"))
      }
    }
  }

  private static func knows(_ eventType: String) -> Bool {
    eventType == "TRANSACTION.SUCCESS" || eventType.hasPrefix("REFUND.") || eventType == "SECURITY_ECHO.SUCCESS"
  }

  private static func content(_ eventType: String, _ plaintext: [UInt8]) throws(NotificationFailure) -> Content {
    let limits = JSONLimits(bytesMax: bytesMax)
    do {
      let value = try JSONReader.read(plaintext, limits: limits)
      if eventType == "TRANSACTION.SUCCESS" { return .transaction(try PaymentTransaction(value)) }
      if eventType.hasPrefix("REFUND.") { return .refund(try RefundNotification(value)) }
      return .echo(try JSONFields(value).string("echo_message"))
    } catch let error as JSONFieldError {
      throw .malformed(CodedError(.malformedContent, error.description))
    } catch {
      throw .malformed(CodedError(.malformedContent, "It is not JSON: \(error)."))
    }
  }

  /// The body of a notification, as the platform sends it. For simulators and tests.
  package static func body(
    id: String, createTime: Timestamp, eventType: String, summary: String, resource: SealedResource
  ) -> JSONValue {
    .members([
      ("id", .string(id)), ("create_time", .string(BeijingTime.text(createTime))),
      ("resource_type", "encrypt-resource"), ("event_type", .string(eventType)), ("summary", .string(summary)),
      ("resource", resource.json),
    ])
  }

  /// The answer to a notification that is kept: status alone counts.
  package static let accepted = HTTPResponse(status: 204)
}

/// Why a notification was not taken.
package enum NotificationFailure: Error, Hashable, Sendable {
  case unverified(CodedError<PlatformSignatureErrorCode>)
  /// Signed, and not of a form that we read.
  case malformed(CodedError<NotificationErrorCode>)
  /// Signed, and not to be decrypted.
  case sealed(CodedError<SealedResourceErrorCode>)

  /// Whether WeChat Pay only tried whether we check: to be counted, not to be alarmed about.
  package var isProbe: Bool { self == .unverified(CodedError(.probeSignature)) }

  package var code: String {
    switch self {
    case .unverified(let refusal): refusal.code.rawValue
    case .malformed(let refusal): refusal.code.rawValue
    case .sealed(let refusal): refusal.code.rawValue
    }
  }

  /// The answer, which says no more than its code. After each of them WeChat Pay sends the same again.
  ///
  /// 503 where the next sending may pass, because a key is still to be learned; otherwise 401 or 400.
  package var answer: HTTPResponse {
    let status =
      switch self {
      case .unverified(let refusal): refusal.code == .unknownKey || refusal.code == .keyNotValid ? 503 : 401
      case .malformed, .sealed: 400
      }
    return HTTPResponse(status: status, json: .members([("code", "FAIL"), ("message", .string(code))]))
  }
}

/// What a signed notification is refused for.
package enum NotificationErrorCode: String, ErrorCode {
  /// Not JSON, or without a field that each notification has.
  case malformed = "wechat_pay_notification_malformed"
  /// What was decrypted is not what the event type promises.
  case malformedContent = "wechat_pay_notification_content"

  package var meaning: BilingualText {
    switch self {
    case .malformed: BilingualText("The notification is not of WeChat Pay's form.", "通知不符合微信支付的格式。")
    case .malformedContent:
      BilingualText("What is inside the notification is not of WeChat Pay's form.", "通知解密后的内容不符合微信支付的格式。")
    }
  }

  package var remedy: BilingualText {
    BilingualText(
      "The order is asked for at WeChat Pay anyway; if this repeats, update Counterfoil.",
      "系统会另行向微信支付查询该订单；若反复出现，请升级 Counterfoil。")
  }

  package var retry: RetryAdvice { .never }
}
