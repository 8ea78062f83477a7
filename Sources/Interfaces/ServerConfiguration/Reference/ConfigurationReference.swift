package import PaymentPrimitives
import TOMLConfiguration

/// All keys of the configuration file. A test compares them with the keys that a server reads.
package enum ConfigurationReference {
  /// In the order of a well-kept file; a table stands before its keys.
  package static let keys: [ConfigurationKey] =
    ServerKeys.all + RevocationKeys.all + ConsoleKeys.all + IdentityProviderKeys.all + TraceKeys.all
    + AppKeys.all + ProductKeys.all + AppStoreKeys.all + WeChatPayKeys.all

  private static let byAnchor = Dictionary(keys.map { ($0.anchor, $0) }) { first, _ in first }

  /// The key that a text names, with or without brackets and what stands in them: `app[0].wechat_pay.mchid`.
  package static func key(at path: String) -> ConfigurationKey? { byAnchor[withoutBrackets(path)] }

  /// A path without its brackets and what stands in them: `app.wechat_pay.mchid`.
  package static func withoutBrackets(_ path: String) -> String {
    SettingPath.pattern(of: path).replacing("[]", with: "")
  }

  /// The key of a place within the file, or the nearest table above it that is a key.
  package static func nearest(to path: String) -> ConfigurationKey? {
    var rest = path[...]
    while true {
      if let key = key(at: String(rest)) { return key }
      guard let point = rest.lastIndex(of: ".") else { return nil }
      rest = rest[..<point]
    }
  }

  /// The keys of a table, without those of the tables in it.
  package static func keys(in table: String) -> [ConfigurationKey] { keys.filter { $0.table == table } }

  /// The page of a language, from the root of the sources.
  package static func page(_ language: Language) -> String {
    switch language {
    case .english: "docs/reference/configuration.md"
    case .chinese: "docs/reference/configuration.zh-CN.md"
    }
  }

  /// Where the setting at a place of the file is explained: the command and the page; nil if nowhere.
  package static func explanation(of path: String, _ language: Language) -> String? {
    guard let key = nearest(to: path) else { return nil }
    let place = page(language) + "#" + key.anchor
    let command = "`counterfoil config explain \(key.anchor)`"
    return BilingualText("\(command), \(place)", "\(command)，\(place)")[language]
  }

  /// Where a page explains the setting at a place of the file; nil if no page does.
  package static func link(to path: String, _ language: Language) -> String? {
    nearest(to: path).map { page(language) + "#" + $0.anchor }
  }
}
