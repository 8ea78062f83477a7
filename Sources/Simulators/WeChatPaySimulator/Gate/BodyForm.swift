import PaymentPrimitives
import StrictJSON

/// The format of a body: allowed members, required members, and lengths. Any other member is an error, as at WeChat
/// Pay.
indirect enum BodyForm: Sendable {
  /// A text with a length range in characters; none has more than three bytes in UTF-8.
  case text(ClosedRange<Int>)
  /// A merchant's number: letters, digits and a few signs.
  case number(ClosedRange<Int>, others: String)
  case word([String])
  case integer(ClosedRange<Int64>)
  case bool
  /// A moment in the form `2025-10-09T17:23:20+08:00`.
  case moment
  /// A callback URL: no query, and a maximum length in characters.
  case address(Int)
  case list(BodyForm, countMax: Int)
  case members([Member])

  struct Member: Sendable {
    let name: String
    let form: BodyForm
    let isRequired: Bool
  }

  static func must(_ name: String, _ form: BodyForm) -> Member { Member(name: name, form: form, isRequired: true) }
  static func may(_ name: String, _ form: BodyForm) -> Member { Member(name: name, form: form, isRequired: false) }

  func read(_ body: [UInt8]) throws(APIProblem) -> JSONValue {
    let value: JSONValue
    do {
      value = try JSONReader.read(body, limits: JSONLimits(bytesMax: WeChatPaySimulatorLimits.bodyBytesMax))
    } catch { throw .parameter("/", "请求体不是合法的 JSON：\(error.reason.rawValue)") }
    try check(value, at: "")
    return value
  }

  private func check(_ value: JSONValue, at path: String) throws(APIProblem) {
    let problem = { (issue: String) in APIProblem.parameter(path.isEmpty ? "/" : path, issue, value: value.shown) }
    switch self {
    case .text(let lengths):
      guard let text = value.string else { throw problem("不是字符串") }
      guard lengths.contains(text.unicodeScalars.count) else {
        throw problem("长度应为 \(lengths.lowerBound) 至 \(lengths.upperBound)")
      }
      guard text.unicodeScalars.allSatisfy({ $0.value <= 0xFFFF }) else { throw problem("含有不支持的四字节字符") }
    case .number(let lengths, let others):
      guard let text = value.string, Forms.number(text, lengths, others: others) else {
        throw problem("应为 \(lengths.lowerBound) 至 \(lengths.upperBound) 位的字母、数字或 \(others)")
      }
    case .word(let words):
      guard let text = value.string, words.contains(text) else { throw problem("枚举值不合法") }
    case .integer(let range):
      guard let number = value.integer, range.contains(number) else { throw problem("整数超出取值范围") }
    case .bool: guard value.bool != nil else { throw problem("不是布尔值") }
    case .moment:
      guard let text = value.string, text.utf8.count == 25, Timestamp(iso8601: text) != nil else {
        throw problem("不符合 yyyy-MM-DDTHH:mm:ss+TIMEZONE 格式")
      }
    case .address(let bytesMax):
      guard let text = value.string, Self.isAddress(text, bytesMax) else { throw problem("通知地址不合法") }
    case .list(let form, let countMax):
      guard let items = value.array, items.count <= countMax else { throw problem("不是不超过 \(countMax) 项的列表") }
      for (index, item) in items.enumerated() { try form.check(item, at: "\(path)/\(index)") }
    case .members(let members): try Self.check(value, members, at: path)
    }
  }

  private static func check(_ value: JSONValue, _ members: [Member], at path: String) throws(APIProblem) {
    guard let given = value.object else { throw .parameter(path.isEmpty ? "/" : path, "不是对象") }
    for member in given {
      guard let known = members.first(where: { $0.name == member.name }) else {
        var problem = APIProblem.parameter("\(path)/\(Shown.number(member.name))", "多余的参数")
        problem = APIProblem(problem.status, problem.word, message: "参数错误", number: 270_924_358, detail: problem.detail)
        throw problem
      }
      try known.form.check(member.value, at: "\(path)/\(member.name)")
    }
    for member in members where member.isRequired && !given.contains(where: { $0.name == member.name }) {
      throw .parameter("\(path)/\(member.name)", "缺少必填参数")
    }
  }

  /// https as WeChat Pay requires, or http for a simulator on the same machine.
  private static func isAddress(_ text: String, _ bytesMax: Int) -> Bool {
    guard let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) }) else { return false }
    let host = text.utf8.dropFirst(scheme.utf8.count).prefix { $0 != 0x2F }
    return !host.isEmpty && text.utf8.count <= bytesMax
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3F && $0 != 0x23 }
  }
}

extension JSONValue {
  /// The value in the form for an answer; nil when it is too long or too deep.
  fileprivate var shown: JSONValue? {
    switch self {
    case .string(let text): .string(Shown.number(text))
    case .number(let digits): digits.utf8.count <= 32 ? self : nil
    case .bool, .null: self
    case .array, .object: nil
    }
  }

  /// The value with the members of each object sorted by name: bodies with the same content become equal.
  var sortedByName: JSONValue {
    switch self {
    case .object(let members):
      .object(members.map { JSONMember($0.name, $0.value.sortedByName) }.sorted { $0.name < $1.name })
    case .array(let items): .array(items.map(\.sortedByName))
    default: self
    }
  }
}
