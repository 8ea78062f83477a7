import HTTPMessages

/// No segment leads out of its folder, an escaped `/` separates nothing, and what is encoded is taken apart to the same
/// text.
func fuzzRequestTarget(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  if let target = RequestTarget(text) {
    for segment in target.path {
      precondition(segment != "." && segment != ".." && !segment.isEmpty)
      precondition(!segment.utf8.contains(0))
    }
    let written = text.utf8.prefix { $0 != 0x3F }
    precondition(target.path.count == written.split(separator: 0x2F).count, "an escaped / separates segments")
    let again = "/" + target.path.map(RequestTarget.encode).joined(separator: "/")
    if again.utf8.count <= 4096 { precondition(RequestTarget(again)?.path == target.path) }
  }
  if count <= 1000, let target = RequestTarget("/x?q=" + RequestTarget.encode(text)) {
    precondition(target["q"]?.utf8.elementsEqual(text.utf8) == true)
  }
  return 0
}
