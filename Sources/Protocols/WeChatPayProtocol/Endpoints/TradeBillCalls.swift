import Cryptography
package import HTTPMessages
package import PaymentPrimitives
import StrictJSON

/// Which lines a trade bill has.
package enum TradeBillKind: String, Hashable, CaseIterable, Sendable {
  case all = "ALL"
  case success = "SUCCESS"
  case refund = "REFUND"
}

/// Where a bill lies for some minutes, and what it must hash to.
package struct TradeBillTicket: Hashable, Sendable {
  /// `SHA1`
  package let hashType: String
  /// The checksum of the file once it is unpacked, hexadecimal.
  package let hashValue: String
  /// Where it lies, with a token: to be asked for at once, and exactly so.
  package let downloadURL: String

  package init(hashType: String, hashValue: String, downloadURL: String) {
    self.hashType = hashType
    self.hashValue = hashValue
    self.downloadURL = downloadURL
  }
}

extension WeChatPayCall where Answer == TradeBillTicket {
  /// Asks for the bill of a Beijing day; safe from 10:00 of the next day on, for three months.
  ///
  /// `noStatement` after that hour means a day without any line (`TradeBill.empty`); `statementCreating` asks to come
  /// back in 30 minutes.
  /// - Parameter day: `2025-10-09`.
  package static func tradeBill(
    day: String, kind: TradeBillKind = .all, isCompressed: Bool = true
  ) throws(CodedError<WeChatPayRequestErrorCode>) -> WeChatPayCall {
    guard day.utf8.count == 10, Timestamp(iso8601: day + "T00:00:00Z") != nil else { throw CodedError(.billDate) }
    let target =
      "/v3/bill/tradebill?bill_date=\(day)&bill_type=\(kind.rawValue)" + (isCompressed ? "&tar_type=GZIP" : "")
    return WeChatPayCall("GET", target) { value throws(JSONFieldError) in
      let fields = try JSONFields(value)
      return TradeBillTicket(
        hashType: try fields.string("hash_type", bytesMax: 16),
        hashValue: try fields.string("hash_value", bytesMax: 128),
        downloadURL: try fields.string("download_url", bytesMax: 4096))
    }
  }
}

/// The download of a bill, which WeChat Pay does not sign: the checksum of the verified ticket vouches for it.
package struct TradeBillDownload: Hashable, Sendable {
  /// How long to wait for the file.
  package static let timeLimit = TimeSpan.seconds(60)
  /// The most that a file may have once it is unpacked: about a million lines.
  package static let bytesMax = 512 << 20

  private let ticket: TradeBillTicket
  private let host: WeChatPayHost
  private let target: String

  /// The download of a ticket's file.
  ///
  /// - Parameter hosts: the hosts that credentials may be sent to.
  /// - Throws: `foreignAddress` when the file lies elsewhere, `hashType` when we could not check it.
  package init(_ ticket: TradeBillTicket, hosts: [WeChatPayHost]) throws(CodedError<TradeBillErrorCode>) {
    guard ticket.hashType.uppercased() == "SHA1" else { throw CodedError(.hashType, "It is not SHA1.") }
    guard
      let host = hosts.first(where: { ticket.downloadURL.utf8.starts(with: ($0.origin + "/").utf8) }),
      ticket.downloadURL.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x23 })
    else { throw CodedError(.foreignAddress, "It is at none of \(hosts.map(\.origin).joined(separator: ", ")).") }
    self.ticket = ticket
    self.host = host
    // Exactly as it came: a token that is encoded anew is another one.
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

  /// The unpacked file, once its checksum is the one that was announced.
  ///
  /// - Throws: `notDownloaded`, `compression`, `hash`.
  package func file(in response: HTTPResponse) throws(CodedError<TradeBillErrorCode>) -> [UInt8] {
    guard response.status == 200 else {
      let requestId = response.fields["Request-ID"]
      let refusal = WeChatPayRefusal(status: response.status, body: response.body, requestId: requestId)
      throw CodedError(.notDownloaded, refusal.description)
    }
    let file = try unpacked(response.body)
    let hash = Self.hexadecimal(SHA1.hash(file))
    guard hash == ticket.hashValue.lowercased() else { throw CodedError(.hash) }
    return file
  }

  /// What is packed says so by its first two bytes, which no text has.
  private func unpacked(_ body: [UInt8]) throws(CodedError<TradeBillErrorCode>) -> [UInt8] {
    guard body.starts(with: [0x1F, 0x8B]) else {
      guard body.count <= Self.bytesMax else { throw CodedError(.compression, "It is too large.") }
      return body
    }
    do throws(CodedError<GzipErrorCode>) {
      return try Gzip.decompress(body, bytesMax: Self.bytesMax)
    } catch { throw CodedError(.compression, error.description) }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
