import PaymentPrimitives
import Testing
import WeChatPayProtocol

@Suite struct `A gzip file` {
  private let text = Array(String(repeating: "`2025-10-09 16:53:10,`6.00\n", count: 5000).utf8)

  private func code(_ file: [UInt8], bytesMax: Int = 1 << 20) -> GzipErrorCode? {
    do throws(CodedError<GzipErrorCode>) {
      _ = try Gzip.decompress(file, bytesMax: bytesMax)
      return nil
    } catch { return error.code }
  }

  @Test func `that is incomplete is refused, wherever it ends`() {
    let file = Gzip.compress(text)
    for count in 0..<file.count { #expect(code(Array(file.prefix(count))) == .truncated, "\(count)") }
  }

  @Test func `that was changed is refused, or has the same content`() throws {
    let file = Gzip.compress(text)
    for bit in 0..<file.count * 8 {
      var changed = file
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      // Some header fields, such as time and system, do not affect the content.
      if let read = try? Gzip.decompress(changed, bytesMax: 1 << 20) { #expect(read == text, "\(bit)") }
    }
    #expect(code(file + [0]) != nil)
    #expect(code(Array("交易时间,公众账号ID".utf8)) == .malformed)
    #expect(code([0x1F, 0x8B, 9, 0, 0, 0, 0, 0, 0, 3]) == .malformed)
  }

  @Test func `is read up to its limit and not one byte more`() throws {
    let file = Gzip.compress(text)
    #expect(file.count < text.count / 50)
    #expect(try Gzip.decompress(file, bytesMax: text.count) == text)
    #expect(code(file, bytesMax: text.count - 1) == .tooLarge)
    let bomb = Gzip.compress([UInt8](repeating: 0, count: 50 << 20))
    #expect(bomb.count < 100_000)
    #expect(code(bomb, bytesMax: 1 << 20) == .tooLarge)
  }

  @Test func `returns the original content of any length`() throws {
    for count in [0, 1, 65_535, 65_536, 65_537, 300_000] {
      let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
      #expect(try Gzip.decompress(Gzip.compress(content), bytesMax: count) == content)
    }
  }

  @Test func `with several members returns all of them`() throws {
    let file = Gzip.compress(Array("one ".utf8)) + Gzip.compress([]) + Gzip.compress(Array("two".utf8))
    #expect(try Gzip.decompress(file, bytesMax: 7) == Array("one two".utf8))
  }
}
