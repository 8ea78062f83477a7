import CounterfoilAPI
import Markup
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Where deliveries and events go: how each address stands, and what it has not taken.
struct EndpointPage {
  let visit: AppVisit
  let endpoints: [EndpointStanding]
  let now: Timestamp

  static let title = BilingualText("Endpoints", "接收地址")
  private var language: Language { visit.language }

  var markup: Markup {
    let none = Markup.element(
      .section, [.style("panel")], .element(.p, [.style("empty")], .text(Self.pulls[language])))
    return ConsolePages.heading(Self.title, visit) + .element(.p, .text(Self.explanation[language]))
      + .element(.div, [.style("stack")], all: endpoints.isEmpty ? [none] : endpoints.map(panel))
  }

  private func panel(_ standing: EndpointStanding) -> Markup {
    let endpoint = standing.endpoint
    let path = ["endpoints", endpoint.name]
    let form = standing.pause == nil ? visit.form(.pauseEndpoint, on: path) : visit.form(.resumeEndpoint, on: path)
    return .element(
      .section, [.style("panel")],
      .element(
        .header, .element(.h2, .text(endpoint.name)), state(standing), .element(.div, [.style("actions")], form)),
      .element(.div, [.style("body")], Display.pairs(facts(standing), language)),
      standing.failing.isEmpty
        ? Markup()
        : ListPanel.deliveries(
          standing.failing, title: BilingualText("Failing now, the oldest first", "正在失败的通知（最早在前）"), visit))
  }

  private func state(_ standing: EndpointStanding) -> Markup {
    if standing.pause != nil { return Display.tag(BilingualText("paused", "已暂停")[language], .bad) }
    return standing.failing.isEmpty
      ? Display.tag(BilingualText("sends", "发送中")[language], .ok)
      : Display.tag(BilingualText("fails", "有失败")[language], .bad)
  }

  private func facts(_ standing: EndpointStanding) -> [(name: BilingualText, value: Markup?)] {
    let endpoint = standing.endpoint
    let events = endpoint.types.map(\.rawValue).sorted().joined(separator: ", ")
    var facts: [(name: BilingualText, value: Markup?)] = [
      (BilingualText("Address", "地址"), .element(.span, [.style("id")], .text(endpoint.url))),
      (BilingualText("Secrets", "签名密钥"), .text("\(endpoint.secrets.count)")),
      (BilingualText("Events beside grants", "额外事件"), .text(events.isEmpty ? Words.none[language] : events)),
    ]
    for (environment, backlog) in standing.backlogs {
      let oldest = backlog.oldestPending.map { Display.age(now - $0, language) }
      let words = BilingualText(
        "\(backlog.pending) pending, \(backlog.parked) parked", "待确认 \(backlog.pending)，已停放 \(backlog.parked)")
      let age = oldest.map { BilingualText("; oldest \($0)", "；最久 \($0)")[language] } ?? ""
      facts.append((Words.name(of: environment), .text(words[language] + age)))
    }
    for (environment, after, open) in standing.events {
      let place = BilingualText("sent up to entry \(after), \(open) open", "已发送至第 \(after) 条，未确认 \(open)")
      let name = Words.name(of: environment)
      facts.append(
        (BilingualText("Events, \(name.english)", "事件（\(name.chinese)）"), .text(place[language])))
    }
    if let pause = standing.pause {
      facts.append(
        (
          BilingualText("Paused by", "暂停人"),
          .foreign(pause.by) + " " + Display.time(pause.at) + ": " + .foreign(pause.reason)
        ))
    }
    return facts
  }

  private static let explanation = BilingualText(
    "Addresses and secrets stand in the configuration. A pause keeps everything: what is made meanwhile is sent once"
      + " somebody resumes.",
    "地址与密钥在配置文件中设置。暂停期间的消息都会保留，恢复后再发送。")
  private static let pulls = BilingualText(
    "No endpoint is configured: the backend fetches its deliveries.", "未配置接收地址：由业务后端主动拉取。")
}
