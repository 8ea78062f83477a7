import StrictJSON

/// What is read is written to bytes that read as the same value; numbers never trap.
func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  guard let value = try? JSONReader.read(bytes) else { return 0 }
  guard let again = try? JSONReader.read(value.bytes), again == value else {
    preconditionFailure("a value that was read is not read again")
  }
  for member in value.object ?? [] {
    _ = member.value.integer
    _ = member.value.flooredInteger
  }
  return 0
}
