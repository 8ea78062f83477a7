import AppStoreProtocol
import Cryptography
import PaymentPrimitives

/// Property lists and transaction receipts from anywhere: no key is there without its bytes, and what was not signed is
/// never valid.
func fuzzTransactionReceipt(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let list = TextPropertyList.read(bytes) {
    precondition(list.count <= 256)
    precondition(list.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } <= count)
  }
  let now = Timestamp(seconds: 1_795_000_000)
  for text in [Base64.encode(bytes), String(decoding: bytes, as: UTF8.self)] {
    let verdict = verifier?.verifyTransactionReceipt(text, expecting: SignedDataExpectations(), at: now)
    if let verified = verdict?.verified { _ = try? AppStoreEvidence.purchase(of: verified) }
    precondition(verdict?.isValid == (verdict?.failure == nil))
  }
  return 0
}

private let verifier = try? ReceiptVerifier(.production)
