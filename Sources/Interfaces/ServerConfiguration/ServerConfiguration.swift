package import AppStoreProtocol
package import PaymentDatabase
package import PaymentEngine
package import PaymentModel
package import PaymentPrimitives
package import PaymentServer
package import TOMLConfiguration

/// The settings of a server from the configuration file, environment and flags.
package struct ServerConfiguration: Sendable {
  package var profile: DatabaseProfile
  package var listen: ListenSettings
  package var database: DatabaseLocation
  /// When the server takes backups by itself; nil if it does not.
  package var backup: BackupSettings?
  /// The file with the list of erasures; nil if there is none.
  package var erasureList: String?
  /// How long is kept what money does not need.
  package var retention = RetentionPolicy()
  /// Where operators' browsers reach the console; nil if there is none.
  package var console: ConsoleListenSettings?
  /// Where traces are sent; nil if nothing is traced.
  package var traces: TraceSettings?
  /// The channels to which the server sends alerts.
  package var alerts: [AlertChannel] = []
  package var apps: [AppSettings]
  /// The keys for the signatures of user tokens.
  package var userTokenKeys: [CredentialIdentifier: UserTokenKey]
  /// The web pages that may call the routes of users from a browser.
  package var webOrigins: Set<WebOrigin> = []
  /// The roots that the verifier trusts in addition to Apple's.
  package var trust: SignedDataConfiguration
  /// Settings that cannot work, as text for the log; empty if they were rejected.
  package var doubts: [String]
  /// The file that it was read from; empty if it was made otherwise.
  package var file = ConfigurationFile.none

  package init(
    profile: DatabaseProfile, listen: ListenSettings, database: DatabaseLocation, apps: [AppSettings],
    userTokenKeys: [CredentialIdentifier: UserTokenKey], trust: SignedDataConfiguration, doubts: [String] = []
  ) {
    self.profile = profile
    self.listen = listen
    self.database = database
    self.apps = apps
    self.userTokenKeys = userTokenKeys
    self.trust = trust
    self.doubts = doubts
  }

  /// The largest configuration that is read: a thousand products take 200 kB.
  package static let bytesMax = 4 << 20

  /// The settings that a flag or an environment variable may override.
  package static let layeredKeys = ["address", "port", "database"]

  /// Reads the text of a configuration file.
  ///
  /// - Parameters:
  ///   - name: the file's name, for messages.
  ///   - folder: the file's folder with a slash at its end, or nothing: paths in the file are relative to it.
  ///   - layers: the flags and environment variables that replace a setting.
  ///   - refusingDoubts: whether values that can be read but cannot work are errors too.
  ///   - noting: takes each key that is asked for.
  /// - Throws: all problems, each with line, column and remedy.
  package static func read(
    _ bytes: [UInt8], named name: String, in folder: String, layers: SettingLayers, secrets: SecretSources,
    now: @escaping @Sendable () -> Timestamp, refusingDoubts: Bool, noting: ((AskedSetting) -> Void)? = nil
  ) throws(ConfigurationError) -> ServerConfiguration {
    let file = try ConfigurationFile(parsing: bytes, named: name)
    var configuration = try file.read(layers: layers, noting: noting) {
      ConfigurationReading(secrets, folder: folder, now: now, ConfigurationDoubts(areRefused: refusingDoubts))
        .server($0)
    }
    configuration.file = file
    return configuration
  }

  /// Files that a configuration names are relative to its folder, unless their path is absolute.
  package static func resolve(_ path: String, in folder: String) -> String {
    path.hasPrefix("/") ? path : folder + path
  }
}
