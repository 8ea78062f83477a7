/// No floating point near money (CONVENTIONS 7).
package enum FloatingPointRule {
  static let modules: Set<String> = ["PaymentPrimitives", "PaymentModel", "PaymentDatabase", "CounterfoilAPI"]
  private static let types: Set<String> = [
    "Double", "Float", "Float16", "Float32", "Float64", "Float80", "CGFloat", "TimeInterval", "Decimal",
  ]

  package static func findings(in file: SourceFile) -> [Finding] {
    guard file.language == .swift, file.path.hasPrefix("Sources/"), modules.contains(file.target ?? "") else {
      return []
    }
    return file.code.compactMap { token in
      guard token.kind == .word && types.contains(token.text) || token.kind == .floatingPoint else { return nil }
      return Finding(
        file, token.line, "\(token.text): no floating point near money; instead: Int64 of the smallest unit")
    }
  }
}
