import Cryptography
import PaymentPrimitives

/// An attribute does not have the documented form.
struct ReceiptAttributeFailure: Error {
  /// The attribute's number; nil if the receipt as a whole is not a set of attributes.
  let type: Int64?
  let expected: String
}

extension AppReceipt {
  /// The maximum of purchases in a receipt and of attributes in one set, far above the receipts of the oldest
  /// subscribers.
  static let purchasesMax = 20_000
  static let attributesMax = 25_000

  /// Reads the signed content.
  ///
  /// - Parameter isLenient: skips unreadable attributes instead of failing. Only for tests that show why failing is
  ///   needed.
  init(payload: [UInt8], isLenient: Bool = false) throws(ReceiptAttributeFailure) {
    self.init()
    for attribute in try Self.attributes(of: payload) {
      do throws(ReceiptAttributeFailure) {
        try take(attribute, isLenient)
      } catch {
        if !isLenient { throw error }
      }
    }
  }

  private mutating func take(_ attribute: ReceiptAttribute, _ isLenient: Bool) throws(ReceiptAttributeFailure) {
    switch attribute.type {
    case 0: environment = try attribute.text(once: environment)
    case 1: appItemId = try attribute.number(once: appItemId)
    case 2:
      bundleId = try attribute.text(once: bundleId)
      bundleIdBytes = attribute.value
    case 3: applicationVersion = try attribute.text(once: applicationVersion)
    case 4: opaqueValue = try attribute.once(opaqueValue, attribute.value)
    case 5: deviceHash = try attribute.once(deviceHash, attribute.value)
    case 8: transactionDate = try attribute.date(once: transactionDate)
    case 9: fulfilmentToolVersion = try attribute.number(once: fulfilmentToolVersion)
    case 10: ageRating = try attribute.text(once: ageRating)
    case 11: developerId = try attribute.number(once: developerId)
    case 12: creationDate = try attribute.date(once: creationDate)
    case 15: downloadId = try attribute.number(once: downloadId)
    case 16: installerVersionId = try attribute.number(once: installerVersionId)
    case 17:
      guard inApp.count < Self.purchasesMax else { throw attribute.failure("one of that many purchases") }
      inApp.append(try InAppReceipt(attribute, isLenient))
    case 18: originalPurchaseDate = try attribute.date(once: originalPurchaseDate)
    case 19: originalApplicationVersion = try attribute.text(once: originalApplicationVersion)
    case 21: expirationDate = try attribute.date(once: expirationDate)
    default: unknown.append(attribute)
    }
  }

  /// The attributes of a SET. Receipts from Xcode wrap it in an additional OCTET STRING.
  fileprivate static func attributes(of payload: [UInt8]) throws(ReceiptAttributeFailure) -> [ReceiptAttribute] {
    do throws(BERError) {
      var outside = BERReader(payload)
      if let wrapped = try outside.next(if: BERElement.octetString) {
        guard outside.isAtEnd else { throw .malformed }
        return try attributes(BERReader(outside.octets(of: wrapped)))
      }
      return try attributes(outside)
    } catch {
      throw ReceiptAttributeFailure(type: nil, expected: "a set of attributes")
    }
  }

  private static func attributes(_ reader: BERReader) throws(BERError) -> [ReceiptAttribute] {
    var outside = reader
    let all = try outside.next(BERElement.set)
    guard outside.isAtEnd else { throw .malformed }
    var list = try outside.inside(all)
    var attributes: [ReceiptAttribute] = []
    while !list.isAtEnd {
      guard attributes.count < attributesMax else { throw .malformed }
      var parts = try list.inside(list.next(BERElement.sequence))
      let type = try parts.content(of: parts.next(BERElement.integer)).integer
      let version = try parts.content(of: parts.next(BERElement.integer)).integer
      let value = try parts.octets(of: parts.next())
      guard let type, let version, parts.isAtEnd else { throw .malformed }
      attributes.append(ReceiptAttribute(type: type, version: version, value: value))
    }
    return attributes
  }
}

extension InAppReceipt {
  fileprivate init(_ purchase: ReceiptAttribute, _ isLenient: Bool) throws(ReceiptAttributeFailure) {
    self.init()
    for attribute in try AppReceipt.attributes(of: purchase.value) {
      do throws(ReceiptAttributeFailure) {
        try take(attribute)
      } catch {
        if !isLenient { throw error }
      }
    }
  }

  private mutating func take(_ attribute: ReceiptAttribute) throws(ReceiptAttributeFailure) {
    switch attribute.type {
    case 1701: quantity = try attribute.number(once: quantity)
    case 1702: productId = try attribute.text(once: productId)
    case 1703: transactionId = try attribute.text(once: transactionId)
    case 1704: purchaseDate = try attribute.date(once: purchaseDate)
    case 1705: originalTransactionId = try attribute.text(once: originalTransactionId)
    case 1706: originalPurchaseDate = try attribute.date(once: originalPurchaseDate)
    case 1707: productType = try attribute.number(once: productType)
    case 1708: expiresDate = try attribute.date(once: expiresDate)
    case 1711: webOrderLineItemId = try attribute.number(once: webOrderLineItemId)
    case 1712: cancellationDate = try attribute.date(once: cancellationDate)
    case 1713: isTrialPeriod = try attribute.number(once: isTrialPeriod)
    case 1719: isInIntroOfferPeriod = try attribute.number(once: isInIntroOfferPeriod)
    case 1721: promotionalOfferId = try attribute.text(once: promotionalOfferId)
    default: unknown.append(attribute)
    }
  }
}

extension ReceiptAttribute {
  fileprivate func failure(_ expected: String) -> ReceiptAttributeFailure {
    ReceiptAttributeFailure(type: type, expected: expected)
  }

  /// Requires that this attribute number occurs only once. Otherwise two readers could see different receipts: one
  /// takes the first value, one the last.
  fileprivate func once<Value>(_ earlier: Value?, _ value: Value) throws(ReceiptAttributeFailure) -> Value {
    guard earlier == nil else { throw failure("stated only once") }
    return value
  }

  fileprivate func text(once earlier: String?) throws(ReceiptAttributeFailure) -> String? {
    try once(earlier, text("a text"))
  }

  fileprivate func number(once earlier: Int64?) throws(ReceiptAttributeFailure) -> Int64 {
    var reader = BERReader(value)
    guard let element = try? reader.next(BERElement.integer), reader.isAtEnd,
      let number = reader.content(of: element).integer
    else { throw failure("a number of 64 bits") }
    return try once(earlier, number)
  }

  /// A date, or nil: Apple writes an empty text for an absent date, for example if there is no cancellation.
  fileprivate func date(once earlier: Timestamp?) throws(ReceiptAttributeFailure) -> Timestamp? {
    let written = try text("a date")
    if written.isEmpty { return earlier }
    guard let date = Timestamp(receiptDate: written) else { throw failure("a date") }
    return try once(earlier, date)
  }

  private func text(_ expected: String) throws(ReceiptAttributeFailure) -> String {
    var reader = BERReader(value)
    guard let element = try? reader.next(), reader.isAtEnd,
      element.tag == BERElement.utf8String || element.tag == BERElement.ia5String
    else { throw failure(expected) }
    let bytes = reader.content(of: element)
    let text = String(decoding: bytes, as: UTF8.self)
    // Decoding replaces invalid UTF-8, so the bytes of a replaced text differ.
    guard text.utf8.elementsEqual(bytes) else { throw failure(expected) }
    return text
  }
}

extension ArraySlice<UInt8> {
  /// A number in two's complement; nil if it has more than 64 bits.
  fileprivate var integer: Int64? {
    guard let first, count <= 8 else { return nil }
    return reduce(first < 0x80 ? 0 : -1) { $0 << 8 | Int64($1) }
  }
}

extension Timestamp {
  /// A date of a receipt in RFC 3339. Receipts from Xcode write the offset without a colon (`+0100`).
  init?(receiptDate text: String) {
    if let moment = Timestamp(iso8601: text) {
      self = moment
      return
    }
    let bytes = Array(text.utf8)
    guard bytes.count > 5, let sign = bytes.dropLast(4).last, sign == 0x2B || sign == 0x2D else { return nil }
    let colon = String(decoding: bytes.dropLast(2) + [0x3A] + bytes.suffix(2), as: UTF8.self)
    guard let moment = Timestamp(iso8601: colon) else { return nil }
    self = moment
  }
}
