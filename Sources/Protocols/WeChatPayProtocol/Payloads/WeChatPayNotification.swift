package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// A notification of WeChat Pay after signature check and decryption.
///
/// Delivery is not guaranteed, may repeat, and may be out of order. Save and acknowledge it before processing it.
package struct WeChatPayNotification: Sendable {
  package enum Content: Hashable, Sendable {
    /// A paid order. There is no notification of an unpaid one.
    case transaction(PaymentTransaction)
    case refund(RefundNotification)
    case complaint(ComplaintNotice)
    /// The answer to the self-test: the sent message.
    case echo(String)
    /// An event that this version does not know: save and acknowledge it, nothing else.
    case other
  }

  /// The id of the event; it stays the same when WeChat Pay sends it again.
  package let id: String
  /// The time of the event.
  package let createTime: Timestamp?
  /// `TRANSACTION.SUCCESS`, `REFUND.SUCCESS`, …, unchanged.
  package let eventType: String
  package let content: Content
  /// The decrypted bytes, to save as evidence; empty if this version does not know the event.
  package let plaintext: [UInt8]
  package let signedBy: PlatformKeyIdentifier
  /// The time at which this delivery was signed.
  package let signedDate: Timestamp

  /// The maximum size: WeChat Pay limits the ciphertext to 1 MiB, and twice that is more than any notification.
  package static let bytesMax = 2 << 20

  /// Checks the signature, then reads, then decrypts, in this order.
  ///
  /// - Parameters:
  ///   - fields: the header fields of the request.
  ///   - body: the received bytes, unchanged.
  /// - Throws: the failed step, with the status for the answer.
  package init(
    fields: HTTPFields, body: [UInt8], keys: PlatformKeyRing, apiV3Key: APIv3Key, at now: Timestamp
  ) throws(NotificationFailure) {
    signedBy = try Self.verify(fields, body, keys: keys, now: now)
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
    _ fields: HTTPFields, _ body: [UInt8], keys: PlatformKeyRing, now: Timestamp
  ) throws(NotificationFailure) -> PlatformKeyIdentifier {
    do throws(CodedError<PlatformSignatureErrorCode>) {
      guard body.count <= bytesMax else { throw CodedError(.wrongSignature, "The body is too large.") }
      return try keys.verify(fields, body: body, at: now)
    } catch { throw .unverified(error) }
  }

  /// The outer object, with its resource if this version knows the event.
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

  /// Whether the form of the content is known: a new word about refunds or complaints has the form of the others.
  private static func knows(_ eventType: String) -> Bool {
    WeChatPayEventType(rawValue: eventType) != nil || eventType.hasPrefix("REFUND.")
      || eventType.hasPrefix("COMPLAINT.")
  }

  private static func content(_ eventType: String, _ plaintext: [UInt8]) throws(NotificationFailure) -> Content {
    let limits = JSONLimits(bytesMax: bytesMax)
    do {
      let value = try JSONReader.read(plaintext, limits: limits)
      if WeChatPayEventType(rawValue: eventType) == .transactionSuccess {
        return .transaction(try PaymentTransaction(value))
      }
      if eventType.hasPrefix("REFUND.") { return .refund(try RefundNotification(value)) }
      if eventType.hasPrefix("COMPLAINT.") { return .complaint(try ComplaintNotice(value)) }
      return .echo(try JSONFields(value).string("echo_message"))
    } catch let error as JSONFieldError {
      throw .malformed(CodedError(.malformedContent, error.description))
    } catch {
      throw .malformed(CodedError(.malformedContent, "It is not JSON: \(error)."))
    }
  }

  /// The answer to a saved notification; only the status counts.
  package static let accepted = HTTPResponse(status: 204)
}

/// The reason why a notification was not accepted.
package enum NotificationFailure: Error, Hashable, Sendable {
  case unverified(CodedError<PlatformSignatureErrorCode>)
  /// The signature is valid, but this version cannot read the form.
  case malformed(CodedError<NotificationErrorCode>)
  /// The signature is valid, but decryption failed.
  case sealed(CodedError<SealedResourceErrorCode>)

  /// Whether WeChat Pay only tests our signature check. Count it, but raise no alarm.
  package var isProbe: Bool { self == .unverified(CodedError(.probeSignature)) }

  package var code: String {
    switch self {
    case .unverified(let error): error.code.rawValue
    case .malformed(let error): error.code.rawValue
    case .sealed(let error): error.code.rawValue
    }
  }

  /// The answer; it contains only the code. WeChat Pay sends the notification again after any of these answers.
  ///
  /// 503 if the next delivery may succeed after we learned a key; otherwise 401 or 400.
  package var answer: HTTPResponse {
    let status =
      switch self {
      case .unverified(let error): error.code == .unknownKey || error.code == .keyNotValid ? 503 : 401
      case .malformed, .sealed: 400
      }
    return HTTPResponse(status: status, json: .members([("code", "FAIL"), ("message", .string(code))]))
  }
}

/// The errors of a signed notification.
package enum NotificationErrorCode: String, ErrorCode {
  /// The body is not JSON, or a field that every notification has is missing.
  case malformed = "wechat_pay_notification_malformed"
  /// The decrypted content does not match the event type.
  case malformedContent = "wechat_pay_notification_content"

  package var meaning: BilingualText {
    switch self {
    case .malformed: BilingualText("The notification does not have WeChat Pay's form.", "通知不符合微信支付的格式。")
    case .malformedContent:
      BilingualText("The content of the notification does not have WeChat Pay's form.", "通知解密后的内容不符合微信支付的格式。")
    }
  }

  package var remedy: BilingualText {
    BilingualText(
      "The server queries WeChat Pay for the order anyway. If this repeats, update Counterfoil.",
      "系统会另行向微信支付查询该订单；若反复出现，请升级 Counterfoil。")
  }

  package var retry: RetryAdvice { .never }
}
