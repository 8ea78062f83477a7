import PaymentModel
import Testing

@Suite struct `A name in a text for people` {
  @Test(arguments: [
    ("alice", "alice"), ("malice and alice_2", "malice and alice_2"), ("al-ice", "al-ice"), ("", ""),
  ])
  func `stays where it is only a part of a word`(text: String, after: String) {
    #expect(NamesInText.replaced(["lice", "al", "ice_2"], by: "X", in: text) == after)
  }

  @Test(arguments: [
    ("alice", "X"), ("the user alice, it seems", "the user X, it seems"), ("用户alice的订单", "用户X的订单"),
    ("alice/alice2 alice", "X/X X"), ("李雷 says", "X says"),
  ])
  func `is replaced wherever it is a word of its own`(text: String, after: String) {
    #expect(NamesInText.replaced(["alice", "alice2", "李雷"], by: "X", in: text) == after)
  }
}
