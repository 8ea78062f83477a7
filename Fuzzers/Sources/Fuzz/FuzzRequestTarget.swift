import HTTPMessages

/// No segment leads out of its folder, and what is encoded is taken apart to the same text.
func fuzzRequestTarget(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  if let target = RequestTarget(text) {
    for segment in target.path {
      precondition(segment != "." && segment != ".." && !segment.isEmpty)
      precondition(!segment.utf8.contains { $0 == 0x2F || $0 == 0 })
    }
  }
  if count <= 1000, let target = RequestTarget("/x?q=" + RequestTarget.encode(text)) {
    precondition(target["q"]?.utf8.elementsEqual(text.utf8) == true)
  }
  return 0
}
