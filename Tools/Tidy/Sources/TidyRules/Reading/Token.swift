import SwiftSyntax

/// A token of a source file without its white space and comments, as the rules compare it.
package struct Token: Equatable, Sendable {
  package enum Kind: Sendable {
    /// An identifier or keyword.
    case word
    /// An identifier in backticks, without them.
    case rawIdentifier
    case integer
    case floatingPoint
    /// A part of a string literal without its quotes, or a regular expression. Interpolated code has its own tokens.
    case text
    case punctuation
  }

  let kind: Kind
  let text: String
  /// From 1.
  let line: Int
  /// Whether no white space is before it.
  let touchesPrevious: Bool

  /// Whether it is that word or punctuation.
  func `is`(_ text: String) -> Bool {
    (kind == .word || kind == .punctuation) && self.text == text
  }
}

extension Token {
  init(_ token: TokenSyntax, line: Int, touchesPrevious: Bool) {
    let text = token.text
    switch token.tokenKind {
    case .integerLiteral: kind = .integer
    case .floatLiteral: kind = .floatingPoint
    case .stringSegment, .regexLiteralPattern: kind = .text
    default:
      switch text.unicodeScalars.first {
      case "`": kind = .rawIdentifier
      case let first? where first.properties.isXIDStart || first == "_" || first == "$": kind = .word
      default: kind = .punctuation
      }
    }
    self.text = kind == .rawIdentifier ? String(text.dropFirst().dropLast()) : text
    self.line = line
    self.touchesPrevious = touchesPrevious
  }
}
