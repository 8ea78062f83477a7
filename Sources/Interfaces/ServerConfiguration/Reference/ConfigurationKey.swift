package import PaymentPrimitives
package import TOMLConfiguration

/// One key of the configuration file: what a reference and a manual page tell about it.
package struct ConfigurationKey: Hashable, Sendable {
  /// What a server does without the key.
  package enum Standard: Hashable, Sendable {
    /// It refuses the configuration.
    case required
    /// Nothing: there is no such value.
    case none
    /// This value, as the file would state it.
    case value(String)
    /// It depends on other settings.
    case depends(BilingualText)
  }

  /// When a changed value takes effect in a running server.
  package enum Reload: String, Hashable, CaseIterable, Sendable {
    /// With `SIGHUP`, for calls that begin after it.
    case atOnce
    /// With `SIGHUP`, for connections that begin after it.
    case newConnections
    /// At the next start; a reload names it in the log.
    case restart

    package var words: BilingualText {
      switch self {
      case .atOnce: BilingualText("takes effect with a reload", "重新加载后立即生效")
      case .newConnections: BilingualText("takes effect with a reload, for new connections", "重新加载后对新连接生效")
      case .restart: BilingualText("needs a restart", "需要重启")
      }
    }
  }

  /// The key with the tables above it; a list of tables ends with brackets: `app[].product[].id`.
  package let path: String
  package let shape: SettingShape
  package let standard: Standard
  package let reload: Reload
  /// Lines of a table, which a server reads.
  package let example: String
  package let meaning: BilingualText
  /// What a number counts; nil if the value says it itself.
  package let unit: BilingualText?
  /// Whether a production profile refuses it.
  package let isSimulatedOnly: Bool

  init(
    _ path: String, _ shape: SettingShape, standard: Standard = .none, reload: Reload, example: String,
    unit: BilingualText? = nil, isSimulatedOnly: Bool = false, meaning: BilingualText
  ) {
    self.path = path
    self.shape = shape
    self.standard = standard
    self.reload = reload
    self.example = example
    self.unit = unit
    self.isSimulatedOnly = isSimulatedOnly
    self.meaning = meaning
  }

  /// The path without brackets, by which pages and errors link to it: `app.product.id`.
  package var anchor: String { path.replacing("[]", with: "") }
  /// The last part of the path, as the file writes it.
  package var name: String { String(anchor.split(separator: ".").last ?? "") }
  /// The path of the table that holds it; empty for the top of the file.
  package var table: String {
    path.lastIndex(of: ".").map { String(path[..<$0]) } ?? ""
  }
  /// The table in which the example stands.
  package var exampleTable: String { shape.isTable ? path : table }
  /// The example with the line that begins its table.
  package var fragment: String { Self.header(of: exampleTable) + example }
  /// Whether the value names a place of a secret.
  package var isSecret: Bool { shape.isSecret }
  /// The command line flag and the environment variable that overrule it, if any.
  package var overrules: (flag: String, variable: String)? {
    guard ServerConfiguration.layeredKeys.contains(path) else { return nil }
    return ("--" + SettingLayers.flagName(of: path), SettingLayers.variableName(of: path))
  }

  /// `[app.wechat_pay]` or `[[app.product]]`, with the end of its line; nothing for the top of the file.
  package static func header(of table: String) -> String {
    guard !table.isEmpty else { return "" }
    let name = table.replacing("[]", with: "")
    return table.hasSuffix("[]") ? "[[\(name)]]\n" : "[\(name)]\n"
  }
}
