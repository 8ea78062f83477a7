import CounterfoilCLI
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `The commands that list` {
  private static let server = ["--server", "http://pay.example.com"]

  private static func run(_ arguments: [String], answers: [String: JSONValue] = [:]) async -> ConfigCommandRun.Answer {
    let exchange = HTTPExchange { request, _ throws(HTTPExchangeError) in
      let path = String(request.target.dropFirst("http://pay.example.com/v1/operator".count))
      guard let answer = answers[request.method == "GET" ? path : request.method + " " + path] else {
        throw .unreachable(request.target)
      }
      return HTTPResponse(status: 200, json: answer)
    }
    return await ConfigCommandRun.run(
      "", files: [:], variables: ["LANG": "en", "COUNTERFOIL_OPERATOR_KEY": "op_test"], arguments: arguments + server,
      exchange: exchange)
  }

  @Test(arguments: [
    ["queue", "--kind", "x"], ["queue", "x"], ["queue", "assign"], ["queue", "assign", "i"], ["queue", "--to", "lin"],
    ["queue", "assign", "i", "--reason", "r", "--to", "no name"], ["queue", "--unassigned", "--assigned-to", "lin"],
    ["notifications", "list", "x"], ["refunds"], ["refunds", "show", "1"], ["subscriptions"],
    ["subscriptions", "show"], ["subscriptions", "list", "x"], ["deliveries", "show"], ["reconciliations"],
    ["payments", "list", "x"], ["orders", "abc"], ["orders", "--open"], ["search", "1001", "--ask-apple"],
  ])
  func `refuse invalid arguments as wrong usage`(arguments: [String]) async {
    #expect(await Self.run(arguments).code == 2)
  }

  @Test func `send their options, and print a row on a line that controls no terminal`() async {
    let row = JSONValue.members([
      ("createdAt", "2026-03-01T12:00:00.000Z"), ("id", "o1"), ("userId", "al\u{1B}[31mice"), ("quantity", .integer(1)),
    ])
    let answer = JSONValue.members([("orders", .array([row])), ("next", "1/o1")])
    let path = "/orders?state=paid&userId=a%2Fb&after=2%2Fx&limit=5"
    let shown = await Self.run(
      ["orders", "--state", "paid", "--user", "a/b", "--after", "2/x", "--limit", "5"], answers: [path: answer])
    #expect(shown.code == 0 && shown.shown == "2026-03-01T12:00:00.000Z  o1  al\\u001B[31mice  1\n")
    #expect(shown.errors.contains("--after 1/o1"))
    let json = await Self.run(["payments", "list", "--json"], answers: ["/payments": answer])
    #expect(json.shown == answer.text + "\n")
  }

  @Test func `show what phones counted, beside the newest grants`() async {
    let answer = JSONValue.members([
      (
        "counts",
        .array([.members([("day", "2025-10-09"), ("kind", "recovered\u{1B}[31m"), ("count", .integer(3))])])
      ),
      (
        "newestGrants",
        .members([
          ("examined", .integer(2)), ("firstHeardFrom", .members([("client", .integer(2))])),
          ("purchaseToGrantMilliseconds", .members([("median", .integer(400)), ("longest", .integer(900))])),
        ])
      ),
    ])
    let path = "/diagnostics?from=2025-10-01"
    let shown = await Self.run(["diagnostics", "--from", "2025-10-01"], answers: [path: answer])
    #expect(
      shown.code == 0
        && shown.shown == """
          2025-10-09  recovered\\u001B[31m  3
          newest 2 grants: first heard from client 2
          from purchase to grant: median 400 ms, longest 900 ms

          """
    )
    let none = JSONValue.members([("counts", .array([])), ("newestGrants", .members([("examined", .integer(0))]))])
    let empty = await Self.run(["diagnostics"], answers: ["/diagnostics": none])
    #expect(empty.shown == "No phone has counted anything.\n")
  }

  @Test func `show a delivery with its failed attempts`() async {
    let attempt = JSONValue.members([("number", .integer(1)), ("status", .integer(503)), ("answer", "no\nway")])
    let story = JSONValue.members([
      ("id", "dlv_1"), ("state", "pending"), ("delivery", .members([("type", "grant.created")])),
      ("failedAttempts", .array([attempt])),
    ])
    let shown = await Self.run(["deliveries", "show", "dlv_1"], answers: ["/deliveries/dlv_1": story])
    #expect(shown.shown == "dlv_1  pending  grant.created\n  failed  1  503  no\\u000Away\n")
  }

  @Test func `say with their exit code whether something waits`() async {
    let item = JSONValue.members([
      ("kind", "payment"), ("reason", "held(orderLost)"), ("transactionId", "1"), ("advice", "Give it."),
      ("acts", .array(["claim"])),
    ])
    let none = await Self.run(["queue"], answers: ["/queue": .members([("items", .array([]))])])
    #expect(none.code == 0 && none.shown.isEmpty)
    let one = await Self.run(
      ["queue", "--kind", "payment"], answers: ["/queue?kind=payment": .members([("items", .array([item]))])])
    #expect(one.code == 1 && one.shown == "held(orderLost)  1\n  → Give it.\n    claim\n")
  }

  @Test(arguments: [
    ["extensions"], ["extensions", "one"], ["extensions", "one", "1", "--days", "7"], ["extensions", "status", "p"],
    ["extensions", "one", "1", "--period-end", "x", "--days", "91", "--cause", "other", "--reason", "r"],
    ["extensions", "all", "p", "--days", "7", "--cause", "other", "--reason", "r"],
  ])
  func `refuse an extension that is not stated whole`(arguments: [String]) async {
    #expect(await Self.run(arguments).code == 2)
  }

  @Test func `let the server extend renewal dates, and say whether it did`() async {
    let wish = ["--days", "7", "--cause", "serviceIssue", "--reason", "an outage"]
    let one = ["extensions", "one", "2000001", "--period-end", "2026-04-01T00:00:00Z"] + wish
    for (isExtended, code) in [(true, Int32(0)), (false, 1)] {
      let answer = JSONValue.members([("extended", .bool(isExtended)), ("periodEnd", "2026-04-08T00:00:00.000Z")])
      let shown = await Self.run(one, answers: ["POST /subscriptions/2000001/extend": answer])
      #expect(shown.code == code && shown.shown.contains("2026-04-08"), "\(shown)")
    }
    let going = JSONValue.members([("requestIdentifier", "r1"), ("complete", .bool(false))])
    let all = await Self.run(
      ["extensions", "all", "com.example.monthly", "--request", "r1", "--storefront", "CHN"] + wish,
      answers: ["POST /app-store-products/com.example.monthly/extend": going])
    #expect(all.code == 0 && all.shown == "Apple is still at it\n")
    let done = JSONValue.members([
      ("requestIdentifier", "r1"), ("complete", .bool(true)), ("succeeded", .integer(3)), ("failed", .integer(1)),
    ])
    let status = await Self.run(
      ["extensions", "status", "com.example.monthly", "r1"],
      answers: ["/app-store-products/com.example.monthly/extensions/r1": done])
    #expect(status.shown == "done: 3 extended, 1 not\n")
  }

  @Test(arguments: [
    ["complaints"], ["complaints", "show"], ["complaints", "list", "1"], ["complaints", "complete", "1"],
    ["complaints", "answer", "1", "--text", "x", "--reason", "r"], ["complaints", "refund", "1"],
    ["complaints", "list", "--environment", "sandbox"],
  ])
  func `refuse an answer to a complaint that is not stated whole`(arguments: [String]) async {
    #expect(await Self.run(arguments).code == 2)
  }

  @Test func `show who works on what, and assign it`() async {
    let item = JSONValue.members([
      ("reason", "unclaimed"), ("advice", "Find its buyer."), ("itemId", "payment:simulated:appStore:77"),
      ("assignedTo", "lin"),
    ])
    let list = await Self.run(
      ["queue", "--assigned-to", "lin"],
      answers: ["/queue?assignedTo=lin": .members([("items", .array([item]))])])
    #expect(list.code == 1 && list.shown.contains("item payment:simulated:appStore:77  assigned to lin\n"))
    let nobodys = await Self.run(
      ["queue", "--unassigned"], answers: ["/queue?assignedTo=": .members([("items", .array([]))])])
    #expect(nobodys.code == 0)
    let path = "POST /queue/" + RequestTarget.encode("payment:simulated:appStore:77") + "/assign"
    let done = await Self.run(
      ["queue", "assign", "payment:simulated:appStore:77", "--to", "lin", "--reason", "r"], answers: [path: item])
    #expect(done.code == 0 && done.shown == "payment:simulated:appStore:77  lin\n")
  }

  @Test func `list notifications of the stores`() async {
    let row = JSONValue.members([("id", "n-1"), ("type", "REFUND"), ("effect", "kept")])
    let list = await Self.run(
      ["notifications", "list", "--state", "kept", "--limit", "5"],
      answers: ["/notifications?state=kept&limit=5": .members([("notifications", .array([row])), ("next", "7")])])
    #expect(list.code == 0 && list.shown == "n-1  REFUND  kept\n" && list.errors.contains("--after 7"))
  }

  @Test func `read and answer complaints`() async {
    let row = JSONValue.members([("complaintId", "2002"), ("state", "PENDING"), ("times", .integer(1))])
    let list = await Self.run(
      ["complaints", "list", "--state", "all"],
      answers: ["/complaints?state=all": .members([("complaints", .array([row]))])])
    #expect(list.code == 0 && list.shown == "2002  PENDING  1\n")
    let story = JSONValue.members([
      ("complaintId", "2002"), ("state", "PROCESSING"), ("text", "没有\u{1B}[31m到账"), ("talk", "ab12"),
      ("steps", .array([.members([("by", "用户"), ("what", "USER_CREATE_COMPLAINT"), ("text", "没有到账")])])),
    ])
    let shown = await Self.run(["complaints", "show", "2002"], answers: ["/complaints/2002": story])
    #expect(
      shown.shown
        == "2002  PROCESSING\n  没有\\u001B[31m到账\n  用户  USER_CREATE_COMPLAINT  没有到账\n  talk ab12\n")
    let answered = await Self.run(
      ["complaints", "answer", "2002", "--text", "好", "--talk", "ab12", "--reason", "r"],
      answers: ["POST /complaints/2002/answer": story])
    let ended = await Self.run(
      ["complaints", "complete", "2002", "--reason", "r"], answers: ["POST /complaints/2002/complete": story])
    #expect(answered.code == 0 && ended.code == 0)
  }

  @Test func `let the server ask Apple before a search`() async {
    let hits = JSONValue.members([("tried", .array(["orderNumber"])), ("hits", .array([])), ("more", .bool(false))])
    let asked = await Self.run(
      ["search", "mk5ttt123h", "--ask-apple"],
      answers: ["POST /orders/lookup": .members([("payments", .array([]))]), "/search?q=mk5ttt123h": hits])
    #expect(asked.code == 1 && asked.errors.contains("Tried: orderNumber"))
    let hint = await Self.run(["search", "MK5TTT123H"], answers: ["/search?q=MK5TTT123H": hits])
    #expect(hint.errors.contains("--ask-apple"))
  }
}
