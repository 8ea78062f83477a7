import PaymentPrimitives
import TOMLConfiguration

/// Feeds a configuration file: taking it apart, asking it for settings of each form, and telling what is wrong with it.
func fuzzTOML(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  do throws(ConfigurationError) {
    let file = try ConfigurationFile(parsing: bytes, named: "fuzz.toml")
    try file.read { root -> Void? in ask(root, depth: 1) }
  } catch {
    precondition(!error.report(.english).isEmpty && !error.report(.chinese).isEmpty)
  }
  return 0
}

/// Asks each key of a table for a form that its name picks, so that the input decides.
private func ask(_ table: ConfigurationTable, depth: Int) {
  for key in table.keys {
    switch key.utf8.first.map({ $0 % 8 }) {
    case 0: _ = table.optional(key, .string(bytes: 0...8))
    case 1: _ = table.layered(key, .integer(in: -9...9), default: 0)
    case 2: _ = table.optional(key, .duration(in: .zero ... .days(7)))
    case 3: _ = table.optional(key, .moment)
    case 4: _ = table.optional(key, .secret)
    case 5: _ = table.optional(key, .list(of: .bool, count: 0...3))
    case 6: for inner in table.tables(key) { ask(inner, depth: depth + 1) }
    case 7: for (_, inner) in table.namedTables(key) { ask(inner, depth: depth + 1) }
    default: _ = table.required(key, .string())
    }
  }
  _ = table.required("missing", .integer(in: 0...1))
}
