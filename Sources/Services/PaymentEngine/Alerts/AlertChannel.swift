package import Cryptography
package import PaymentPrimitives

/// A place to which alerts are sent.
package struct AlertChannel: Sendable {
  /// The forms of messages.
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    /// Any receiver of signed webhooks, as for deliveries.
    case webhook
    /// A custom bot of Feishu (飞书).
    case feishu
    /// A custom robot of DingTalk (钉钉).
    case dingtalk
    /// A group robot of WeCom (企业微信).
    case wecom
  }

  /// Its name in logs and metrics.
  package let name: String
  package let kind: Kind
  /// The address; those of the vendors contain a key.
  package let url: Secret
  /// Signs the messages; a vendor's robot may do without.
  package var secret: Secret?
  package var language = Language.english
  /// What is less urgent is not sent.
  package var severity = AlertRule.Severity.ticket
  /// The time between two messages while an alert goes on.
  package var remindEvery = TimeSpan.hours(4)
  /// How long a condition must hold, instead of the time of its rule.
  package var after: TimeSpan?
  /// The address of the page that says what to do; nil for the manual's own name.
  package var runbooks: String?
  /// Whether the address may point into a private network.
  package var mayBeInside = false

  package init(name: String, kind: Kind, url: Secret) {
    self.name = name
    self.kind = kind
    self.url = url
  }

  /// How long a condition must hold before this channel is told. What waits for a person waits its day.
  func lasting(_ rule: AlertRule) -> TimeSpan {
    rule == .paidWaitsForAPerson ? rule.lasting : after ?? rule.lasting
  }

  /// How long it must be quiet before it counts as over.
  var quiet: TimeSpan { min(after ?? Self.quietUsually, Self.quietUsually) }

  private static let quietUsually = TimeSpan.minutes(5)

  /// Where the page says what to do.
  func runbook(_ rule: AlertRule) -> String {
    let page = language == .chinese ? "docs/alerts.zh-CN.md" : "docs/alerts.md"
    return (runbooks ?? page) + "#" + rule.anchor
  }
}

/// Something about which an alert is sent: a rule, and what it concerns.
package struct AlertKey: Hashable, Sendable {
  package let rule: AlertRule
  /// An app with its environment, a store or nothing; never a user, an order or a payment.
  package let subject: String

  package init(_ rule: AlertRule, about subject: String = "") {
    self.rule = rule
    self.subject = subject
  }
}

/// A condition that holds.
package struct AlertObservation: Hashable, Sendable {
  package let key: AlertKey
  package let value: Double
  /// How long it has held already, where the measurement tells; nil where only watching tells.
  package let lasted: TimeSpan?

  package init(_ key: AlertKey, _ value: Double, lasted: TimeSpan? = nil) {
    self.key = key
    self.value = value
    self.lasted = lasted
  }
}
