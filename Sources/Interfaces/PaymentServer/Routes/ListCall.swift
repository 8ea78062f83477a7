import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// The query of a list that an operator reads.
struct ListCall {
  private static let usualLimit: Int64 = 50

  /// The parts of a position, the moment first.
  struct Parts {
    let moment: Timestamp
    private let parts: [String]

    init?(_ text: String) {
      parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
      guard parts.count >= 2, let milliseconds = Int64(parts[0]) else { return nil }
      moment = Timestamp(milliseconds: milliseconds)
    }

    var count: Int { parts.count }
    subscript(_ index: Int) -> String { parts[index] }
  }

  let appEnvironment: AppEnvironment
  let limit: Int
  let filter: ListFilter
  private let after: String?

  init(_ call: Call, states: [String]) throws(CodedError<ServerErrorCode>) {
    appEnvironment = try call.operatorEnvironmentOrHome()
    limit = Int(try call.queryNumber("limit", in: 1...Int64(PaymentEngine.listedMax), otherwise: Self.usualLimit))
    after = try call.query("after")
    var filter = ListFilter()
    filter.store = try call.word("store", Store.init(rawValue:), Store.allCases.map(\.rawValue))
    filter.state = try call.word("state", { states.contains($0) ? $0 : nil }, states)
    filter.product = try call.query("product")
    filter.user = try call.query("userId").map { UserIdentifier($0) }
    filter.from = try call.moment("from")
    filter.to = try call.moment("to")
    self.filter = filter
  }

  /// The position that `after` names.
  func position<Position>(_ read: (Parts) -> Position?) throws(CodedError<ServerErrorCode>) -> Position? {
    guard let after else { return nil }
    guard let parts = Parts(after), let position = read(parts) else {
      throw CodedError(.fieldInvalid, "after must be the `next` of a page.")
    }
    return position
  }

  static func text(_ moment: Timestamp, _ parts: String...) -> String {
    ([String(moment.milliseconds)] + parts).joined(separator: "/")
  }

  static func json(_ name: String, _ items: [JSONValue], next: String?) -> JSONValue {
    .members([(name, .array(items)), ("next", next.map(JSONValue.string))])
  }
}

extension Call {
  /// The environment that the query names: any, also one that the present configuration no longer has.
  func operatorEnvironment() throws(CodedError<ServerErrorCode>) -> AppEnvironment? {
    let words = StoreEnvironment.allCases.map(\.rawValue)
    guard let environment = try word("environment", StoreEnvironment.init(rawValue:), words) else { return nil }
    return AppEnvironment(app: try authenticatedApp().id, environment: environment)
  }

  func operatorEnvironmentOrHome() throws(CodedError<ServerErrorCode>) -> AppEnvironment {
    if let named = try operatorEnvironment() { return named }
    return try authenticatedApp().homeEnvironment
  }

  /// A word of the query, from a closed list.
  func word<Word>(
    _ name: String, _ read: (String) -> Word?, _ words: [String]
  ) throws(CodedError<ServerErrorCode>) -> Word? {
    guard let text = try query(name) else { return nil }
    guard let word = read(text) else {
      throw CodedError(.fieldInvalid, "\(name) must be one of \(words.joined(separator: ", ")).")
    }
    return word
  }

  /// A moment of the query.
  func moment(_ name: String) throws(CodedError<ServerErrorCode>) -> Timestamp? {
    guard let text = try query(name) else { return nil }
    guard let moment = Timestamp(iso8601: text) else {
      throw CodedError(.fieldInvalid, "\(name) must be a moment such as 2025-10-09T00:00:00Z.")
    }
    return moment
  }
}

extension RouteDocumentation.Parameter {
  static func operatorEnvironment(_ otherwise: String) -> Self {
    Self(name: "environment", meaning: "Which environment. \(otherwise)", schema: Schemas.environment)
  }
}
