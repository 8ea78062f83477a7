import HTTPMessages
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import PaymentServer
import TOMLConfiguration

/// Reads the table `[console.proxy]`.
struct IdentityProviderReading {
  let reading: ConfigurationReading
  let profile: DatabaseProfile

  func read(_ table: ConfigurationTable) -> IdentityProvider? {
    let issuer = table.required("issuer", .string(bytes: 1...255))
    let audience = table.required("audience", .string(bytes: 1...255))
    let header = header(table)
    let proxies = table.required("trusted_proxies", .list(of: .string(bytes: 1...64), count: 1...256)).map {
      ProxyReading(table).blocks($0)
    }
    let keys = keys(table)
    let algorithms: [JSONWebKeySet.Algorithm] = table.value(
      "algorithms", .list(of: .word, count: 1...2), default: JSONWebKeySet.Algorithm.allCases)
    let factors = table.value(
      "second_factors", .list(of: .string(bytes: 1...64), count: 0...16),
      default: [IdentityProvider.usualSecondFactor])
    let claim = table.value("roles_claim", .string(bytes: 1...255), default: IdentityProvider.usualRolesClaim)
    let tables = table.tables("role")
    if tables.isEmpty {
      table.refuse("role", .missingKey, details: "Without a [[console.proxy.role]] no operator has a role.")
    }
    let roles = tables.compactMap { role($0) }
    guard let issuer, let audience, let header, let proxies, !proxies.isEmpty, let keys else { return nil }
    var provider = IdentityProvider(
      issuer: issuer, audience: audience, header: header, proxies: proxies, keys: keys, roles: roles)
    provider.algorithms = Set(algorithms)
    provider.secondFactors = Set(factors)
    provider.rolesClaim = claim
    return provider
  }

  /// Fields that browsers write themselves, or that have another meaning.
  private static let otherFields: Set<String> = ["cookie", "host", "origin", "referer", "sec-fetch-site"]

  private func header(_ table: ConfigurationTable) -> String? {
    guard let name = table.required("header", .string(bytes: 1...64)) else { return nil }
    let isName = name.utf8.allSatisfy { byte in
      (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
    }
    guard isName, !Self.otherFields.contains(name.lowercased()) else {
      table.refuse(
        "header", .malformed, details: "\(name) is no name of a header field in which a proxy passes a token on.")
      return nil
    }
    return name
  }

  private func keys(_ table: ConfigurationTable) -> IdentityProvider.KeySource? {
    let path = table.optional("keys_file", .string(bytes: 1...4096))
    let url = table.optional("keys_url", .string(bytes: 8...2048))
    guard ["keys_file", "keys_url"].count(where: { table.keys.contains($0) }) == 1 else {
      table.refuse("keys_file", .contradiction, details: "Name keys_file or keys_url, one of the two.")
      return nil
    }
    if let url { return address(url, table) }
    guard let path, let bytes = reading.file(path, table, key: "keys_file") else { return nil }
    do throws(JSONWebKeySet.Problem) { _ = try JSONWebKeySet(bytes) } catch {
      table.refuse("keys_file", .malformed, details: "\(path): \(error)")
      return nil
    }
    return .file(ServerConfiguration.resolve(path, in: reading.folder))
  }

  private func address(_ url: String, _ table: ConfigurationTable) -> IdentityProvider.KeySource? {
    // Whoever changes the answer under way could sign in as anybody.
    guard url.hasPrefix("https://") || profile == .simulated && url.hasPrefix("http://"), !url.contains("@"),
      !url.contains("#")
    else {
      table.refuse("keys_url", .malformed, details: "It must be https:// with a host, without a user or a fragment.")
      return nil
    }
    // A provider may stand in the inner network, and the configuration alone names it.
    reading.doubts.check(table, url: url, at: "keys_url", mayBeInside: true, profile)
    return .url(url)
  }

  private func role(_ table: ConfigurationTable) -> IdentityProvider.RoleRule? {
    let value = table.required("value", .string(bytes: 1...255))
    let role: OperatorRole? = table.required("role", .word)
    let app = table.value("app", .string(bytes: 1...64), default: OperatorAccount.everyApp.text)
    guard let value, let role else { return nil }
    return IdentityProvider.RoleRule(value: value, role: role, app: AppIdentifier(app))
  }

  /// A role in an app that does not exist would give nothing, without an error.
  static func refuseUnknownApps(_ root: ConfigurationTable, _ provider: IdentityProvider?, apps: [AppIdentifier]) {
    let known = Set(apps + [OperatorAccount.everyApp])
    for rule in provider?.roles ?? [] where !known.contains(rule.app) {
      root.refuse(
        "console", .contradiction, details: "A [[console.proxy.role]] names the app \(rule.app), which is not there.")
    }
  }
}
