import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

// Signed payloads, bodies, metadata and the details of a timeline may name a person. A page shows them once its
// operator asks for them, and each time leaves an entry in the audit log (record 316).
extension AppVisit {
  private static let show = (name: "show", value: "personal")

  /// What this page shows of texts that may name a person.
  var personal: PersonalView { PersonalView(role, asks: visit.query(Self.show.name) == Self.show.value) }

  /// Whether this page shows what may name a person.
  var showsPersonal: Bool { personal.isOpen }

  /// What a link to the next part of this page carries on.
  var personalQuery: [(name: String, value: String)] { showsPersonal ? [Self.show] : [] }

  /// What stands in place of something that may name a person: the way to see it, or that the role may not.
  var hidden: Markup {
    guard may(.readPersonalData), let target = visit.target else { return .text(Words.hidden[language]) }
    let kept = target.query.filter { $0.name != Self.show.name && $0.name != Notice.name }
    let query = kept.map { (name: $0.name, value: $0.value) }
    return .element(
      .a, [.link(LinkTarget(target.path, query: query + [Self.show]))], .text(Self.words[language]))
  }

  private static let words = BilingualText("Show it; this leaves an entry in the audit log", "显示（会写入操作记录）")
}

extension Console {
  /// Enters that an operator sees what may name a person, before the page is made.
  func noteSeen(
    _ objectKind: String, _ object: String, in environment: StoreEnvironment, for visit: AppVisit
  ) async throws {
    var what = description("personalData.seen", visit.call)
    (what.app, what.environment, what.role) = (visit.app.id, environment, visit.role)
    (what.objectKind, what.object) = (objectKind, object)
    _ = try await engine.perform(what) {}
  }
}
