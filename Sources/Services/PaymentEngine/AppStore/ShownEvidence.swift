import StrictJSON

/// What a client showed of a transaction that waits for Apple's word.
enum ShownEvidence: Hashable, Sendable {
  /// A receipt, by the digest under which it is kept.
  case receipt(digest: String)
  /// A transaction signed long ago, or without a word on its environment.
  case signed(String)

  /// As it is kept with the question.
  var json: JSONValue {
    switch self {
    case .receipt(let digest): .members([("receipt", .string(digest))])
    case .signed(let text): .members([("signed", .string(text))])
    }
  }

  /// Kept evidence; nil for what is none.
  init?(text: String) {
    guard let json = try? JSONReader.read(text.utf8) else { return nil }
    if let digest = json["receipt"]?.string {
      self = .receipt(digest: digest)
    } else if let signed = json["signed"]?.string {
      self = .signed(signed)
    } else {
      return nil
    }
  }

  /// What the journal says of it beside Apple's answer.
  var beside: String? {
    switch self {
    case .receipt: json.text
    case .signed: nil
    }
  }
}
