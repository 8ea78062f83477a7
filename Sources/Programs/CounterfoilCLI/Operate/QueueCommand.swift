import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// `counterfoil queue`: what needs an operator's attention, and who works on it.
enum QueueCommand {
  static let command = Command.of(
    "queue",
    BilingualText("list what needs an operator's attention, or assign it", "列出需要人工处理的事项，或指派处理人"),
    usage: """
      usage: counterfoil queue [--kind KIND] [--assigned-to NAME | --unassigned] [--limit N] [OPTIONS]
             counterfoil queue assign ITEM [--to NAME] [--from NAME] --reason TEXT [OPTIONS]

      Lists what needs an operator's attention, the longest waiting first, each with its reason, what to do and its
      name, and who works on it. `assign` says who works on an item from now on.

        --kind KIND         payment, stoppedChange, disputedRefund, contradictedCharge, stuckRefund, parkedDelivery,
                            parkedForward, frozenOrder, frozenBalance, reconciliationDifference, uncomparedDay,
                            backupGap, complaint or configuration
        --assigned-to NAME  only what that account works on
        --unassigned        only what nobody works on
        --limit N           1 to 500 (otherwise 20)
        --to NAME           an account with a role in the app; without it, nobody
        --from NAME         who works on it now; without it, nobody. If it is somebody else, nothing changes
        --reason TEXT       your words, for the audit log
      \(OperatorServer.usage)

      Exit codes: 0 nothing waits, or done; 1 something waits, refused, or the server did not answer; 2 wrong usage.

      """,
    valued: OperatorServer.valued + ["kind", "limit", "assigned-to", "to", "from", "reason"], flags: ["unassigned"],
    wordsMax: 2
  ) { options, platform in
    switch options.words.count {
    case 0: return try await list(options, platform)
    case 2 where options.words[0] == "assign": return try await assign(options.words[1], options, on: platform)
    default: throw UsageError("`queue` or `queue assign ITEM` is needed.")
    }
  }

  private static func list(_ options: Options, _ platform: Platform) async throws -> Int32 {
    for name in ["to", "from", "reason"] where try options.one(name) != nil {
      throw UsageError("--\(name) belongs to `queue assign`.")
    }
    let kind = try options.one("kind")
    guard kind.map({ AttentionItem.Kind(rawValue: $0) != nil }) ?? true else {
      throw UsageError("--kind is one of \(AttentionItem.Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    let name = try options.one("assigned-to")
    guard name == nil || !options.has("unassigned") else { throw UsageError("--assigned-to or --unassigned.") }
    let query = [
      ("limit", try options.number("limit", in: 1...500).map(String.init)), ("kind", kind),
      ("assignedTo", options.has("unassigned") ? "" : name),
    ].compactMap { name, value in value.map { name + "=" + RequestTarget.encode($0) } }
    let answers = try await OperatorServer.of(options, platform).answers(
      to: "/v1/operator/queue" + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
      isMissing: { _ in false }, CommandLineProgram.language(platform))
    let items = answers.flatMap { $0["items"]?.array ?? [] }
    if options.has("json") {
      for answer in answers { platform.print(answer.text + "\n") }
    } else {
      for item in items { platform.print(OperatorReport.item(item)) }
    }
    return items.isEmpty ? ExitCode.done : ExitCode.failed
  }

  private static func assign(_ item: String, _ options: Options, on platform: Platform) async throws -> Int32 {
    for name in ["kind", "limit", "assigned-to"] where try options.one(name) != nil {
      throw UsageError("--\(name) belongs to `queue` alone.")
    }
    guard let reason = try options.one("reason"), !options.has("unassigned") else {
      throw UsageError("--reason is needed, and --unassigned belongs to `queue` alone.")
    }
    let names = [("assignTo", try options.one("to")), ("assignedTo", try options.one("from"))]
    guard names.allSatisfy({ $0.1.map(OperatorAccount.isName) ?? true }) else {
      throw UsageError("--to and --from are names of accounts.")
    }
    let body = JSONValue.members(
      names.map { ($0.0, $0.1.map(JSONValue.string)) } + [("reason", .string(reason))])
    let answers = try await OperatorServer.of(options, platform).answers(
      to: "/v1/operator/queue/" + RequestTarget.encode(item) + "/assign", sending: body,
      isMissing: { $0["code"]?.string == EngineErrorCode.actNotPossible.rawValue },
      CommandLineProgram.language(platform))
    for answer in answers {
      platform.print(
        (options.has("json") ? answer.text : OperatorReport.line(answer, ["itemId", "assignedTo", "assignedAt"]))
          + "\n")
    }
    return ExitCode.done
  }
}
