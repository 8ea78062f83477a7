import PaymentDatabase
import TOMLConfiguration

/// Whether some actions of the console need a second operator.
private enum ApprovalWord: String, CaseIterable {
  case on, off
}

/// Reads the table `[console]`.
struct ConsoleReading {
  let reading: ConfigurationReading
  let profile: DatabaseProfile

  func read(_ table: ConfigurationTable) -> ConsoleListenSettings? {
    let address = table.value("address", .string(bytes: 1...255), default: "127.0.0.1")
    let port = table.value("port", .integer(in: 0...65535), default: 8090)
    let approvals = table.value("approvals", .word, default: ApprovalWord.on)
    let refund = table.value(
      "refund_minor_units", .integer(in: 0...100_000_000), default: ConsoleListenSettings.usualRefund)
    let provider = table.table("proxy").flatMap {
      IdentityProviderReading(reading: reading, profile: profile).read($0)
    }
    guard let origin = table.required("origin", .string(bytes: 8...255)) else { return nil }
    guard Self.isOrigin(origin) else {
      table.refuse(
        "origin", .malformed,
        details: "It must be https:// with a host and perhaps a port, or http://localhost with a port; nothing else.")
      return nil
    }
    var settings = ConsoleListenSettings(
      address: address, port: UInt16(port), origin: origin, needsApprovals: approvals == .on,
      refundMinorUnits: refund)
    settings.provider = provider
    return settings
  }

  /// Whether a browser could send it as the origin of a page. Cookies of the console need TLS, or this machine.
  private static func isOrigin(_ text: String) -> Bool {
    let host: Substring
    if text.hasPrefix("https://") {
      host = text.dropFirst("https://".count)
    } else if text == "http://localhost" || text.hasPrefix("http://localhost:") {
      host = text.dropFirst("http://".count)
    } else {
      return false
    }
    let parts = host.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let isHost =
      !parts[0].isEmpty
      && parts[0].utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E
      }
    return isHost && (parts.count == 1 || UInt16(parts[1]) != nil)
  }
}
