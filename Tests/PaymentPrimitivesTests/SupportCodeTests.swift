import PaymentPrimitives
import Testing

@Suite struct `A support code` {
  private func order(at milliseconds: Int64, _ random: UInt8 = 0) -> OrderIdentifier {
    OrderIdentifier(version7At: Timestamp(milliseconds: milliseconds), random: [UInt8](repeating: random, count: 10))
  }

  @Test(arguments: [
    "", "ABCDEFG", "ABCDEFGHJ", "ABCD EFGH", "ABC-DEFGH", "ABCDEFG1", "ABCDEFGI", "ABCDEFGO", "ÄBCDEFG",
  ])
  func `is not read from anything but eight of its letters`(text: String) {
    #expect(SupportCode(text) == nil)
  }

  @Test func `is read in each spelling`() {
    let code = SupportCode(of: order(at: 1_772_524_800_000, 0x5A))
    #expect(code.description.utf8.count == 8)
    let text = code.description
    for spelling in [text, text.lowercased(), text.prefix(4) + "-" + text.suffix(4)] {
      #expect(SupportCode(spelling) == code, "\(spelling)")
    }
  }

  @Test func `names the hour in which the order's id was made`() throws {
    let hour: Int64 = 3_600_000
    let start = 1_772_524_800_000 / hour * hour
    for made in [start, start + hour - 1] {
      let code = SupportCode(of: order(at: made))
      for now in [made, start + hour - 1, start + 5 * hour, start + 300_000 * hour] {
        let named = try #require(code.hour(upTo: Timestamp(milliseconds: now)))
        #expect(named == Timestamp(milliseconds: start)...Timestamp(milliseconds: start + hour - 1))
      }
    }
    // After 37 years the same letters come again, so a code is read as the latest hour that it can name.
    let later = try #require(
      SupportCode(of: order(at: start)).hour(upTo: Timestamp(milliseconds: start + 331_776 * hour)))
    #expect(later.lowerBound == Timestamp(milliseconds: start + 331_776 * hour))
    #expect(SupportCode("ZZZZZZZZ")?.hour(upTo: Timestamp(milliseconds: 0)) == nil)
  }

  @Test func `differs between the orders of an hour`() {
    let codes = Set((0..<200 as Range<UInt8>).map { SupportCode(of: order(at: 1_772_524_800_000, $0)) })
    #expect(codes.count == 200)
    #expect(Set(codes.map { $0.description.prefix(4) }).count == 1)
  }
}
