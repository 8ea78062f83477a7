package import PaymentServer

/// Where the console listens, and how browsers reach it.
package struct ConsoleListenSettings: Hashable, Sendable {
  package var address: String
  package var port: UInt16
  /// `https://console.example.com`: what browsers show, without a path.
  package var origin: String
  /// Whether some actions need a second operator.
  package var needsApprovals: Bool
  /// What one operator may refund of one payment, in fen.
  package var refundMinorUnits: Int64
  /// The identity provider of operators; nil if there is none.
  package var provider: IdentityProvider?

  package init(
    address: String, port: UInt16, origin: String, needsApprovals: Bool, refundMinorUnits: Int64 = usualRefund
  ) {
    self.address = address
    self.port = port
    self.origin = origin
    self.needsApprovals = needsApprovals
    self.refundMinorUnits = refundMinorUnits
  }

  /// 200 yuan.
  package static let usualRefund: Int64 = 20_000
}
