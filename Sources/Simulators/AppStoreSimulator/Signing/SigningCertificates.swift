package import PaymentPrimitives
import SimulatorCore
package import StrictJSON

/// Which leaf signs, under which intermediate. Each has a key of its own, derived from the names here.
struct SigningCertificates: Hashable, Sendable {
  /// The number of the leaf, which grows every two years.
  let leaf: Int64
  /// How many leaves were replaced because they were revoked.
  let leavesReplaced: Int
  /// How many intermediates were replaced because they were revoked.
  let intermediatesReplaced: Int

  /// The name of the leaf's key. A leaf under another intermediate has another one.
  var leafRole: String {
    leavesReplaced + intermediatesReplaced == 0
      ? "leaf \(leaf)" : "leaf \(leaf) after \(leavesReplaced) and \(intermediatesReplaced)"
  }

  /// The name of the intermediate's key: another one from the second leaf on (rule AS-KEY-6).
  var intermediateRole: String {
    let name = leaf < 1 ? "intermediate" : "second intermediate"
    return intermediatesReplaced == 0 ? name : "\(name) after \(intermediatesReplaced)"
  }
}

/// A certificate that a tester revoked (rule AS-KEY-7).
package struct SimulatedCertificateRevocation: Hashable, Sendable {
  package enum Role: String, CaseIterable, Sendable {
    case leaf
    case intermediate
  }

  package let role: Role
  /// In hexadecimal digits.
  package let serialNumber: String
  /// By the simulator's clock: what is signed from then on has another certificate.
  package let at: Timestamp
  /// By the real clock, which responders go by.
  package let realTime: Timestamp
  /// Whether it goes on signing, as it would in the hands of a thief.
  package let keepsSigning: Bool

  package var json: JSONValue { .members(members) }

  var members: [(String, JSONValue?)] {
    [
      ("certificate", .string(role.rawValue)), ("serialNumber", .string(serialNumber)),
      ("at", .integer(at.milliseconds)), ("realTime", .integer(realTime.milliseconds)),
      ("keepsSigning", .bool(keepsSigning)),
    ]
  }

  init(_ role: Role, serialNumber: String, at: Timestamp, realTime: Timestamp, keepsSigning: Bool) {
    (self.role, self.serialNumber, self.at) = (role, serialNumber, at)
    (self.realTime, self.keepsSigning) = (realTime, keepsSigning)
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    role = try fields.converted("certificate", "leaf or intermediate", Role.init(rawValue:))
    serialNumber = try fields.string("serialNumber")
    at = try fields.timestamp("at")
    realTime = try fields.timestamp("realTime")
    keepsSigning = try fields.bool("keepsSigning")
  }
}

extension SimulatedSigningAuthority {
  /// The certificates that sign at a moment.
  func certificates(at moment: Timestamp, after revocations: [SimulatedCertificateRevocation]) -> SigningCertificates {
    let replaced = revocations.filter { !$0.keepsSigning && $0.at <= moment }
    return SigningCertificates(
      leaf: leafNumber(at: moment), leavesReplaced: replaced.count { $0.role == .leaf },
      intermediatesReplaced: replaced.count { $0.role == .intermediate })
  }

  /// All that ever signed or may sign, up to the newest replacements.
  func allCertificates(after revocations: [SimulatedCertificateRevocation]) -> [SigningCertificates] {
    let leaves = revocations.count { $0.role == .leaf }
    let intermediates = revocations.count { $0.role == .intermediate }
    return (Self.leafNumbers).flatMap { leaf in
      (0...leaves).flatMap { replaced in
        (0...intermediates).map {
          SigningCertificates(leaf: leaf, leavesReplaced: replaced, intermediatesReplaced: $0)
        }
      }
    }
  }
}
