/// One of Apple's servers: scheme and host.
package struct AppStoreServerHost: Hashable, Sendable, CustomStringConvertible {
  /// Scheme and host, with the port if it is not the default: `https://api.storekit.apple.com`.
  package let origin: String

  package static let production = AppStoreServerHost(known: "https://api.storekit.apple.com")
  package static let sandbox = AppStoreServerHost(known: "https://api.storekit-sandbox.apple.com")
  // The host names before 2026; they still work.
  private static let formerProduction = AppStoreServerHost(known: "https://api.storekit.itunes.apple.com")
  private static let formerSandbox = AppStoreServerHost(known: "https://api.storekit-sandbox.itunes.apple.com")
  /// The host of `verifyReceipt` for real purchases.
  package static let receiptProduction = AppStoreServerHost(known: "https://buy.itunes.apple.com")
  /// The host of `verifyReceipt` for the sandbox.
  package static let receiptSandbox = AppStoreServerHost(known: "https://sandbox.itunes.apple.com")
  private static let genuine: Set<AppStoreServerHost> = [
    production, sandbox, formerProduction, formerSandbox, receiptProduction, receiptSandbox,
  ]

  private init(known origin: String) { self.origin = origin }

  /// Nil unless the text is exactly `https://` or `http://`, a host and an optional port.
  package init?(_ origin: String) {
    let scheme = origin.hasPrefix("https://") ? "https://" : "http://"
    guard origin.hasPrefix(scheme), origin.utf8.count <= 255 else { return nil }
    let host = origin.utf8.dropFirst(scheme.utf8.count)
    let allowed = { (byte: UInt8) in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x3A, 0x5B, 0x5D].contains(byte)
    }
    guard let first = host.first, first != 0x3A, host.allSatisfy(allowed) else { return nil }
    self.origin = origin
  }

  /// The address of one App Store environment in a simulator. A simulator serves both at one host; the beginning of the
  /// path distinguishes them.
  package func part(_ environment: AppStoreEnvironment) -> AppStoreServerHost {
    AppStoreServerHost(known: origin + (environment == .sandbox ? "/app-store/sandbox" : "/app-store/production"))
  }

  package var isGenuine: Bool { Self.genuine.contains(self) }

  package var description: String { origin }
}

/// The two hosts of an app. One key works for both.
package struct AppStoreServerHosts: Hashable, Sendable {
  package var production: AppStoreServerHost
  package var sandbox: AppStoreServerHost

  /// Creates the pair of hosts; the defaults are Apple's.
  package init(production: AppStoreServerHost = .production, sandbox: AppStoreServerHost = .sandbox) {
    self.production = production
    self.sandbox = sandbox
  }

  /// The two hosts of `verifyReceipt`.
  package static let verifyReceipt = AppStoreServerHosts(production: .receiptProduction, sandbox: .receiptSandbox)

  package subscript(_ environment: AppStoreEnvironment) -> AppStoreServerHost {
    environment == .production ? production : sandbox
  }

  /// Whether both hosts belong to Apple; otherwise they are a simulator.
  package var areGenuine: Bool { production.isGenuine && sandbox.isGenuine }
}
