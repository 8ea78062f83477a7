import Markup
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Whether the server can work: its database, its nodes, and what waits for the stores and the backend.
struct HealthPage {
  let visit: AppVisit
  let health: InstallationHealth
  let version: String
  let now: Timestamp

  static let title = BilingualText("Health", "运行状况")
  private var language: Language { visit.language }

  var markup: Markup {
    ConsolePages.heading(Self.title, visit)
      + .element(.div, [.style("stack")], readiness, facts, nodes)
  }

  private var readiness: Markup {
    guard let problem = health.problem else {
      return .element(
        .section, [.style("panel notice")],
        .element(
          .p, .text(BilingualText("The server takes calls, and the database answers.", "服务器可接受请求，数据库应答正常。")[language])))
    }
    return .element(
      .section, [.style("panel notice bad")],
      .element(
        .p, .element(.b, .text(problem.code.meaning[language])), " ", .text(problem.code.remedy[language]), " ",
        .foreign(problem.details)))
  }

  private var facts: Markup {
    func since(_ moment: Timestamp?) -> String? {
      moment.map { $0 > now ? "" : Display.age(now - $0, language) }
    }
    func due(_ moment: Timestamp?) -> Markup? { moment.map { Display.time($0) } }
    let gap = health.backupGap.map { Display.text($0.from) + " – " + Display.text($0.until) }
    let forwards = BilingualText(
      "\(health.forwards.pending) pending, \(health.forwards.parked) parked",
      "待转发 \(health.forwards.pending)，已停放 \(health.forwards.parked)")
    let deliveries = BilingualText(
      "\(health.deliveries.pending) pending, \(health.deliveries.parked) parked",
      "待确认 \(health.deliveries.pending)，已停放 \(health.deliveries.parked)")
    let oldest = since(health.deliveries.oldestPending).map { BilingualText("; oldest \($0)", "；最久 \($0)")[language] }
    return .element(
      .section, [.style("panel")],
      .element(.header, .element(.h2, .text(BilingualText("What waits", "等待中的事项")[language]))),
      .element(
        .div, [.style("body")],
        Display.pairs(
          [
            (BilingualText("Version", "版本"), .text(version)),
            (Words.deliveries, .text(deliveries[language] + (oldest ?? ""))),
            (BilingualText("Forwarded notifications", "转发的通知"), .text(forwards[language])),
            (BilingualText("Stopped changes", "被中止的变更"), .text("\(health.stopped)")),
            (BilingualText("Next question to WeChat Pay", "下次询问微信支付"), due(health.nextStoreQuestion)),
            (BilingualText("Next task at Apple", "下个 Apple 任务"), due(health.nextAppStoreTask)),
            (BilingualText("Gap of a restored backup", "备份恢复缺口"), gap.map { .text($0) }),
          ], language)))
  }

  private var nodes: Markup {
    let rows = health.nodes.map { node -> [Markup] in
      let state = Words.words(for: node.state)[language]
      return [
        .text("\(node.number)"), Display.tag(state, node.state == .active ? .ok : .warn),
        Display.time(node.startedAt), Display.time(node.seenAt),
      ]
    }
    guard !rows.isEmpty else { return Markup() }
    return ListPanel.table(
      [BilingualText("Node", "节点"), Words.state, BilingualText("Started", "启动时间"), BilingualText("Seen", "最近心跳")],
      rows, title: BilingualText("Nodes", "节点"), in: language)
  }
}
