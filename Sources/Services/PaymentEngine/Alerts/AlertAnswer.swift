import Cryptography
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// What came of a message.
package enum AlertAnswer: Hashable, Sendable {
  /// The receiver took it.
  ///
  /// - Parameter words: what it said, for a person.
  case taken(words: String)
  /// The receiver answered that it does not take it.
  ///
  /// - Parameters:
  ///   - code: the vendor's number, or the status.
  ///   - words: what it said.
  case refused(code: String, words: String)
  /// No answer came that can be read.
  case unanswered(String)

  /// The label of the metric.
  package var result: String {
    switch self {
    case .taken: "taken"
    case .refused: "refused"
    case .unanswered: "unanswered"
    }
  }
}

extension AlertAnswer {
  /// The answers of vendors have a few hundred bytes.
  private static let bytesMax = 64 << 10
  private static let wordsMax = 200

  /// Reads an answer. Vendors answer 200 also when they refuse: the code in the body decides.
  init(_ response: HTTPResponse, of channel: AlertChannel) {
    func shown(_ text: String) -> String { Self.shown(text, of: channel) }
    guard (200..<300).contains(response.status) else {
      self = .refused(
        code: "HTTP \(response.status)",
        words: shown(String(decoding: response.body.prefix(Self.wordsMax), as: UTF8.self)))
      return
    }
    guard channel.kind != .webhook else {
      self = .taken(words: "HTTP \(response.status)")
      return
    }
    guard response.body.count <= Self.bytesMax, let json = try? JSONReader.read(response.body) else {
      self = .unanswered("The answer could not be read: it is no JSON of the vendor's.")
      return
    }
    let (codes, texts) =
      channel.kind == .feishu ? (["code", "StatusCode"], ["msg", "StatusMessage"]) : (["errcode"], ["errmsg"])
    let words = shown(texts.compactMap { json[$0]?.string }.first ?? "")
    guard let code = codes.compactMap({ json[$0]?.integer }).first else {
      self = .unanswered("The answer has no \(codes[0]).")
      return
    }
    self = code == 0 ? .taken(words: words) : .refused(code: "\(code)", words: words)
  }

  init(_ error: HTTPExchangeError, of channel: AlertChannel) {
    self = .unanswered(Self.shown(error.problem, of: channel))
  }

  /// One line without the keys of the channel, whatever the other side repeats.
  private static func shown(_ text: String, of channel: AlertChannel) -> String {
    var text = text
    let url = channel.url.withBytes { String(decoding: $0, as: UTF8.self) }
    let secret = channel.secret.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } } ?? ""
    // The key is the last part of the path, or the value of a parameter.
    let place = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).last.map(String.init) ?? ""
    let parts = place.split { "/?&=#".contains($0) }.dropFirst().map(String.init).filter { $0.utf8.count >= 16 }
    for key in [url, secret] + parts.sorted(by: { $0.utf8.count > $1.utf8.count }) where !key.isEmpty {
      text = text.replacing(key, with: "…")
    }
    let line = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
    return String(String(String.UnicodeScalarView(line)).prefix(wordsMax))
  }
}
