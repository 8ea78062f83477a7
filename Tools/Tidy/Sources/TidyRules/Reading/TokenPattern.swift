/// A sequence of tokens that a rule looks for, with spaces between: `Task . sleep`. A word that ends in `*` means every
/// word with that beginning.
struct TokenPattern: Sendable {
  let words: [String]

  init(_ text: String) { words = text.split(separator: " ").map(String.init) }

  func matches(_ code: [Token], at index: Int) -> Bool {
    guard index + words.count <= code.count else { return false }
    for (offset, word) in words.enumerated() {
      let token = code[index + offset]
      guard token.kind == .word || token.kind == .punctuation else { return false }
      let fits = word.hasSuffix("*") && word.count > 1 ? token.text.hasPrefix(word.dropLast()) : token.text == word
      guard fits else { return false }
    }
    return true
  }
}

/// Many patterns, so that not each of them is tried at each token.
struct TokenPatterns: Sendable {
  private let patterns: [TokenPattern]
  private var byWord: [String: [Int]] = [:]
  /// Patterns that begin with the beginning of a word, by its first byte.
  private var byByte: [UInt8: [Int]] = [:]

  init(_ patterns: [TokenPattern]) {
    self.patterns = patterns
    for (index, pattern) in patterns.enumerated() {
      let first = pattern.words[0]
      if first.hasSuffix("*") {
        byByte[first.utf8.first ?? 0, default: []].append(index)
      } else {
        byWord[first, default: []].append(index)
      }
    }
  }

  /// The indices of the patterns, each with the index of the token where it begins.
  func matches(in code: [Token]) -> [(pattern: Int, token: Int)] {
    var matches: [(pattern: Int, token: Int)] = []
    for (index, token) in code.enumerated() {
      for number in byWord[token.text] ?? [] where patterns[number].matches(code, at: index) {
        matches.append((number, index))
      }
      guard let byte = token.text.utf8.first, let numbers = byByte[byte] else { continue }
      matches += numbers.filter { patterns[$0].matches(code, at: index) }.map { ($0, index) }
    }
    return matches
  }
}
