import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// What phones counted about orders that were nearly lost.
enum DiagnosticsCommand {
  static let command = Command.of(
    "diagnostics", BilingualText("show what phones counted of orders that were nearly lost", "显示手机统计的险些丢单的情况"),
    usage: """
      usage: counterfoil diagnostics [--from DAY] [--to DAY] [--environment E] [--app ID] [--server URL] [--json]

      Shows per day what phones counted: orders that a recovery granted, transactions without an order, finished
      transactions that came back, callbacks that did not come; and how many reports there were. Then, for the newest
      grants: how the server first heard of the payment, and how long it took from the purchase until the grant.

        --from DAY          since that day, such as 2025-10-09
        --to DAY            up to that day
        --environment E     another environment than the app's own
      \(OperatorServer.usage)

      Exit codes: 0 printed, 1 the server did not answer, 2 wrong usage.

      """,
    valued: OperatorServer.valued + ["from", "to", "environment"]
  ) { options, platform in
    let query = try ["from", "to", "environment"].compactMap { name in
      try options.one(name).map { name + "=" + RequestTarget.encode($0) }
    }
    let answers = try await OperatorServer.of(options, platform).answers(
      to: "/v1/operator/diagnostics" + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
      isMissing: { _ in false }, CommandLineProgram.language(platform))
    for answer in answers {
      platform.print(options.has("json") ? answer.text + "\n" : report(answer))
    }
    return ExitCode.done
  }

  static func report(_ answer: JSONValue) -> String {
    var lines = (answer["counts"]?.array ?? []).map { OperatorReport.line($0, ["day", "kind", "count"]) }
    if lines.isEmpty { lines = ["No phone has counted anything."] }
    let grants = answer["newestGrants"]
    let origins = ["client", "notification", "storeAnswer", "backend", "operator"].compactMap { origin in
      grants?["firstHeardFrom"]?[origin]?.integer.map { "\(origin) \($0)" }
    }
    if let examined = grants?["examined"]?.integer, examined > 0 {
      lines.append("newest \(examined) grants: first heard from \(origins.joined(separator: ", "))")
      let times = ["median", "within95Percent", "longest"].compactMap { name in
        grants?["purchaseToGrantMilliseconds"]?[name]?.integer.map { "\(name) \($0) ms" }
      }
      lines.append("from purchase to grant: " + times.joined(separator: ", "))
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
