import PaymentEngine
import StrictJSON

/// The evidence that a client presented for a transaction that waits for Apple's answer.
enum ShownEvidence: Hashable, Sendable {
  /// A receipt, by the digest under which it is stored.
  case receipt(digest: String)
  /// A transaction with an old signature, or without an environment.
  case signed(String)

  /// The form that is stored with the question.
  var json: JSONValue {
    switch self {
    case .receipt(let digest): .members([("receipt", .string(digest))])
    case .signed(let text): .members([("signed", .string(text))])
    }
  }

  /// Stored evidence; nil if the text is not evidence.
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

  /// The text that the journal keeps beside Apple's answer.
  var beside: String? {
    switch self {
    case .receipt: json.text
    case .signed: nil
    }
  }
}
