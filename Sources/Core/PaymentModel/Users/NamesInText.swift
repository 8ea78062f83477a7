/// Names of users in texts that people wrote, or that are written for people.
package enum NamesInText {
  /// The text with the alias instead of each name that is a word of its own: the user `al` is not in `alice`.
  package static func replaced(_ names: [String], by alias: String, in text: String) -> String {
    // A name that contains another one comes first.
    let names = names.filter { !$0.isEmpty }.map { Array($0.utf8) }.sorted { $0.count > $1.count }
    let bytes = Array(text.utf8)
    var (after, place): ([UInt8], Int) = ([], 0)
    while place < bytes.count {
      if let name = names.first(where: { isWord($0, in: bytes, at: place) }) {
        after += Array(alias.utf8)
        place += name.count
      } else {
        after.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: after, as: UTF8.self)
  }

  private static func isWord(_ name: [UInt8], in bytes: [UInt8], at place: Int) -> Bool {
    let end = place + name.count
    guard end <= bytes.count, bytes[place..<end].elementsEqual(name), let first = name.first, let last = name.last
    else {
      return false
    }
    let joinsBefore = place > 0 && isPart(bytes[place - 1]) && isPart(first)
    let joinsAfter = end < bytes.count && isPart(bytes[end]) && isPart(last)
    return !joinsBefore && !joinsAfter
  }

  /// Whether a byte may go on with a name. Chinese has no spaces between words, so its characters do not.
  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }
}
