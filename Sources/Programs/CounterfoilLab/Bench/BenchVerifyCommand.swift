import AppStoreProtocol
import CounterfoilCLI
import Cryptography
import PaymentPrimitives
import StrictJSON

/// `counterfoil-lab bench verify`: what verifying signed data costs, against OpenSSL's own P-256 verification in the
/// same run.
///
/// A machine's speed moves by a factor of two from one second to the next. So nothing is compared but neighbours: a
/// batch of plain verifications, a batch of what is measured, and so on in turn; each pair gives a ratio, and the
/// median is printed.
package enum BenchVerifyCommand {
  /// The text for `--help`.
  package static let usage = """
    usage: counterfoil-lab bench verify [--receipts] [--pairs N] [--batch N] [--profile] [--json]

    Measures rows 1 and 7 of docs/specification/numbers.md:
      row 1  signed transactions verified per core, certificate chain known, against OpenSSL's P-256 verification
      row 7  what a bogus token costs, against one P-256 verification
    With --receipts, row 2 instead:
      row 2  app receipts verified per core, against one SHA-256 and three RSA-2048 verifications

      --receipts  row 2 instead of the others
      --pairs N   pairs of batches for each figure (default 21)
      --batch N   verifications in a batch (default 200)
      --profile   also where the time of row 1 goes; always printed when the row falls short
      --json      one JSON object a line

    Exit codes: 0 measured, 2 wrong usage.

    """

  /// Runs the command.
  ///
  /// - Parameters:
  ///   - arguments: the arguments after `bench verify`.
  ///   - nanoseconds: a clock that never goes back; processor time if available, otherwise wall time.
  ///   - print: takes text for the standard output, with its line ends.
  ///   - printError: takes text for the standard error output.
  /// - Returns: the exit code.
  package static func run(
    arguments: [String], nanoseconds: @escaping () -> UInt64,
    print: @escaping (String) -> Void,
    printError: @escaping (String) -> Void
  ) -> Int32 {
    let options: Options
    do throws(UsageError) {
      options = try Options(arguments)
    } catch {
      printError("counterfoil-lab bench verify: \(error.message)\n\n\(usage)")
      return 2
    }
    if options.isHelp {
      print(usage)
      return 0
    }
    let report = BenchReport(isJSON: options.isJSON, print: print)
    if options.wantsReceipts {
      ReceiptBench().run(pairs: options.pairs, batch: options.batch, nanoseconds: nanoseconds, report)
      return 0
    }
    let subject = BenchSubject()
    let stopwatch = PairedStopwatch(
      pairs: options.pairs, batch: options.batch, nanoseconds: nanoseconds,
      reference: { subject.verifyPlainly($0) })
    report.heading(
      pairs: options.pairs, batch: options.batch, reference: stopwatch.referencesPerSecond())
    let row1 = stopwatch.measure { subject.verifyTransaction($0) }
    report.row(
      1, "signed transactions verified, chain known; speed against P-256", ratios: row1.map { 1 / $0 },
      atLeast: 0.67, aim: 0.80)
    if 1 / row1.median < 0.67 || options.wantsProfile { profile(subject, stopwatch, whole: row1, report: report) }
    var worst: (name: String, cost: Ratios)?
    for (name, step) in subject.bogusTokens {
      let cost = stopwatch.measure(step)
      report.detail("bogus: \(name)", cost)
      if cost.median > worst?.cost.median ?? 0 { worst = (name, cost) }
    }
    if let worst {
      report.row(
        7, "a bogus token, the dearest kind (\(worst.name)); cost in P-256 verifications", ratios: worst.cost,
        atMost: 0.6, aim: 0.2)
    }
    report.detail(
      "a known chain under a forged payload: needs the signature check itself",
      stopwatch.measure { subject.verifyForgedPayload($0) })
    return 0
  }

  /// The time of row 1, step by step.
  private static func profile(
    _ subject: BenchSubject, _ stopwatch: PairedStopwatch, whole: Ratios, report: BenchReport
  ) {
    var rest = whole.median
    for (name, step) in subject.steps {
      let cost = stopwatch.measure(step)
      rest -= cost.median
      report.detail("step: \(name)", cost)
    }
    report.detail("step: all else (split, look-up, claims, verdict)", Ratios([rest]))
  }

  struct Options {
    var pairs = 21
    var batch = 200
    var isJSON = false
    var isHelp = false
    var wantsProfile = false
    var wantsReceipts = false

    init(_ arguments: [String]) throws(UsageError) {
      var rest = arguments[...]
      while let argument = rest.popFirst() {
        switch argument {
        case "--help", "-h": isHelp = true
        case "--json": isJSON = true
        case "--profile": wantsProfile = true
        case "--receipts": wantsReceipts = true
        case "--pairs": pairs = try Self.number(argument, rest.popFirst())
        case "--batch": batch = try Self.number(argument, rest.popFirst())
        default: throw UsageError("unknown argument \(argument)")
        }
      }
    }

    private static func number(_ name: String, _ text: String?) throws(UsageError) -> Int {
      guard let text, let number = Int(text), (1...100_000).contains(number) else {
        throw UsageError("\(name) needs a number from 1 to 100000")
      }
      return number
    }
  }
}

/// Arguments that a command does not understand.
