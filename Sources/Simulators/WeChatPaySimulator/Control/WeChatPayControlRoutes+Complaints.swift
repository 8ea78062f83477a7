import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

// What customers do who are not content.
extension WeChatPayControlRoutes {
  static let complaints: [WeChatPayControlRoute] = [
    WeChatPayControlRoute(
      "GET", "/complaints", summary: "All complaints by their number.", takes: WeChatPayControlCall.pageQuery
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let list = await call.service.complaints(mchid: call.target["mchid"])
      return try call.page("complaints", of: list, id: \.facts.id, json: { $0.json })
    },
    WeChatPayControlRoute(
      "POST", "/complaints", summary: "A customer complains about a paid order.",
      takes: [
        ("mchid", "the merchant"), ("out_trade_no", "the order"), ("text", "what the customer writes"),
        ("refund?", "what the customer wants back, in fen"), ("pictures?", "how many pictures, 0 to 9"),
      ]
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let (key, text, refund, pictures) = try call.read { fields throws(JSONFieldError) in
        (
          OrderKey(
            mchid: try fields.string("mchid", bytesMax: 32), outTradeNo: try fields.string("out_trade_no", bytesMax: 32)
          ),
          try words(fields), try fields.optionalInteger("refund", in: 1...OrderForm.fenMax),
          try fields.optionalInteger("pictures", in: 0...9) ?? 0
        )
      }
      // The pictures are where the merchants' API is: at the address that was called.
      let origin = call.request.fields["Host"].map { "http://" + $0 } ?? "https://api.mch.weixin.qq.com"
      let id = try await call.service.control.complain(
        about: key, text, refund: refund, pictures: Int(pictures), at: origin)
      return call.answer(.members([("complaint_id", .string(id))]), status: 201)
    },
    WeChatPayControlRoute(
      "POST", "/complaints/{id}/again", summary: "The customer complains once more, under the same number.",
      takes: [("text", "what the customer writes")]
    ) { call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      let text = try call.read { fields throws(JSONFieldError) in try words(fields) }
      try await call.service.control.complainAgain(call.parameters["id"] ?? "", text)
      return HTTPResponse(status: 204)
    },
    WeChatPayControlRoute("POST", "/complaints/{id}/withdraw", summary: "The customer withdraws the complaint.") {
      call throws(CodedError<WeChatPaySimulatorErrorCode>) in
      try await call.service.control.withdrawComplaint(call.parameters["id"] ?? "")
      return HTTPResponse(status: 204)
    },
  ]

  private static func words(_ fields: JSONFields) throws(JSONFieldError) -> String {
    try fields.string("text", bytesMax: 800)
  }
}
