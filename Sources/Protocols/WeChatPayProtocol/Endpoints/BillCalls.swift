import Cryptography
package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// The kinds of rows in a trade bill.
package enum TradeBillKind: String, Hashable, CaseIterable, Sendable {
  case all = "ALL"
  case success = "SUCCESS"
  case refund = "REFUND"
}

/// The temporary URL of a bill, valid for some minutes, and the bill's checksum.
package struct BillTicket: Hashable, Sendable {
  /// The checksum algorithm: `SHA1`.
  package let hashType: String
  /// The checksum of the unpacked file, in hexadecimal.
  package let hashValue: String
  /// The URL of the file, with a token. Use it at once and unchanged.
  package let downloadURL: String

  package init(hashType: String, hashValue: String, downloadURL: String) {
    self.hashType = hashType
    self.hashValue = hashValue
    self.downloadURL = downloadURL
  }
}

extension WeChatPayCall where Answer == BillTicket {
  /// Requests the bill of a Beijing day. It is reliable from 10:00 of the next day on, for three months.
  ///
  /// `noStatement` after that hour means a day without rows (`TradeBill.empty`). `statementCreating` means: retry in 30
  /// minutes.
  /// - Parameter day: `2025-10-09`.
  package static func tradeBill(
    day: String, kind: TradeBillKind = .all, isCompressed: Bool = true
  ) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall {
    try bill("tradebill", of: day, with: "bill_type=\(kind.rawValue)", isCompressed: isCompressed)
  }

  /// Requests the fund-flow bill of a Beijing day: all changes of the balance of the merchant's basic account, which
  /// payments, refunds and fees concern.
  ///
  /// It is ready at the same hour as the trade bill, and has the same errors.
  /// - Parameter day: `2025-10-09`.
  package static func fundFlowBill(
    day: String, isCompressed: Bool = true
  ) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall {
    try bill("fundflowbill", of: day, with: "account_type=BASIC", isCompressed: isCompressed)
  }

  private static func bill(
    _ name: String, of day: String, with which: String, isCompressed: Bool
  ) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall {
    guard day.utf8.count == 10, Timestamp(iso8601: day + "T00:00:00Z") != nil else { throw CodedError(.billDate) }
    let target = "/v3/bill/\(name)?bill_date=\(day)&\(which)" + (isCompressed ? "&tar_type=GZIP" : "")
    return WeChatPayCall("GET", target) { value throws(JSONFieldError) in
      let fields = try JSONFields(value)
      return BillTicket(
        hashType: try fields.string("hash_type", bytesMax: 16),
        hashValue: try fields.string("hash_value", bytesMax: 128),
        downloadURL: try fields.string("download_url", bytesMax: 4096))
    }
  }
}

/// The download of a bill. WeChat Pay does not sign it; the checksum in the verified ticket protects it.
package struct BillDownload: Hashable, Sendable {
  /// The timeout for the file.
  package static let timeLimit = TimeSpan.seconds(60)
  /// The maximum size of the unpacked file: about a million lines.
  package static let bytesMax = 512 << 20

  private let ticket: BillTicket
  private let host: WeChatPayHost
  private let target: String

  /// The download of a ticket's file.
  ///
  /// - Parameter hosts: the hosts that may receive credentials.
  /// - Throws: `foreignAddress` if the file is on another host, `hashType` if we do not support the checksum.
  package init(_ ticket: BillTicket, hosts: [WeChatPayHost]) throws(CodedError<BillErrorCode>) {
    guard ticket.hashType.uppercased() == "SHA1" else { throw CodedError(.hashType, "It is not SHA1.") }
    guard
      let host = hosts.first(where: { ticket.downloadURL.utf8.starts(with: ($0.origin + "/").utf8) }),
      ticket.downloadURL.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 })
    else { throw CodedError(.foreignAddress, "It is at none of \(hosts.map(\.origin).joined(separator: ", ")).") }
    self.ticket = ticket
    self.host = host
    // The target stays unchanged, because a re-encoded token is invalid.
    target = String(ticket.downloadURL.dropFirst(host.origin.count))
  }

  package func request(by merchant: MerchantCredentials, at now: Timestamp, nonce: String) -> HTTPRequest {
    let signature = merchant.authorization(method: "GET", target: target, body: [], at: now, nonce: nonce)
    return HTTPRequest(
      "GET", host.origin + target,
      fields: [
        "Accept": "*/*", "User-Agent": "counterfoil", "Authorization": signature.authorization,
      ])
  }

  /// The unpacked file, after its checksum matched the announced one.
  ///
  /// - Throws: `notDownloaded`, `compression`, `hash`.
  package func file(in response: HTTPResponse) throws(CodedError<BillErrorCode>) -> [UInt8] {
    guard response.status == 200 else {
      let requestId = response.fields["Request-ID"]
      let error = WeChatPayError(status: response.status, body: response.body, requestId: requestId)
      throw CodedError(.notDownloaded, error.description)
    }
    let file = try unpacked(response.body)
    let hash = SHA1.hash(file).hexadecimal
    guard hash == ticket.hashValue.lowercased() else { throw CodedError(.hash) }
    return file
  }

  /// The unpacked body. Packed data begins with two bytes that no text contains.
  private func unpacked(_ body: [UInt8]) throws(CodedError<BillErrorCode>) -> [UInt8] {
    guard body.starts(with: [0x1F, 0x8B]) else {
      guard body.count <= Self.bytesMax else { throw CodedError(.compression, "It is too large.") }
      return body
    }
    do throws(CodedError<GzipErrorCode>) {
      return try Gzip.decompress(body, bytesMax: Self.bytesMax)
    } catch { throw CodedError(.compression, error.description) }
  }
}
