package import CounterfoilCLI
import PaymentPrimitives

/// `counterfoil-lab bench verify`: what verifying signed data costs, against OpenSSL's own P-256 verification in the
/// same run.
///
/// A machine's speed moves by a factor of two from one second to the next. So nothing is compared but neighbours: a
/// batch of plain verifications, a batch of what is measured, and so on in turn; each pair gives a ratio, and the
/// median is printed.
package enum BenchVerifyCommand {
  /// The number of pairs of batches, the size of a batch, and whether the breakdown is printed in any case.
  struct Settings: Sendable {
    var pairs = 21
    var batch = 200
    var wantsProfile = false
  }

  package static let command = Command.of(
    "bench verify", BilingualText("measure the verification of signed data", "测量签名数据的验证性能"),
    usage: """
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

      """,
    valued: ["pairs", "batch"], flags: ["receipts", "profile"], program: "counterfoil-lab"
  ) { options, platform in
    var settings = Settings()
    settings.pairs = Int(try options.number("pairs", in: 1...100_000) ?? 21)
    settings.batch = Int(try options.number("batch", in: 1...100_000) ?? 200)
    settings.wantsProfile = options.has("profile")
    let wantsReceipts = options.has("receipts")
    try await BenchReport().measure(isJSON: options.has("json"), in: nil, platform) { report in
      if wantsReceipts {
        ReceiptBench().run(settings, nanoseconds: platform.processorNanoseconds, into: report)
      } else {
        run(settings, nanoseconds: platform.processorNanoseconds, into: report)
      }
    }
    return ExitCode.done
  }

  /// Measures rows 1 and 7.
  static func run(_ settings: Settings, nanoseconds: @escaping () -> UInt64, into report: BenchReport) {
    let subject = BenchSubject()
    let stopwatch = PairedStopwatch(
      pairs: settings.pairs, batch: settings.batch, nanoseconds: nanoseconds,
      reference: { subject.verifyPlainly($0) })
    report.note(stopwatch.description)
    report.reference(
      "P-256 verifications a second by OpenSSL alone, best batch", stopwatch.referencesPerSecond())
    let row1 = stopwatch.measure { subject.verifyTransaction($0) }
    report.row(
      .signedTransactions, "signed transactions verified, chain known; speed against P-256",
      ratios: row1.map { 1 / $0 })
    if settings.wantsProfile || !BenchRow.signedTransactions.bounds.isMet(by: 1 / row1.median) {
      profile(subject, stopwatch, whole: row1, report: report)
    }
    var worst: (name: String, cost: Ratios)?
    for (name, step) in subject.bogusTokens {
      let cost = stopwatch.measure(step)
      report.detail("bogus: \(name)", cost)
      if cost.median > worst?.cost.median ?? 0 { worst = (name, cost) }
    }
    if let worst {
      report.row(
        .bogusToken, "a bogus token, the dearest kind (\(worst.name)); cost in P-256 verifications",
        ratios: worst.cost)
    }
    report.detail(
      "a known chain under a forged payload: needs the signature check itself",
      stopwatch.measure { subject.verifyForgedPayload($0) })
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
}
