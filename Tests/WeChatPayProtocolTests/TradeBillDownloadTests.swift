import HTTPMessages
import PaymentPrimitives
import Testing
import WeChatPayProtocol

@Suite struct `A download of a bill` {
  private let bench: WeChatPayBench
  private let file = TradeBillFiles.vector

  init() throws { bench = try WeChatPayBench() }

  private func ticket(
    hash: String = "410549208fc2c5c73b373c81006f52ddcf4841f0", type: String = "SHA1",
    url: String = "https://api.mch.weixin.qq.com/v3/billdownload/file?token=a%2Bb%3D%3D&tartype=gzip"
  ) -> BillTicket {
    BillTicket(hashType: type, hashValue: hash, downloadURL: url)
  }

  private func code(_ ticket: BillTicket, _ response: HTTPResponse) -> BillErrorCode? {
    do throws(CodedError<BillErrorCode>) {
      _ = try BillDownload(ticket, hosts: WeChatPayHost.mainland).file(in: response)
      return nil
    } catch { return error.code }
  }

  @Test(arguments: [
    "https://evil.example/v3/billdownload/file?token=a", "http://api.mch.weixin.qq.com/v3/billdownload/file?token=a",
    "https://api.mch.weixin.qq.com.evil.example/v3/billdownload/file", "https://api.mch.weixin.qq.com@evil.example/",
    "https://api.mch.weixin.qq.com", "/v3/billdownload/file", "https://api.mch.weixin.qq.com/a b",
    "https://api.mch.weixin.qq.com/a#b", "",
  ])
  func `from a foreign host is refused, and no signature is sent to it`(_ url: String) {
    #expect(code(ticket(url: url), HTTPResponse(status: 200, body: file)) == .foreignAddress)
  }

  @Test func `is refused when it is not the file that was announced`() {
    #expect(code(ticket(), HTTPResponse(status: 200, body: file.dropLast() + [0x20])) == .hash)
    #expect(code(ticket(), HTTPResponse(status: 200, body: [])) == .hash)
    #expect(code(ticket(hash: ""), HTTPResponse(status: 200, body: file)) == .hash)
    #expect(code(ticket(type: "MD5"), HTTPResponse(status: 200, body: file)) == .hashType)
    let packed = Gzip.compress(file)
    #expect(code(ticket(), HTTPResponse(status: 200, body: Array(packed.dropLast(4)))) == .compression)
    #expect(code(ticket(), HTTPResponse(status: 200, body: packed + [1])) == .compression)
    let refused = Array("{\"code\":\"INVALID_REQUEST\"}".utf8)
    #expect(code(ticket(), HTTPResponse(status: 400, body: refused)) == .notDownloaded)
  }

  @Test func `returns the file, plain or compressed, once its checksum is right`() throws {
    let download = try BillDownload(ticket(), hosts: WeChatPayHost.mainland)
    #expect(try download.file(in: HTTPResponse(status: 200, body: file)) == file)
    #expect(try download.file(in: HTTPResponse(status: 200, body: Gzip.compress(file))) == file)
    let upper = try BillDownload(ticket(hash: ticket().hashValue.uppercased()), hosts: WeChatPayHost.mainland)
    #expect(try upper.file(in: HTTPResponse(status: 200, body: file)) == file)
  }

  @Test func `is signed over the address exactly as received (R3)`() throws {
    let vector = try #require(WeChatPayVectors.requests.first { $0.name == "R3" })
    let download = try BillDownload(ticket(), hosts: WeChatPayHost.mainland)
    let request = download.request(by: bench.merchant, at: Timestamp(seconds: vector.timestamp), nonce: vector.nonce)
    #expect(request.target == "https://api.mch.weixin.qq.com" + vector.target)
    #expect(request.fields["Authorization"]?.contains(vector.signature) == true)
  }

  @Test func `begins with a signed ticket for a valid day`() throws {
    let call = try WeChatPayCall.tradeBill(day: "2025-10-09")
    #expect(call.target == "/v3/bill/tradebill?bill_date=2025-10-09&bill_type=ALL&tar_type=GZIP")
    let plain = try WeChatPayCall.tradeBill(day: "2025-10-09", kind: .refund, isCompressed: false)
    #expect(plain.target == "/v3/bill/tradebill?bill_date=2025-10-09&bill_type=REFUND")
    for day in ["2025-02-29", "2025-10-9", "20251009", "2025-10-09T", "2025-10-09&a"] {
      #expect(throws: CodedError<WeChatPayRequestErrorCode>(.billDate)) { try WeChatPayCall.tradeBill(day: day) }
    }
    let body = "{\"hash_type\":\"SHA1\",\"hash_value\":\"aa\",\"download_url\":\"https://x/\"}"
    #expect(bench.outcome(call, bench.answer(200, body)).answer == ticket(hash: "aa", url: "https://x/"))
    let creating = bench.outcome(call, bench.answer(400, "{\"code\":\"STATEMENT_CREATING\",\"message\":\"\"}"))
    #expect(creating.error?.code == .statementCreating)
    #expect(BeijingTime.day(Timestamp(iso8601: "2025-10-08T16:00:00Z") ?? WeChatPayBench.now) == "2025-10-09")
  }
}
