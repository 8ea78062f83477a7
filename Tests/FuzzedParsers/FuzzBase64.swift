import Cryptography

/// One text for each sequence of bytes: what decodes encodes to the same text again.
func fuzzBase64(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let decoded = Base64.decode(bytes) {
    precondition(Base64.encode(decoded).utf8.elementsEqual(bytes))
  }
  if let decoded = Base64URL.decode(bytes) {
    precondition(Base64URL.encode(decoded).utf8.elementsEqual(bytes))
  }
  precondition(Base64.decode(Base64.encode(bytes)) == bytes)
  precondition(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
  if let parts = CompactJWS(bytes, bytesMax: 1 << 18) {
    let token = CompactJWS.token(header: parts.header, payload: parts.payload) { _ in parts.signature }
    precondition(token.utf8.elementsEqual(bytes))
  }
  return 0
}
