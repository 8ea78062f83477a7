import Cryptography
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// A store's statement that could not take effect, as it is stored with a stopped change.
enum StoppedStatement: Sendable {
  case payment(PaymentUpdate)
  /// An update of a refund that was requested here.
  case refund(VerifiedRefund, evidence: String, origin: Evidence.Origin)

  /// The transaction id of the statement.
  var payment: PaymentKey {
    switch self {
    case .payment(let news): news.facts.key
    case .refund(let news, _, _): news.charge
    }
  }

  var evidence: String {
    switch self {
    case .payment(let news): news.evidence
    case .refund(_, let evidence, _): evidence
    }
  }

  var origin: Evidence.Origin {
    switch self {
    case .payment(let news): news.origin
    case .refund(_, _, let origin): origin
    }
  }

  /// The store's statement without its presenter: it is the same from any source.
  var content: String {
    switch self {
    case .payment(let news):
      JSONValue.members([
        ("payment", news.facts.json), ("charge", news.charge?.json), ("renewal", news.renewal?.json),
        ("refundReversedAt", news.refundReversedAt?.json), ("isWhole", news.isWhole ? nil : .bool(false)),
        ("isTokenUnseen", news.isTokenUnseen ? .bool(true) : nil),
        ("isUnknownToApple", news.isUnknownToApple ? .bool(true) : nil),
      ]).text
    case .refund(let news, _, _): JSONValue.members([("refund", news.json)]).text
    }
  }

  /// The presenter and the presented data; nil if no client presented it.
  var presentation: String? {
    guard case .payment(let news) = self, news.claim != nil || news.isHeldByClient || news.saidBeside != nil else {
      return nil
    }
    return JSONValue.members([
      ("claim", news.claim?.json), ("isHeldByClient", news.isHeldByClient ? .bool(true) : nil),
      ("saidBeside", news.saidBeside.map(JSONValue.string)),
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
    case .payment(let news): news.facts.signedDate
    case .refund(let news, _, _): news.signedDate
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
    var news = PaymentUpdate(facts: facts, evidence: stopped.evidence, origin: stopped.origin)
    news.charge = VerifiedCharge(json["charge"], key: stopped.payment)
    news.renewal = VerifiedRenewal(json["renewal"], of: stopped.payment)
    news.refundReversedAt = Timestamp(json["refundReversedAt"])
    news.isWhole = json["isWhole"]?.bool ?? true
    news.isTokenUnseen = json["isTokenUnseen"]?.bool ?? false
    news.isUnknownToApple = json["isUnknownToApple"]?.bool ?? false
    guard (json["charge"] == nil) == (news.charge == nil), (json["renewal"] == nil) == (news.renewal == nil) else {
      return nil
    }
    guard !stopped.presentations.isEmpty else { return [.payment(news)] }
    return stopped.presentations.map { text in
      var presented = news
      let json = try? JSONReader.read(text.utf8)
      presented.claim = PaymentUpdate.Claim(text: json?["claim"]?.text)
      presented.isHeldByClient = json?["isHeldByClient"]?.bool ?? false
      presented.saidBeside = json?["saidBeside"]?.string
      return .payment(presented)
    }
  }
}
