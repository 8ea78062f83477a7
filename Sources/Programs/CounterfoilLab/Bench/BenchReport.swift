import CounterfoilCLI
import StrictJSON

/// Prints figures as text, or as one JSON object per line.
struct BenchReport {
  let isJSON: Bool
  let print: (String) -> Void

  func heading(
    pairs: Int, batch: Int, reference: Int,
    _ name: String = "P-256 verifications a second by OpenSSL alone, best batch"
  ) {
    if isJSON {
      print(JSONValue.members([("name", .string(name)), ("value", .integer(reference))]).text + "\n")
    } else {
      print(
        "Medians of \(pairs) pairs of batches of \(batch), measured in turn; in brackets the range.\n"
          + "\(reference) \(name)\n")
    }
  }

  func note(_ sentence: String) {
    print(isJSON ? JSONValue.members([("note", .string(sentence))]).text + "\n" : sentence + "\n")
  }

  func row(_ number: Int, _ name: String, ratios: Ratios, atLeast bound: Double, aim: Double) {
    write(number, name, ratios: ratios, bound: bound, aim: aim, isMet: ratios.median >= bound, sign: ">=")
  }

  func row(_ number: Int, _ name: String, ratios: Ratios, atMost bound: Double, aim: Double) {
    write(number, name, ratios: ratios, bound: bound, aim: aim, isMet: ratios.median <= bound, sign: "<=")
  }

  func detail(_ name: String, _ ratios: Ratios) {
    if isJSON {
      print(JSONValue.members([("name", .string(name))] + figures(ratios)).text + "\n")
    } else {
      print("       \(text(ratios))  \(name)\n")
    }
  }

  private func write(
    _ number: Int, _ name: String, ratios: Ratios, bound: Double, aim: Double, isMet: Bool, sign: String
  ) {
    if isJSON {
      let value = JSONValue.members(
        [("row", .integer(number)), ("name", .string(name))] + figures(ratios) + [
          ("bound", .number(decimal(bound))), ("aim", .number(decimal(aim))), ("met", .bool(isMet)),
        ])
      print(value.text + "\n")
    } else {
      print(
        "row \(number)  \(text(ratios))  \(name): \(isMet ? "met" : "FALLS SHORT") "
          + "(asked \(sign) \(decimal(bound)), aim \(sign) \(decimal(aim)))\n")
    }
  }

  private func figures(_ ratios: Ratios) -> [(String, JSONValue?)] {
    [
      ("median", .number(decimal(ratios.median))), ("least", .number(decimal(ratios.least))),
      ("most", .number(decimal(ratios.most))),
    ]
  }

  private func text(_ ratios: Ratios) -> String {
    "\(decimal(ratios.median)) [\(decimal(ratios.least)), \(decimal(ratios.most))]"
  }

  /// Formats three decimals; the standard library formats no floating point.
  private func decimal(_ value: Double) -> String {
    let thousandths = Int((value * 1000).rounded())
    let digits = String(abs(thousandths) % 1000)
    return (thousandths < 0 ? "-" : "") + "\(abs(thousandths) / 1000)."
      + String(repeating: "0", count: 3 - digits.count) + digits
  }
}
