import Cryptography
import PaymentPrimitives

/// The observations during the verification of a receipt. They become sentences only when a caller reads them.
struct ReceiptJournal: Sendable {
  /// The checks of this kind of receipt, in their order.
  let listed: [ReceiptCheck]
  private let leftOut: LeftOut<ReceiptCheck>
  private var passed: [ReceiptCheck] = []
  private var notes: [ReceiptCheck: String] = [:]

  var byteCount = 0
  var repairs: [ReceiptRepair] = []
  var chain: CertificateChain?
  var effectiveDate: Timestamp?

  init(_ listed: [ReceiptCheck], leavingOut leftOut: LeftOut<ReceiptCheck>) {
    self.listed = listed
    self.leftOut = leftOut
    passed.reserveCapacity(listed.count)
  }

  /// Passes if the condition is true, or if the check is left out.
  mutating func check(
    _ check: ReceiptCheck, _ code: ReceiptErrorCode, holds: Bool, _ details: @autoclosure () -> String
  ) throws(FailedReceiptCheck) {
    guard holds || leftOut(check) else { throw FailedReceiptCheck(check, code, details: details()) }
    passed.append(check)
  }

  mutating func pass(_ checks: [ReceiptCheck]) { passed += checks }

  /// Adds a note to a check. A check that has not passed is then shown as skipped for that reason.
  mutating func note(_ check: ReceiptCheck, _ text: String) { notes[check] = text }

  func results(failed: ReceiptCheck?, _ details: String) -> [ReceiptCheckResult] {
    listed.map { check in
      if check == failed { return ReceiptCheckResult(check: check, outcome: .failed, detail: details) }
      if passed.contains(check) {
        return ReceiptCheckResult(check: check, outcome: .passed, detail: notes[check] ?? detail(of: check))
      }
      return ReceiptCheckResult(
        check: check, outcome: .notRun,
        detail: notes[check] ?? (failed == nil ? details : "An earlier check failed.")
      )
    }
  }

  private func detail(of check: ReceiptCheck) -> String {
    switch check {
    case .size: "\(byteCount) bytes"
    case .transport:
      repairs.isEmpty ? "Base64" : "Base64 after repair: " + repairs.map(\.rawValue).joined(separator: ", ")
    case .form: "of its form to the last byte"
    case .algorithm: "RSA over SHA-1 or SHA-256"
    case .payload: "every known attribute is of its type"
    case .appIdentifier: "as expected"
    case .creationDate, .validity: effectiveDate?.iso8601 ?? "not stated"
    case .signer: "it came along"
    case .certificates:
      chain.map { "signer \($0.leaf.serialNumber), intermediate \($0.intermediate.serialNumber)" }
        ?? "the signer can be read"
    case .anchor, .path:
      switch chain?.anchor {
      case .apple(let name): "\(name), pinned by its SHA-256"
      case .configured(let name): "\(name), from configuration"
      case nil: "its name is trusted"
      }
    case .authority: "the intermediate may certify"
    case .leafUsage: "the signer may sign, and may not certify"
    case .criticalExtensions: "none that is not known"
    case .intermediateMarker: CertificateChainVerification.intermediateMarker.text
    case .leafMarker: CertificateChainVerification.leafMarker.text
    case .leafKey: "RSA of at least 2048 bits"
    case .environment: "accepted"
    case .signedAttributes: "the content itself is signed"
    case .signature: "RSA over the content"
    case .device: "made on the device that was asked for"
    }
  }
}
