package import HTTPMessages
package import PaymentPrimitives

/// Chooses between the two languages by `Accept-Language` (RFC 9110, section 12.5.4).
package enum LanguageWish {
  /// Maximum entries that are read: browsers send a handful.
  private static let wishesMax = 20

  /// Chinese if the caller prefers it to English, or names it first with equal weight; otherwise English.
  package static func language(of request: HTTPRequest) -> Language {
    let wishes = request.fields["Accept-Language"]?.lowercased() ?? ""
    var best: (language: Language, weight: Int)?
    for wish in wishes.split(separator: ",").prefix(wishesMax) {
      let parts = wish.split(separator: ";")
      guard let tag = parts.first?.drop(while: { $0 == " " }), let language = Self.language(of: tag) else { continue }
      let weight = parts.dropFirst().compactMap { Self.weight(of: $0) }.first ?? 1000
      if weight > best?.weight ?? 0 { best = (language, weight) }
    }
    return best?.language ?? .english
  }

  private static func language(of tag: Substring) -> Language? {
    switch tag.prefix(while: { $0 != "-" && $0 != " " }) {
    case "zh": .chinese
    case "en": .english
    default: nil
    }
  }

  /// The weight of an entry in thousandths: `q=0.8` is 800. Nil for another parameter or an unreadable one.
  private static func weight(of parameter: Substring) -> Int? {
    let text = parameter.filter { $0 != " " }
    guard text.hasPrefix("q=") else { return nil }
    let number = text.dropFirst(2).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = number.first, whole == "0" || whole == "1" else { return nil }
    let fraction = number.count > 1 ? number[1] : ""
    guard fraction.utf8.count <= 3, fraction.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let thousandths = Int(fraction + String(repeating: "0", count: 3 - fraction.utf8.count)) ?? 0
    return min(1000, (whole == "1" ? 1000 : 0) + thousandths)
  }
}
