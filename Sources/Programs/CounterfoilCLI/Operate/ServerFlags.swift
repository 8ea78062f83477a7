import PaymentPrimitives
import ServerConfiguration

/// Options that name a server's configuration and database.
package enum ServerFlags {
  /// Their names; each takes a value.
  package static let valued = ["config", "data"] + ServerConfiguration.layeredKeys

  /// Their explanation in usage texts.
  package static let usage = """
      --config FILE       the server's configuration (otherwise COUNTERFOIL_CONFIG, or counterfoil.toml here)
      --data DIR          the folder of `counterfoil-lab run` (otherwise ./data), where no configuration is found
      --database WHERE    the database, instead of the configuration's: a file, or `postgresql://user@host/database`
    """

  /// The path of the configuration, if there is one.
  package static func configurationPath(_ options: Options, _ platform: Platform) throws -> String? {
    if let path = try options.one("config") { return path }
    if let path = platform.environment("COUNTERFOIL_CONFIG"), !path.isEmpty { return path }
    return try platform.files.read("counterfoil.toml", ServerConfiguration.bytesMax) == nil
      ? nil : "counterfoil.toml"
  }

  package static func layers(_ options: Options) throws -> [String: String] {
    var flags: [String: String] = [:]
    for key in ServerConfiguration.layeredKeys { flags[key] = try options.one(key) }
    return flags
  }
}
