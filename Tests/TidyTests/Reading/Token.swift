/// A piece of source text: what a rule looks at, so that a word in a comment or text is never taken for code.
struct Token: Equatable {
  enum Kind: Equatable {
    /// A word: an identifier or keyword.
    case word
    /// An identifier in backticks, without them.
    case rawIdentifier
    /// A number, as written.
    case number
    /// A text literal without its quotes; what is interpolated follows as tokens of its own.
    case text
    /// One character of punctuation.
    case punctuation
    /// `//` or `/* */`
    case comment
    /// `///` or `/** */`
    case documentation
  }

  var kind: Kind
  var text: String
  /// The line on which it begins, from 1.
  var line: Int
  /// The line on which it ends.
  var endLine: Int
  /// Whether nothing stands between it and the token before.
  var touchesPrevious: Bool

  var isComment: Bool { kind == .comment || kind == .documentation }

  /// Whether it is that word or punctuation.
  func `is`(_ text: String) -> Bool {
    (kind == .word || kind == .punctuation) && self.text == text
  }
}
