import CHTTPServer
import HTTPMessages
import HTTPServer

/// Bytes as a connection may bring them: a head, and what stands behind it.
///
/// Beside crashes it looks for disagreement. A head that `RequestHead` accepts holds nothing that another reader could
/// take differently, and Boost.Beast finds the end of its body in the same place, however the bytes are divided.
func fuzzHTTPHeaders(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let end = endOfHead(bytes) else {
    // Without its empty line no head is accepted.
    precondition((try? RequestHead(bytes)) == nil)
    return 0
  }
  let head = Array(bytes[..<end])
  let rest = Array(bytes[end...])
  guard let accepted = try? RequestHead(head) else { return 0 }
  check(accepted)
  precondition((try? RequestHead(head + [0x0A])) == nil, "a byte behind the empty line is accepted")

  var verdict = http_head_verdict()
  verdict.body_limit = 1 << 16
  verdict.is_chunked = accepted.body == .chunked
  if case .length(let length) = accepted.body {
    guard length <= verdict.body_limit else { return 0 }
    verdict.content_length = length
  }
  let whole = read(verdict, head, rest, step: rest.count)
  for step in [1, 2, 7] {
    let divided = read(verdict, head, rest, step: step)
    precondition(whole == divided, "the division of the bytes decides about the request")
  }
  check(whole, of: accepted, restCount: rest.count)
  return 0
}

private struct Reading: Equatable {
  let taken: Int64
  let bodyCount: UInt64
}

private func read(
  _ verdict: http_head_verdict, _ head: [UInt8], _ rest: [UInt8], step: Int
) -> Reading {
  var bodyCount: UInt64 = 0
  let taken = http_read_request(
    verdict, head, head.count, rest, rest.count, step, &bodyCount)
  // Beast may see at once or only with further bytes that a chunk is malformed: refused or unfinished, it is not
  // accepted.
  return taken < 0 ? Reading(taken: -1, bodyCount: 0) : Reading(taken: taken, bodyCount: bodyCount)
}

private func check(_ reading: Reading, of head: RequestHead, restCount: Int) {
  guard reading.taken >= 0 else { return }
  precondition(reading.bodyCount <= 1 << 16, "a body is larger than its limit")
  switch head.body {
  case .none: precondition(reading.taken == 0 && reading.bodyCount == 0)
  case .length(let length):
    precondition(reading.taken == Int64(length) && reading.bodyCount == length)
  case .chunked: precondition(reading.taken > Int64(reading.bodyCount) && reading.taken <= restCount)
  }
}

private func check(_ head: RequestHead) {
  precondition(RequestHead.methods.contains(head.method))
  precondition(head.target.utf8.first == 0x2F)
  precondition(head.target.utf8.allSatisfy { (0x21...0x7E).contains($0) })
  precondition(head.fields.values("Host").count <= 1)
  let framing = head.fields.values("Content-Length") + head.fields.values("Transfer-Encoding")
  precondition(framing.count <= 1, "two fields say how long the body is")
  for (name, value) in head.fields.all {
    precondition(!name.isEmpty && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x3A })
    precondition(!value.utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F })
  }
}

private func endOfHead(_ bytes: [UInt8]) -> Int? {
  guard bytes.count >= 4 else { return nil }
  for index in 0...bytes.count - 4
  where bytes[index...].starts(with: [0x0D, 0x0A, 0x0D, 0x0A]) { return index + 4 }
  return nil
}
