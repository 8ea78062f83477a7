import CLibFuzzer
import FuzzedParsers

/// The entry that SwiftPM expects of a program named Fuzz; libFuzzer's own would need a program for each parser.
///
/// `Fuzz NAME [what libFuzzer takes]`; without a name it lists the names.
@_cdecl("Fuzz_main")
public func run(
  _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  var names: [UnsafeMutablePointer<CChar>?] = (0..<Int(count)).map { arguments?[$0] }
  guard names.count > 1, let name = names[1].map({ String(cString: $0) }),
    let parser = FuzzedParser.all.first(where: { $0.name == name })
  else {
    for parser in FuzzedParser.all { print(parser.name) }
    return names.count > 1 ? 2 : 0
  }
  names.remove(at: 1)
  var rest = CInt(names.count)
  names.append(nil)
  return names.withUnsafeMutableBufferPointer { buffer in
    var start = buffer.baseAddress
    return LLVMFuzzerRunDriver(&rest, &start, parser.feed)
  }
}
