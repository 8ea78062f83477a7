import Cryptography
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// A store's statement that could not take effect, as it is stored with a stopped change.
package enum StoppedStatement: Sendable {
  case payment(PaymentUpdate)
  /// An update of a refund that was requested here.
  case refund(VerifiedRefund, evidence: String, origin: Evidence.Origin)

  /// The transaction id of the statement.
  var payment: PaymentKey {
    switch self {
    case .payment(let update): update.facts.key
    case .refund(let update, _, _): update.charge
    }
  }

  var evidence: String {
    switch self {
    case .payment(let update): update.evidence
    case .refund(_, let evidence, _): evidence
    }
  }

  var origin: Evidence.Origin {
    switch self {
    case .payment(let update): update.origin
    case .refund(_, _, let origin): origin
    }
  }

  /// The store's statement without its presenter: it is the same from any source.
  var content: String {
    switch self {
    case .payment(let update):
      JSONValue.members([
        ("payment", update.facts.json), ("charge", update.charge?.json), ("renewal", update.renewal?.json),
        ("refundReversedAt", update.refundReversedAt?.json), ("isWhole", update.isWhole ? nil : .bool(false)),
        ("isTokenUnseen", update.isTokenUnseen ? .bool(true) : nil),
        ("isUnknownToApple", update.isUnknownToStore ? .bool(true) : nil),
      ]).text
    case .refund(let update, _, _): JSONValue.members([("refund", update.json)]).text
    }
  }

  /// The presenter and the presented data; nil if no client presented it.
  var presentation: String? {
    guard case .payment(let update) = self, update.claim != nil || update.isHeldByClient || update.clientDetails != nil
    else {
      return nil
    }
    return JSONValue.members([
      ("claim", update.claim?.json), ("isHeldByClient", update.isHeldByClient ? .bool(true) : nil),
      ("saidBeside", update.clientDetails.map(JSONValue.string)),
    ]).text
  }

  /// Names a statement by its content: a store that repeats it signs it again.
  static func name(of content: String) -> String {
    let json = (try? JSONReader.read(content.utf8)).map(withoutSignature)
    return APIKeyText.digest(of: json?.text ?? content)
  }

  private static func withoutSignature(_ json: JSONValue) -> JSONValue {
    guard case .object(let members) = json else { return json }
    return .object(
      members.filter { $0.name != "signedDate" }.map { JSONMember($0.name, withoutSignature($0.value)) })
  }

  var signedDate: Timestamp {
    switch self {
    case .payment(let update): update.facts.signedDate
    case .refund(let update, _, _): update.signedDate
    }
  }

  /// The statements of a stopped change: one for each way in which it was presented.
  ///
  /// - Returns: nil if the row lacks required data.
  static func all(of stopped: StoppedChange) -> [StoppedStatement]? {
    guard let json = try? JSONReader.read(stopped.content.utf8) else { return nil }
    if let refund = json["refund"] {
      return VerifiedRefund(refund, of: stopped.payment)
        .map { [.refund($0, evidence: stopped.evidence, origin: stopped.origin)] }
    }
    guard let facts = VerifiedPayment(json["payment"], key: stopped.payment) else { return nil }
    var update = PaymentUpdate(facts: facts, evidence: stopped.evidence, origin: stopped.origin)
    update.charge = VerifiedCharge(json["charge"], key: stopped.payment)
    update.renewal = VerifiedRenewal(json["renewal"], of: stopped.payment)
    update.refundReversedAt = Timestamp(json["refundReversedAt"])
    update.isWhole = json["isWhole"]?.bool ?? true
    update.isTokenUnseen = json["isTokenUnseen"]?.bool ?? false
    update.isUnknownToStore = json["isUnknownToApple"]?.bool ?? false
    guard (json["charge"] == nil) == (update.charge == nil), (json["renewal"] == nil) == (update.renewal == nil) else {
      return nil
    }
    return all(of: update, presentedAs: stopped.presentations)
  }

  /// One update for each way in which it was presented.
  package static func all(of update: PaymentUpdate, presentedAs presentations: [String]) -> [StoppedStatement] {
    guard !presentations.isEmpty else { return [.payment(update)] }
    return presentations.map { text in
      var presented = update
      let json = try? JSONReader.read(text.utf8)
      presented.claim = OwnershipClaim(text: json?["claim"]?.text)
      presented.isHeldByClient = json?["isHeldByClient"]?.bool ?? false
      presented.clientDetails = json?["saidBeside"]?.string
      return .payment(presented)
    }
  }
}
