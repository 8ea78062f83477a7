import Cryptography
import Passkeys

/// A browser's answer about a passkey is refused, whatever it is: nobody signed these bytes.
func fuzzPasskey(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if let (value, rest) = try? CBORReader.read(bytes[...]) {
    precondition(rest.count < bytes.count)
    precondition(value[.text("authData")]?.bytes.map { $0.count <= bytes.count } ?? true)
  }
  let question = PasskeyQuestion(challenge: Array("fuzzed".utf8), origin: "http://localhost:8090")
  let clientData = Array(
    #"{"type":"webauthn.create","challenge":"ZnV6emVk","origin":"http://localhost:8090"}"#.utf8)
  _ = try? PasskeyRegistration(clientData: bytes, attestation: bytes, to: question)
  if let made = try? PasskeyRegistration(clientData: clientData, attestation: bytes, to: question) {
    precondition((1...Passkeys.credentialBytesMax).contains(made.credential.count))
    let signed = try? PasskeyAssertion(
      clientData: clientData, authenticatorData: bytes, signature: bytes, by: made.key, to: question)
    precondition(signed == nil)
  }
  return 0
}
