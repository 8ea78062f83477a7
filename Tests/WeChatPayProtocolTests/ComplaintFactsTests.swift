import PaymentPrimitives
import StrictJSON
import Testing
import WeChatPayProtocol

@Suite struct `A complaint as WeChat Pay tells it` {
  private static let text = """
    {"complaint_id":"200201820200101080076610000","complaint_time":"2025-10-09T12:00:00+08:00",
    "complaint_detail":"没有到账",
    "complaint_state":"PENDING","payer_phone":"Qe41VhP","payer_openid":"oUpF8uMuAJO","complaint_order_info":[
    {"transaction_id":"4200000404201909069117582536","out_trade_no":"20190906154617947762231","amount":3}],
    "complaint_full_refunded":false,"incoming_user_response":true,"user_complaint_times":2,"complaint_media_list":[
    {"media_type":"USER_COMPLAINT_IMAGE","media_url":["https://api.mch.weixin.qq.com/v3/merchant-service/images/a"]}],
    "problem_type":"REFUND","apply_refund_amount":3,"user_tag_list":["TRUSTED"],"a_field_of_tomorrow":{}}
    """

  private func facts(_ change: (String, String) = ("", "")) throws -> ComplaintFacts {
    let text = change.0.isEmpty ? Self.text : Self.text.replacing(change.0, with: change.1)
    #expect(change.0.isEmpty || text != Self.text)
    return try ComplaintFacts(try JSONReader.read(text.utf8))
  }

  @Test(arguments: [
    ("\"200201820200101080076610000\"", "\"../refund\""), ("\"200201820200101080076610000\"", "\"\""),
    ("\"2025-10-09T12:00:00+08:00\"", "\"yesterday\""), ("\"PENDING\"", "null"), ("\"amount\":3", "\"amount\":-1"),
    ("\"没有到账\"", "\"" + String(repeating: "x", count: 8193) + "\""),
  ])
  func `is refused without what it needs, or with more than it may have`(change: (String, String)) {
    #expect(throws: JSONFieldError.self) { try facts(change) }
  }

  @Test func `has neither the payer's phone number nor their WeChat id`() throws {
    let text = try facts().json.text
    #expect(!text.contains("Qe41VhP") && !text.contains("oUpF8uMuAJO"))
  }

  @Test func `keeps each field, also a state and a problem that nobody knows`() throws {
    let read = try facts()
    #expect(read.id == "200201820200101080076610000" && read.text == "没有到账" && read.state == .known(.pending))
    #expect(read.subjects.first?.amount == 3 && read.times == 2 && read.awaitsReply && read.refundAsked == 3)
    #expect(read.pictures.count == 1 && read.tags == ["TRUSTED"] && read.problem == "REFUND")
    #expect(try ComplaintFacts(read.json) == read)
    #expect(try facts(("\"PENDING\"", "\"NEW_IN_2030\"")).state == .other("NEW_IN_2030"))
  }

  @Test func `is cut off where a list is longer than any should be`() throws {
    let url = "\"https://api.mch.weixin.qq.com/v3/merchant-service/images/a\""
    let many = Array(repeating: url, count: 100).joined(separator: ",")
    #expect(try facts((url, many)).pictures.count == ComplaintFacts.picturesMax)
  }

  @Test func `has pictures at WeChat Pay's own hosts alone`() {
    let hosts = [WeChatPayHost("https://api.mch.weixin.qq.com")].compactMap(\.self)
    let good = "https://api.mch.weixin.qq.com/v3/merchant-service/images/abc"
    #expect(ComplaintPicture(good, hosts: hosts) != nil)
    for url in [
      "https://evil.test/v3/merchant-service/images/abc", "http://api.mch.weixin.qq.com/v3/merchant-service/images/a",
      "https://api.mch.weixin.qq.com/v3/refund/domestic/refunds", "https://api.mch.weixin.qq.com.evil.test/v3/x",
      "https://api.mch.weixin.qq.com/v3/merchant-service/images/../../pay", "",
    ] { #expect(ComplaintPicture(url, hosts: hosts) == nil, "\(url)") }
    #expect(ComplaintPicture.type(of: Array("<svg onload=alert(1)>".utf8)) == nil)
  }
}
