import AppStoreProtocol
import StrictJSON

/// What a payload states survives being written and read again, whatever its kind.
func fuzzPayload(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard let value = try? JSONReader.read(bytes), let fields = try? PayloadFields(value) else { return 0 }
  _ = SignedDataKind.recognized(in: fields)
  check(try? JWSTransactionDecodedPayload(fields))
  check(try? JWSRenewalInfoDecodedPayload(fields))
  check(try? AppTransaction(fields))
  check(try? ResponseBodyV2DecodedPayload(fields))
  check(try? DecodedRealtimeRequestBody(fields))
  return 0
}

private func check<Payload: SignedPayload>(_ payload: Payload?) {
  guard let payload else { return }
  _ = payload.claims
  guard let fields = try? PayloadFields(payload.json), let again = try? Payload(fields) else {
    preconditionFailure("a payload that was written is not read")
  }
  precondition(again == payload)
}
