/// No floating point near money (CONVENTIONS 7).
enum FloatingPointRule {
  static let modules: Set<String> = ["PaymentPrimitives", "PaymentModel", "PaymentDatabase", "CounterfoilAPI"]
  private static let types: Set<String> = [
    "Double", "Float", "Float16", "Float32", "Float64", "Float80", "CGFloat", "TimeInterval", "Decimal",
  ]

  static func findings(in file: SourceFile) -> [Finding] {
    guard file.language == .swift, file.path.hasPrefix("Sources/"), modules.contains(file.target ?? "") else {
      return []
    }
    return file.code.compactMap { token in
      guard token.kind == .word && types.contains(token.text) || isFraction(token) else { return nil }
      return Finding(
        file, token.line, "\(token.text): no floating point near money; instead: Int64 of the smallest unit")
    }
  }

  private static func isFraction(_ token: Token) -> Bool {
    guard token.kind == .number else { return false }
    let isHexadecimal = token.text.hasPrefix("0x")
    return token.text.contains(".")
      || (isHexadecimal ? token.text.contains("p") : token.text.lowercased().contains("e"))
  }
}
