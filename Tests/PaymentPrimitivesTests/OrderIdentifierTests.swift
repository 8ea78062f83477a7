import Foundation
import PaymentPrimitives
import Testing

@Suite struct `An order id` {
  @Test(arguments: [
    "", "7e3fb20b", "7e3fb20b-4cdb-47cc-936d-99d65f60813", "7e3fb20b-4cdb-47cc-936d-99d65f6081389",
    "7e3fb20b-4cdb-47cc-936d-99d65f60813g", "7e3fb20b-4cdb-47cc-936d_99d65f608138",
    "7e3fb20b4cdb-47cc-936d-99d65f608138-",
    "{7e3fb20b-4cdb-47cc-936d-99d65f608138}", " e3fb20b-4cdb-47cc-936d-99d65f608138",
    "７e3fb20b-4cdb-47cc-936d-99d65f608",
    "7e3fb20b-4cdb-47cc-936d-99d65f608138\n", "7e3fb20b4cdb47cc936d99d65f60813-",
  ]) func `is refused unless it is a UUID or 32 digits`(_ text: String) {
    #expect(OrderIdentifier(text) == nil)
  }

  @Test func `is equal in all its spellings`() throws {
    let id = try #require(OrderIdentifier("7e3fb20b-4cdb-47cc-936d-99d65f608138"))
    for text in [
      "7E3FB20B-4CDB-47CC-936D-99D65F608138", "7e3fb20b4cdb47cc936d99d65f608138", "7E3FB20B4CDB47CC936D99D65F608138",
    ] { #expect(OrderIdentifier(text) == id) }
    #expect(id.appAccountToken == "7e3fb20b-4cdb-47cc-936d-99d65f608138")
    #expect(id.outTradeNo == "7E3FB20B4CDB47CC936D99D65F608138")
    #expect(
      id.bytes == [0x7E, 0x3F, 0xB2, 0x0B, 0x4C, 0xDB, 0x47, 0xCC, 0x93, 0x6D, 0x99, 0xD6, 0x5F, 0x60, 0x81, 0x38])
  }

  @Test func `agrees with Foundation's UUID on any bytes`() {
    for seed in 0..<200 as Range<UInt64> {
      let id = OrderIdentifier(high: seed &* 0x9E37_79B9_7F4A_7C15, low: ~seed &* 0xBF58_476D_1CE4_E5B9)
      #expect(UUID(uuidString: id.appAccountToken)?.uuidString.lowercased() == id.appAccountToken)
      #expect(OrderIdentifier(id.outTradeNo) == id)
    }
  }

  @Test func `made now has version 7 and sorts by time`() {
    let zeros = [UInt8](repeating: 0, count: 10)
    let ones = [UInt8](repeating: 0xFF, count: 10)
    let early = OrderIdentifier(version7At: Timestamp(milliseconds: 1_645_557_742_000), random: ones)
    let late = OrderIdentifier(version7At: Timestamp(milliseconds: 1_645_557_742_001), random: zeros)
    #expect(early.appAccountToken == "017f22e2-79b0-7fff-bfff-ffffffffffff")
    #expect(late.appAccountToken == "017f22e2-79b1-7000-8000-000000000000")
    #expect(early < late)
  }

  @Test func `derived from a hash has version 8 and is always the same`() {
    let digest = [UInt8](repeating: 0xFF, count: 16)
    #expect(OrderIdentifier(version8From: digest).appAccountToken == "ffffffff-ffff-8fff-bfff-ffffffffffff")
    #expect(OrderIdentifier(version8From: digest + [1]) == OrderIdentifier(version8From: digest))
    #expect(
      OrderIdentifier(version8From: [UInt8](repeating: 0, count: 16)).appAccountToken
        == "00000000-0000-8000-8000-000000000000")
  }
}

@Suite struct `An identifier` {
  @Test func `is compared by its bytes, not by its appearance`() {
    let composed = UserIdentifier("Jos\u{e9}")
    let decomposed = UserIdentifier("Jose\u{301}")
    #expect(composed.text == decomposed.text)
    #expect(composed != decomposed && Set([composed, decomposed]).count == 2)
    // As many bytes, in another order.
    let (below, above) = (UserIdentifier("q\u{323}\u{307}"), UserIdentifier("q\u{307}\u{323}"))
    #expect(below.text == above.text && below.text.utf8.count == above.text.utf8.count && below != above)
    #expect(UserIdentifier("a") != UserIdentifier("A"))
    #expect(UserIdentifier("B") < UserIdentifier("a"))
  }

  @Test func `differs from another by any one of its bytes, and equals one of the same bytes`() {
    for count in 0...20 {
      let text = String("2000000123456789abcdefg".prefix(count))
      #expect(UserIdentifier(text) == UserIdentifier(String(decoding: Array(text.utf8), as: UTF8.self)))
      #expect(UserIdentifier(text) != UserIdentifier(text + "x"))
      for place in 0..<count {
        var bytes = Array(text.utf8)
        bytes[place] ^= 1
        #expect(UserIdentifier(text) != UserIdentifier(String(decoding: bytes, as: UTF8.self)))
        // Equal for `String`, of as many bytes, and with their difference at this place.
        let (before, after) = (text.prefix(place), text.dropFirst(place))
        let (below, above) = ("\(before)q\u{323}\u{307}\(after)", "\(before)q\u{307}\u{323}\(after)")
        #expect(below == above && UserIdentifier(below) != UserIdentifier(above))
      }
    }
  }
}

@Suite struct `A coded error` {
  private enum Code: String, ErrorCode {
    case one = "test_one"
    var meaning: BilingualText { BilingualText("One.", "一。") }
    var remedy: BilingualText { BilingualText("None.", "无。") }
    var retry: RetryAdvice { .never }
  }

  @Test func `is compared by its code and read with its details`() {
    #expect(CodedError<Code>(.one, "Field a.") == CodedError(.one, "Field b."))
    #expect(CodedError<Code>(.one, "Field a.").description == "test_one: One. Field a.")
    #expect(CodedError<Code>(.one).description == "test_one: One.")
    #expect(Code.one.meaning[.chinese] == "一。" && Code.one.meaning[.english] == "One.")
  }
}
