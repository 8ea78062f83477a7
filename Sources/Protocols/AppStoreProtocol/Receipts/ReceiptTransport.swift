import Cryptography

/// The form of a text that a client sends as a receipt.
package enum ReceiptForm: String, Sendable {
  /// An app receipt in CMS: `MI…` in Base64.
  case appReceipt
  /// A transaction receipt of iOS 6, a property list: `ew…` in Base64.
  case transactionReceipt
  /// A JWS of StoreKit 2, which belongs to another endpoint: `eyJ….….…`.
  case signedData

  /// The form of a text; nil if it is none of these. This verifies nothing.
  package init?(_ text: String) {
    switch ReceiptTransport(text, isLenient: false) {
    case .signedData: self = .signedData
    case .bytes(let bytes, _):
      guard let form = Self.form(of: bytes) else { return nil }
      self = form
    case .notBase64: return nil
    }
  }

  static func form(of bytes: [UInt8]) -> ReceiptForm? {
    switch bytes.first {
    case BERElement.sequence: .appReceipt
    case 0x7B: .transactionReceipt
    default: nil
    }
  }
}

/// Decodes the received text into the receipt's bytes. It repairs known faults of clients: `+` that became a space in
/// form encoding, line breaks, the URL-safe alphabet, missing padding, double Base64.
///
/// No repair can make an invalid receipt valid: the result is verified like any other receipt.
enum ReceiptTransport {
  case bytes([UInt8], repairs: [ReceiptRepair])
  case signedData
  case notBase64

  /// Decodes a text.
  ///
  /// - Parameter isLenient: drops characters outside the alphabet. Only for tests that show why an error is needed.
  init(_ text: String, isLenient: Bool) {
    var text = text
    self = text.withUTF8 { Self.read(UnsafeRawBufferPointer($0), isLenient) }
  }

  private static func read(_ text: UnsafeRawBufferPointer, _ isLenient: Bool) -> ReceiptTransport {
    if isSignedData(text) { return .signedData }
    guard var (bytes, repairs) = decode(text, isLenient) else { return .notBase64 }
    if ReceiptForm.form(of: bytes) == nil {
      // Decodes a second time, if that gives a receipt; three times never happens by accident.
      if bytes.withUnsafeBytes({ isSignedData($0) }) { return .signedData }
      if let (inner, further) = bytes.withUnsafeBytes({ decode($0, isLenient) }), ReceiptForm.form(of: inner) != nil {
        bytes = inner
        repairs += [.doubledBase64] + further.filter { !repairs.contains($0) }
      }
    }
    return .bytes(bytes, repairs: repairs)
  }

  /// Whether the text has three parts, the first one a JSON object in Base64.
  private static func isSignedData(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.count > 2, text[0] == 0x65, text[1] == 0x79 else { return false }
    // A plain loop: each payment handed in passes here, and its bytes are compared many at a time.
    var points = 0
    for byte in text where byte == 0x2E { points += 1 }
    return points == 2
  }

  private static func decode(
    _ text: UnsafeRawBufferPointer, _ isLenient: Bool
  ) -> (bytes: [UInt8], repairs: [ReceiptRepair])? {
    if let bytes = Base64.decode(text), !text.isEmpty { return (bytes, []) }
    var repairs: Set<ReceiptRepair> = []
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    var body = text[...]
    while let first = body.first, isSpace(first) { body = body.dropFirst() }
    while let last = body.last, isSpace(last) { body = body.dropLast() }
    if body.count < text.count { repairs.insert(.lineEnds) }
    var cleaned: [UInt8] = []
    cleaned.reserveCapacity(body.count + 3)
    for byte in body {
      switch byte {
      case 0x20:
        repairs.insert(.spacesToPlus)
        cleaned.append(0x2B)
      case 0x09...0x0D: repairs.insert(.lineEnds)
      case 0x2D, 0x5F:
        repairs.insert(.urlAlphabet)
        cleaned.append(byte == 0x2D ? 0x2B : 0x2F)
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F, 0x3D: cleaned.append(byte)
      default:
        guard isLenient else { return nil }
      }
    }
    let missing = (4 - cleaned.count % 4) % 4
    if missing == 1 || missing == 2 {
      repairs.insert(.padding)
      cleaned += [UInt8](repeating: 0x3D, count: missing)
    }
    guard !cleaned.isEmpty, let bytes = Base64.decode(cleaned) else { return nil }
    return (bytes, ReceiptRepair.allCases.filter { repairs.contains($0) })
  }
}
