import PaymentDatabase
import PaymentPrimitives
import PostgreSQLDatabase
import TOMLConfiguration

/// Reads where the database is: `database = "file"`, or the table `[database]`.
struct DatabaseReading {
  private static let key = "database"

  let reading: ConfigurationReading
  let profile: DatabaseProfile

  init(_ reading: ConfigurationReading, profile: DatabaseProfile) {
    self.reading = reading
    self.profile = profile
  }

  /// The location; nil if it is refused.
  func location(_ root: ConfigurationTable) -> DatabaseLocation? {
    let form = SettingForm<String>.string(bytes: 1...4096)
    let (named, table) = root.layered(Self.key, orIn: "url", form, default: "counterfoil.db")
    let stated = table.map { settings(in: $0) }
    // A table without its address is refused already.
    guard let named else { return nil }
    let text = named.value
    func refuse(_ code: ConfigurationErrorCode, _ details: String) -> DatabaseLocation? {
      (table ?? root).refuse(table == nil ? Self.key : "url", code, details: details, from: named.origin)
      return nil
    }
    guard PostgreSQLAddress.isAddress(text) else {
      if text.contains("://") {
        return refuse(.malformed, "It must be a path, or `postgresql://user@host/database`.")
      }
      if named.origin == .file, let table, table.keys.count > 1 {
        return refuse(.contradiction, "The other keys of this table are for `postgresql://` alone.")
      }
      // A path in a flag or variable is relative to the working folder, a path in a configuration to its own folder.
      let isFromFile = named.origin == .file || named.origin == .default
      let path = DatabaseLocation.path(in: text)
      return .file(isFromFile ? ServerConfiguration.resolve(path, in: reading.folder) : path)
    }
    if PostgreSQLAddress.containsPassword(text) {
      return refuse(.secretInline, "The address contains a password. Name its place with `password`.")
    }
    let address: PostgreSQLAddress
    do throws(CodedError<DatabaseErrorCode>) { address = try PostgreSQLAddress(text) } catch {
      return refuse(.malformed, "It must be `postgresql://user@host/database`. \(error.details)")
    }
    guard profile != .production || address.verifiesServers || address.staysHere else {
      return refuse(
        .cannotWork,
        "Payments would cross the network to a server that is not verified: add `?sslmode=verify-full` to the address, "
          + "and `&sslrootcert=/path/of/the/authority.pem` unless the system trusts its certificate.")
    }
    var server = stated ?? settings(in: nil)
    server.url = text
    return .server(server)
  }

  /// - Parameter table: nil without a table: an address in a flag or variable is enough.
  private func settings(in table: ConfigurationTable?) -> DatabaseServerSettings {
    var settings = DatabaseServerSettings(url: "")
    settings.durability = profile == .production ? .replicated : .local
    guard let table else { return settings }
    if let place = table.optional("password", .secret) {
      settings.password = reading.resolve(place, table, key: "password")
    }
    settings.schema = table.value("schema", .string(bytes: 1...63), default: settings.schema)
    if !PostgreSQLAddress.isSchema(settings.schema) {
      table.refuse("schema", .malformed, details: "It must be small letters, digits and underscores.")
    }
    settings.durability = table.value("durability", .word, default: settings.durability)
    settings.writers = Int(table.value("writers", .integer(in: 1...64), default: 4))
    settings.readers = Int(table.value("readers", .integer(in: 1...64), default: 4))
    settings.batch = Int(table.value("batch", .integer(in: 1...1000), default: 200))
    settings.waiting = Int(table.value("waiting", .integer(in: 64...1_000_000), default: 4096))
    settings.commitDeadline = table.value(
      "commit_deadline", .duration(in: .seconds(1) ... .seconds(60)), default: .seconds(10))
    return settings
  }
}
