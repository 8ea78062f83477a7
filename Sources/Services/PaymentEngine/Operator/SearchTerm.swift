import PaymentPrimitives

/// What an operator types to find something: any number or name that a customer, a store or a backend may tell.
package struct SearchTerm: Hashable, Sendable {
  /// Longer than every id that a store or this product makes.
  package static let bytesMax = 128

  /// The text as it is looked up: trimmed, without surrounding quotes, with full-width digits and letters as ASCII.
  package let text: String

  /// Nil for an empty or overlong text, and for one with control characters.
  package init?(_ typed: String) {
    var scalars = Self.trimmed(typed.unicodeScalars.map(Self.folded)[...])
    if let first = scalars.first, scalars.count > 1, Self.quotes[first] == scalars.last {
      scalars = Self.trimmed(scalars.dropFirst().dropLast())
    }
    guard !scalars.contains(where: { $0.properties.generalCategory == .control }) else { return nil }
    text = String(String.UnicodeScalarView(scalars))
    guard (1...Self.bytesMax).contains(text.utf8.count) else { return nil }
  }

  /// Each opening quotation mark with its closing one.
  private static let quotes: [Unicode.Scalar: Unicode.Scalar] = [
    "\"": "\"", "'": "'", "`": "`", "\u{201C}": "\u{201D}", "\u{2018}": "\u{2019}", "\u{300C}": "\u{300D}",
    "\u{FF02}": "\u{FF02}",
  ]

  private static func trimmed(_ scalars: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return [] }
    return scalars[first...last]
  }

  /// A full-width digit, letter, hyphen or low line as ASCII; any other character unchanged.
  private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0xFF0D, 0xFF10...0xFF19, 0xFF21...0xFF3A, 0xFF3F, 0xFF41...0xFF5A:
      Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
    default: scalar
    }
  }
}

/// What a term may mean.
package enum SearchMeaning: String, Hashable, CaseIterable, Sendable {
  /// The id of an order: `appAccountToken`, `out_trade_no`.
  case order
  /// The code that the client library shows to customers.
  case supportCode
  /// The backend's number of an order.
  case backendReference
  /// The app's number of an order, which is unique for a user alone.
  case appReference
  /// A transaction id of either store.
  case transaction
  /// Apple's `originalTransactionId`: every payment of a subscription.
  case originalTransaction
  /// Apple's number in the mail to the customer, if Apple was asked about it before.
  case orderNumber
  /// Apple's `webOrderLineItemId`.
  case lineItem
  /// The token of a payment that waits without an order.
  case token
  /// Our number of a refund: `out_refund_no`.
  case refund
  /// WeChat Pay's number of a refund: `refund_id`.
  case storeRefund
  case delivery
  /// A store's id of a notification.
  case notification
  /// WeChat Pay's number of a customer's complaint: `complaint_id`.
  case complaint
  case user
  /// The id of a request, as every answer and the log have it; the newest requests alone.
  case request
  /// Apple's `appTransactionId`: the users known for an Apple account.
  case appTransaction
}

extension SearchTerm {
  /// What the text may mean by its shape, the most specific meanings first.
  package var meanings: [SearchMeaning] { SearchMeaning.allCases.filter(allows) }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  private func allows(_ meaning: SearchMeaning) -> Bool {
    switch meaning {
    case .order, .token: OrderIdentifier(text) != nil
    case .supportCode: SupportCode(text) != nil
    case .orderNumber: AppleOrderNumber(text) != nil
    case .originalTransaction, .lineItem, .storeRefund, .appTransaction, .complaint:
      text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    case .delivery: text.hasPrefix("dlv_")
    case .request: text.utf8.count == 16 && text.utf8.allSatisfy(Self.isHexadecimal)
    case .backendReference, .appReference, .transaction, .refund, .notification, .user: true
    }
  }
}
