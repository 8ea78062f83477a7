import PaymentEngine
import PaymentPrimitives
import TOMLConfiguration

// The links that open an app: what `/.well-known/apple-app-site-association` says of it.
extension AppReading {
  func universalLinks(_ bundleId: String?) -> AppPolicy.UniversalLinks? {
    let team = table.optional(
      "team_id", .string(bytes: 10...10).mapped("ten capital letters and digits") { Self.isTeam($0) ? $0 : nil })
    let paths = table.optional(
      "universal_link_paths",
      .list(
        of: .string(bytes: 1...255).mapped("a path such as /app/*") { Self.isPath($0) ? $0 : nil }, count: 1...100))
    guard team != nil || paths != nil else { return nil }
    if let team, let paths, let bundleId {
      return AppPolicy.UniversalLinks(teamId: team, bundleId: bundleId, paths: paths)
    }
    // A value that is wrong has been refused already.
    let missing = ["team_id", "universal_link_paths", "bundle_id"].filter { !table.keys.contains($0) }
    if let key = missing.first {
      table.refuse(
        key, .missingKey, details: "Links that open the app need team_id, universal_link_paths and bundle_id.")
    }
    return nil
  }

  private static func isTeam(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
  }

  private static func isPath(_ text: String) -> Bool {
    text.hasPrefix("/") && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
  }
}
