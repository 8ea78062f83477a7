import StrictJSON

// An item is written as one JSON object: its version and kind, then its facts. The format only grows. Members that
// this version does not know are written back unchanged, so that an older version of an app keeps what a newer one
// wrote.

extension VaultItem {
  /// The format version that this code writes. An item with a higher one is not read, and stays unchanged.
  static let version: Int64 = 1

  /// The stored form of the item.
  public var bytes: [UInt8] { json.bytes }

  /// Reads an item.
  ///
  /// - Throws: `VaultFailure` with the reason: not JSON, a newer format, a fact missing.
  public init(bytes: [UInt8]) throws(VaultFailure) {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONReader.read(bytes, limits: JSONLimits(bytesMax: VaultLimits.itemBytesMax))
    } catch {
      throw VaultFailure("The item is not JSON: \(error).")
    }
    do throws(JSONFieldError) {
      try self.init(json: json)
    } catch {
      throw VaultFailure("The item cannot be understood: \(error)")
    }
  }

  private init(json: JSONValue) throws(JSONFieldError) {
    let fields = try JSONFields(json)
    _ = try fields.integer("version", in: 1...Self.version)
    switch try fields.string("kind") {
    case Kind.order: self = .order(try OrderRecord(json: json))
    case Kind.transaction: self = .transaction(try TransactionRecord(json: json))
    case Kind.earlier: self = .earlier(try KeptEarlierRecord(json: json))
    case Kind.cleared: self = .cleared(try ClearedTransactions(json: json))
    case Kind.entitlements: self = .entitlements(try KeptEntitlements(json: json))
    default: throw JSONFieldError(path: "kind", expected: "a kind of item that this version knows")
    }
  }

  private var json: JSONValue {
    switch self {
    case .order(let record):
      .object(Self.head(Kind.order) + record.members + record.others)
    case .transaction(let record):
      .object(Self.head(Kind.transaction) + record.members + record.others)
    case .earlier(let kept):
      .object(Self.head(Kind.earlier) + kept.members)
    case .cleared(let cleared):
      .object(Self.head(Kind.cleared) + cleared.members + cleared.others)
    case .entitlements(let kept):
      .object(Self.head(Kind.entitlements) + kept.members)
    }
  }

  private enum Kind {
    static let order = "order"
    static let transaction = "transaction"
    static let earlier = "earlier"
    static let cleared = "cleared"
    static let entitlements = "entitlements"
  }

  private static func head(_ kind: String) -> [JSONMember] {
    [JSONMember("version", .integer(version)), JSONMember("kind", .string(kind))]
  }

  /// The members of an item that this version does not know.
  static func others(in json: JSONValue, known: Set<String>) -> [JSONMember] {
    (json.object ?? []).filter {
      !known.contains($0.name) && $0.name != "version" && $0.name != "kind"
    }
  }

  /// The members that have a value.
  static func present(_ members: [(String, JSONValue?)]) -> [JSONMember] {
    members.compactMap { name, value in value.map { JSONMember(name, $0) } }
  }
}
