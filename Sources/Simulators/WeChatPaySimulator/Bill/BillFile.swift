import Cryptography
import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

/// What both kinds of bills have in common: the day, the form of a row, the file and its ticket.
struct BillFile {
  let call: MerchantCall
  let snapshot: WeChatPaySnapshot

  /// Bills have no quoting: characters that separate fields are removed from texts.
  static func row(_ fields: [String]) -> String {
    fields.map { "`" + String(String.UnicodeScalarView($0.unicodeScalars.filter { $0 != "`" && $0.value >= 0x20 })) }
      .joined(separator: ",")
  }

  /// Whether the file is asked for in compressed form.
  func isCompressed() throws(APIProblem) -> Bool {
    let type = call.route.target["tar_type"]
    guard type == nil || type == "GZIP" else { throw .parameter("tar_type", "压缩类型不合法", location: "query") }
    return type == "GZIP"
  }

  /// The start of the requested Beijing day, if its bill is ready.
  func day() throws(APIProblem) -> Timestamp {
    let text = call.route.target["bill_date"]
    guard let text, text.utf8.count == 10, let midnight = Timestamp(iso8601: text + "T00:00:00+08:00") else {
      throw .parameter("bill_date", "日期格式应为 yyyy-MM-dd", location: "query")
    }
    let now = snapshot.now
    guard midnight <= now, now - midnight <= .days(WeChatPaySimulatorLimits.billDaysMax) else {
      throw APIProblem(400, "INVALID_REQUEST", message: "账单日期不合法")
    }
    if snapshot.state.behaviours.isOn(.billsAtOnce) { return midnight }
    guard now >= midnight + .days(1) else { throw APIProblem(400, "INVALID_REQUEST", message: "账单日期不合法") }
    guard now >= Self.making(midnight) else { throw APIProblem(400, "STATEMENT_CREATING", message: "账单生成中") }
    return midnight
  }

  /// When the bill of a day is made: at nine to ten o'clock of the next day. It never changes afterwards.
  static func making(_ midnight: Timestamp) -> Timestamp { midnight + .hours(34) }

  /// Keeps the file for its download; the answer has the URL and the hash.
  func ready(_ file: [UInt8], isCompressed: Bool) -> (ReadyBill, answer: JSONValue) {
    var hash = Hexadecimal.text(SHA1.hash(file))
    if call.fault == .wrongHash { hash = String(hash.reversed()) }
    let token = Base64URL.encode(snapshot.dependencies.randomBytes(48))
    let ready = ReadyBill(
      token: token, mchid: call.merchant.mchid, bytes: isCompressed ? Gzip.compress(file) : file,
      isCompressed: isCompressed, until: snapshot.now + WeChatPaySimulatorLimits.billLife)
    let url = "\(call.origin)/v3/billdownload/file?token=\(token)" + (isCompressed ? "&tartype=gzip" : "")
    let members = JSONValue.members([
      ("hash_type", "SHA1"), ("hash_value", .string(hash)), ("download_url", .string(url)),
    ])
    return (ready, members)
  }

  static let missing = APIProblem(400, "NO_STATEMENT_EXIST", message: "账单文件不存在")
}
