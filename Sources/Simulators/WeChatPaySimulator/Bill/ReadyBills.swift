import HTTPMessages
import PaymentPrimitives

/// A bill that is ready for download. It is not in the log: after a restart the client must request it again.
struct ReadyBill: Sendable {
  let token: String
  let mchid: String
  let bytes: [UInt8]
  let isCompressed: Bool
  let until: Timestamp
}

/// The bills that are ready for download.
///
/// It belongs to the actor of WeChat Pay: all its calls run there.
final class ReadyBills {
  private var bills: [ReadyBill] = []

  func keep(_ bill: ReadyBill, at now: Timestamp) {
    bills.removeAll { $0.until < now }
    bills = bills.suffix(WeChatPaySimulatorLimits.billsMax - 1) + [bill]
  }

  func download(_ call: MerchantCall, at now: Timestamp) throws(APIProblem) -> APIOutcome {
    let token = call.route.target["token"]
    guard let bill = bills.first(where: { $0.token == token }), bill.mchid == call.merchant.mchid, now <= bill.until
    else { throw APIProblem(403, "NO_AUTH", message: "下载地址已失效") }
    let bytes = call.fault == .cutFile ? Array(bill.bytes.prefix(bill.bytes.count / 2)) : bill.bytes
    return .file(bytes, type: bill.isCompressed ? "application/x-gzip" : "text/plain")
  }
}
