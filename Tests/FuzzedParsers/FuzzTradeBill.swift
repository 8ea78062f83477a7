import WeChatPayProtocol

/// A bill that is read adds up; amounts that are read are written to texts that read as the same; no file unpacks to
/// more than it may.
func fuzzTradeBill(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let bill = try? TradeBill(bytes) {
    precondition(bill.summary.contains { $0.name == "总交易单数" && BillAmount.count($0.value) == bill.rows.count })
    _ = bill.paymentTotal + bill.refundTotal
  }
  let text = String(decoding: bytes.prefix(64), as: UTF8.self)
  if let units = BillAmount.feeUnits(text) {
    precondition(BillAmount.feeUnits(BillAmount.text(feeUnits: units)) == units)
  }
  if let fen = BillAmount.fen(text) { precondition(BillAmount.fen(BillAmount.text(fen: fen)) == fen) }
  if let content = try? Gzip.decompress(bytes, bytesMax: 1 << 16) {
    precondition(content.count <= 1 << 16)
    precondition((try? Gzip.decompress(Gzip.compress(content), bytesMax: 1 << 16)) == content)
  }
  return 0
}
