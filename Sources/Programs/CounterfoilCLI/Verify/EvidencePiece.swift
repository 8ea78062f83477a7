import AppStoreProtocol
import Cryptography
import StrictJSON

/// One piece of evidence in a file, recognised only by its form: no file name or option decides.
struct EvidencePiece {
  enum Form {
    /// Three parts separated by dots.
    case signedData
    /// PKCS 7 in Base64: `MI…`.
    case appReceipt
    /// A property list in Base64, the form of iOS 6: `ew…`.
    case transactionReceipt
    case unknown
  }

  /// Its member in the file's JSON; nil if it is the whole file.
  let member: String?
  let text: String
  let form: Form

  /// Members in which Apple, or a client, sends signed data.
  private static let members = [
    "signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo", "receipt-data",
    "evidence",
  ]

  /// The pieces of a file: one, or those in a JSON object in the members that Apple uses.
  static func pieces(of bytes: [UInt8]) -> [EvidencePiece] {
    // A receipt file in the device's form: no text begins with this byte and a long length.
    let isBinary = bytes.first == 0x30 && bytes.dropFirst().first.map { $0 >= 0x80 } ?? false
    let text = isBinary ? Base64.encode(bytes) : String(decoding: trimmed(bytes), as: UTF8.self)
    guard text.utf8.first == 0x7B, let value = try? JSONReader.read(text.utf8, limits: limits) else {
      return [EvidencePiece(member: nil, text: text, form: form(of: text))]
    }
    var found: [(String, String)] = members.compactMap { name in value[name]?.string.map { (name, $0) } }
    for (index, item) in (value["signedTransactions"]?.array ?? []).enumerated() {
      if let token = item.string { found.append(("signedTransactions[\(index)]", token)) }
    }
    guard !found.isEmpty else { return [EvidencePiece(member: nil, text: text, form: .unknown)] }
    return found.map { EvidencePiece(member: $0, text: $1, form: form(of: $1)) }
  }

  private static let limits = JSONLimits(bytesMax: VerifyCommand.fileBytesMax)

  private static func form(of text: String) -> Form {
    if text.utf8.contains(0x2E) { return .signedData }
    switch ReceiptForm(text) {
    case .appReceipt: return .appReceipt
    case .transactionReceipt: return .transactionReceipt
    case .signedData: return .signedData
    case nil:
      // Damaged beyond the known repairs; the verdict shows where.
      if text.hasPrefix("MI") { return .appReceipt }
      return text.hasPrefix("ew") ? .transactionReceipt : .unknown
    }
  }

  private static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    // Some editors put a byte order mark before a text.
    let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    return body.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
  }
}
