/// A sentence in two languages for people.
public struct BilingualText: Hashable, Sendable {
  /// In English.
  public let english: String
  /// In Simplified Chinese.
  public let chinese: String

  /// The same sentence in English and in Simplified Chinese.
  public init(_ english: String, _ chinese: String) {
    self.english = english
    self.chinese = chinese
  }

  /// The sentence in the given language.
  public subscript(_ language: Language) -> String {
    switch language {
    case .english: english
    case .chinese: chinese
    }
  }
}

/// The languages of texts for people.
public enum Language: String, CaseIterable, Sendable {
  /// English, also for a language that has no texts.
  case english = "en"
  /// Simplified Chinese.
  case chinese = "zh-Hans"
}

/// Whether repeating the request can help.
public enum RetryAdvice: Hashable, Sendable {
  /// The same request will fail the same way.
  case never
  /// The same request may succeed later; safe, because every request of ours is idempotent.
  case later
}

/// The closed list of errors of one part of the system, each with its stable code.
///
/// The raw value is the code: stable for ever, unique over the whole product, listed in `docs/reference/errors.md`.
public protocol ErrorCode: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// The fact that the code states, for an operator or developer.
  var meaning: BilingualText { get }
  /// What to do about it.
  var remedy: BilingualText { get }
  /// Whether repeating the request can help.
  var retry: RetryAdvice { get }
}

/// An error: a stable code to compare, and details of this case to read.
///
/// Two errors are equal when their codes are. `details` never carries a key, a token, signed data or a person's
/// identity.
public struct CodedError<Code: ErrorCode>: Error, Hashable, CustomStringConvertible {
  /// The code of the error.
  public let code: Code
  /// The details: which field, which value is expected, which was found.
  public let details: String

  /// An error with its details: a full sentence, or empty.
  public init(_ code: Code, _ details: String = "") {
    self.code = code
    self.details = details
  }

  public static func == (a: CodedError, b: CodedError) -> Bool { a.code == b.code }

  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  public var description: String {
    details.isEmpty
      ? "\(code.rawValue): \(code.meaning.english)"
      : "\(code.rawValue): \(code.meaning.english) \(details)"
  }
}
