import CPostgreSQL
import PaymentDatabase
import PaymentPrimitives

/// A checked address: the options of libpq, once for each server that it names.
struct ServerAddress: Sendable {
  /// One server with the options of a connection to it.
  struct Host: Sendable {
    /// Its name and port, for messages.
    let name: String
    let options: [String: String]

    /// The name that stands for an address; nil for a socket, or where libpq knows the address from elsewhere.
    var nameToLookUp: String? {
      guard let host = options["host"], let first = host.first, first != "/", first != "@" else { return nil }
      let isKnown = options["hostaddr"] != nil || options["service"] != nil || ServerAddress.hasAddressElsewhere
      return isKnown ? nil : host
    }

    func at(_ address: String) -> Host {
      Host(name: name, options: options.merging(["hostaddr": address]) { $1 })
    }
  }

  /// Whether the variables of libpq name an address.
  private static let hasAddressElsewhere: Bool = {
    guard let options = PQconndefaults() else { return false }
    defer { PQconninfoFree(options) }
    var option = options
    while let keyword = option.pointee.keyword {
      if String(cString: keyword) == "hostaddr" { return option.pointee.val != nil }
      option += 1
    }
    return false
  }()

  /// How such an address begins.
  static let schemes = ["postgresql://", "postgres://"]

  let hosts: [Host]

  /// - Throws: `invalidAddress`. The message never repeats the address: it may contain a password by mistake.
  init(_ address: String, password: String?, schema: String) throws(CodedError<DatabaseErrorCode>) {
    guard Self.schemes.contains(where: { address.hasPrefix($0) }) else {
      throw Self.invalid("It does not begin with `postgresql://`.")
    }
    guard Self.isPlain(schema) else {
      throw Self.invalid("The schema's name has other characters than small letters, digits and underscores.")
    }
    let given = try Self.parse(address)
    guard given["password"] == nil else { throw Self.invalid("It contains a password.") }
    guard given["dbname"] != nil else { throw Self.invalid("It names no database.") }
    guard given["options"] == nil else { throw Self.invalid("It sets `options`, which this program sets itself.") }
    let names = Self.list(given["host"])
    let addresses = Self.list(given["hostaddr"])
    let ports = Self.list(given["port"])
    let count = max(names.count, addresses.count)
    guard count > 0 else { throw Self.invalid("It names no server.") }
    guard [0, count].contains(names.count), [0, count].contains(addresses.count), [0, 1, count].contains(ports.count)
    else { throw Self.invalid("It names different numbers of servers and ports.") }
    var common = given.merging(Self.fixed) { $1 }
    if let password { common["password"] = password }
    common["options"] = Self.serverOptions(schema)
    hosts = (0..<count).map { index in
      var options = common
      options["host"] = names.isEmpty ? nil : names[index]
      options["hostaddr"] = addresses.isEmpty ? nil : addresses[index]
      let port = ports.isEmpty ? nil : ports[ports.count == 1 ? 0 : index]
      options["port"] = port
      let name = (names.isEmpty ? addresses : names)[index]
      return Host(name: port.map { "\(name):\($0)" } ?? name, options: options)
    }
  }

  private static func invalid(_ details: String) -> CodedError<DatabaseErrorCode> {
    CodedError(.invalidAddress, details)
  }

  static func isPlain(_ schema: String) -> Bool {
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = schema.utf8.first, schema.utf8.count <= 63, !digits.contains(first) else { return false }
    return schema.utf8.allSatisfy { letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") }
  }

  /// A list of libpq: commas, and an empty text for no entry.
  private static func list(_ text: String?) -> [String] {
    guard let text, !text.isEmpty else { return [] }
    return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  static func parse(_ address: String) throws(CodedError<DatabaseErrorCode>) -> [String: String] {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(address, &message) else {
      // libpq's message may repeat parts of the address.
      PQfreemem(message)
      throw invalid("libpq cannot read it.")
    }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    return values
  }

  /// What every connection has, whatever the address says.
  private static let fixed = [
    "application_name": "counterfoil", "client_encoding": "UTF8", "keepalives": "1", "keepalives_idle": "5",
    "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "10000",
  ]

  /// The settings of the session, which the server takes with the connection.
  ///
  /// A plan must not depend on how many rows the database had when it was made: every question has an index, and no
  /// plan may do without it. `statement_timeout` does not bound COMMIT: that has a deadline of its own.
  private static func serverOptions(_ schema: String) -> String {
    [
      "search_path=\(schema)", "TimeZone=UTC", "plan_cache_mode=force_generic_plan", "enable_seqscan=off",
      "enable_hashjoin=off", "enable_mergejoin=off", "enable_bitmapscan=off", "jit=off", "lock_timeout=2s",
      "statement_timeout=30s", "idle_in_transaction_session_timeout=10s",
      "default_transaction_isolation=read\\ committed",
      "extra_float_digits=1", "bytea_output=hex", "row_security=off",
    ].map { "-c \($0)" }.joined(separator: " ")
  }
}
