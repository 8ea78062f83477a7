import PaymentEngine
import Testing

@Suite struct `A search term` {
  @Test(arguments: [
    "", "   ", "\u{3000}", "\"\"", "\" \"", "a\u{0}b", "a\nb", "a\u{9}b", "\u{1B}[2J", "a\u{85}b",
    String(repeating: "a", count: 129), String(repeating: "码", count: 43),
  ])
  func `is refused if it is empty, too long or has control characters`(typed: String) {
    #expect(SearchTerm(typed) == nil)
  }

  @Test(arguments: [
    ("1001", "1001"), ("  1001\n", "1001"), ("\u{3000}1001\u{3000}", "1001"), ("\"1001\"", "1001"), ("“ A-1 ”", "A-1"),
    ("「MK7」", "MK7"), ("１００１", "1001"), ("ＭＫａ－７", "MKa-7"), ("ｄｌｖ＿１", "dlv_1"), ("\"", "\""), ("'a", "'a"),
    ("订单 1", "订单 1"),
    ("＂1＂", "1"),
  ])
  func `is trimmed, unquoted and folded`(typed: String, text: String) {
    #expect(SearchTerm(typed)?.text == text)
  }

  @Test func `allows at most 128 bytes after trimming`() {
    let longest = String(repeating: "a", count: 128)
    #expect(SearchTerm("  \"\(longest)\"  ")?.text == longest)
  }

  private let anything: [SearchMeaning] = [
    .backendReference, .appReference, .transaction, .refund, .notification, .user,
  ]

  @Test(
    arguments: [
      ("7e3fb20b-4cdb-47cc-936d-99d65f608138", [.order, .token]),
      ("7E3FB20B4CDB47CC936D99D65F608138", [.order, .token]),
      ("2000000812345678", [.originalTransaction, .lineItem, .storeRefund, .appTransaction, .complaint, .request]),
      ("20000008123456789", [.originalTransaction, .lineItem, .storeRefund, .appTransaction, .complaint]),
      ("dlv_1", [.delivery]),
      ("0123456789abcdef", [.request]), ("0123456789ABCDEF", [.request]), ("0123456789abcdeg", []),
      ("LQLW-AAAB", [.supportCode]), ("lqlwaaab", [.supportCode]), ("LQLW-AAAO", []), ("alice@example.com", []),
    ] as [(String, [SearchMeaning])])
  func `is looked up by its shape`(text: String, special: [SearchMeaning]) {
    #expect(Set(SearchTerm(text)?.meanings ?? []) == Set(anything + special))
  }
}
