import HTTPMessages

/// Where a request to the App Store Server API goes.
struct APIAddress {
  let environment: SimulatedEnvironment
  /// Path and query, without what selected the environment.
  let target: String

  static let receiptPath = "/verifyReceipt"
  static let statusPath = "/ocsp"

  private static let hosts: [String: SimulatedEnvironment] = [
    "api.storekit.apple.com": .production, "api.storekit.itunes.apple.com": .production,
    "api.storekit-sandbox.apple.com": .sandbox, "api.storekit-sandbox.itunes.apple.com": .sandbox,
    "buy.itunes.apple.com": .production, "sandbox.itunes.apple.com": .sandbox,
  ]

  /// Apple's hosts select the environment. On any other host the path may begin with `/app-store/production` or
  /// `/app-store/sandbox`.
  init(of request: HTTPRequest, otherwise environment: SimulatedEnvironment) {
    let (host, target) = Self.parts(of: request.target)
    let name = (host ?? request.fields["Host"] ?? "").lowercased()
    for (prefix, its) in [("/app-store/production", SimulatedEnvironment.production), ("/app-store/sandbox", .sandbox)]
    where target.hasPrefix(prefix + "/") {
      self.environment = its
      self.target = String(target.dropFirst(prefix.count))
      return
    }
    self.environment = Self.hosts[name] ?? environment
    self.target = target
  }

  /// Whether a request is for the API.
  static func isAPI(_ request: HTTPRequest) -> Bool {
    let target = parts(of: request.target).target
    return target.hasPrefix("/inApps/") || target.hasPrefix("/app-store/") || target == receiptPath
      || target == statusPath
  }

  private static func parts(of target: String) -> (host: String?, target: String) {
    for scheme in ["https://", "http://"] where target.hasPrefix(scheme) {
      let rest = target.dropFirst(scheme.count)
      let host = rest.prefix { $0 != "/" && $0 != "?" }
      let path = rest.dropFirst(host.count)
      return (String(host), path.hasPrefix("/") ? String(path) : "/" + path)
    }
    return (nil, target)
  }
}
