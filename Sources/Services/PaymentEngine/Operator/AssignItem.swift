import Cryptography
import PaymentDatabase
package import PaymentModel
package import PaymentPrimitives
import StrictJSON

/// Who works on an item that needs attention. All assignments of an app are one setting, `attention.assigned.<app>`
/// (record 315). A server of an earlier version does not read it.
package struct ItemAssignment: Hashable, Sendable {
  /// The name of the item.
  package let item: String
  package let to: OperatorName
  /// Who assigned it: an account or a key.
  package let by: String
  package let at: Timestamp

  static func setting(_ app: AppIdentifier) -> String { "attention.assigned.\(app.text)" }

  /// - Throws: the reader's error for a text that no server has written.
  static func all(in text: String?) throws -> [ItemAssignment] {
    guard let text, !text.isEmpty else { return [] }
    return (try JSONReader.read(text.utf8).array ?? []).compactMap { row in
      guard let item = row["item"]?.string, let name = row["to"]?.string, let by = row["by"]?.string,
        let moment = row["at"]?.integer
      else { return nil }
      return ItemAssignment(
        item: item, to: OperatorName(name), by: by, at: Timestamp(milliseconds: moment))
    }
  }

  static func text(of assignments: [ItemAssignment]) -> String {
    JSONValue.array(
      assignments.map { assignment in
        .members([
          ("item", .string(assignment.item)), ("to", .string(assignment.to.text)), ("by", .string(assignment.by)),
          ("at", .integer(assignment.at.milliseconds)),
        ])
      }
    ).text
  }
}

/// An item that needs attention, with its name and who works on it.
package struct QueueEntry: Hashable, Sendable {
  package let item: AttentionItem
  /// Names it as long as it waits, in addresses and in the audit log.
  package let name: String
  package let assignment: ItemAssignment?
}

/// Whose items an operator lists.
package enum QueueSelection: Hashable, Sendable {
  case all
  /// Those that nobody works on.
  case unassigned
  case of(OperatorName)

  func includes(_ entry: QueueEntry) -> Bool {
    switch self {
    case .all: true
    case .unassigned: entry.assignment == nil
    case .of(let name): entry.assignment?.to == name
    }
  }
}

extension AttentionItem {
  /// What names the item as long as it waits: never what may change meanwhile, such as the reason. A balance is named
  /// by a code, so the name of its user is in no assignment, address or log.
  func name(_ secret: Secret) -> String {
    var parts = [kind.rawValue, appEnvironment.environment.rawValue]
    switch kind {
    case .payment, .disputedRefund, .contradictedCharge: parts += place
    case .stoppedChange, .configuration: parts += place + [row, subject].compactMap(\.self)
    case .frozenOrder: parts.append(order?.description ?? "")
    case .frozenBalance:
      var unit = ""
      if case .units(_, let name) = amount { unit = name.text }
      let code = HMACSHA256.code(for: StableBytes.of(["frozen balance", user?.text ?? "", unit]), key: secret)
      parts.append(Array(code.prefix(8)).hexadecimal)
    case .reconciliationDifference, .uncomparedDay: parts += [store?.rawValue ?? "", subject ?? ""]
    case .stuckRefund, .parkedDelivery, .parkedForward, .backupGap, .complaint: parts.append(subject ?? "")
    }
    return parts.joined(separator: ":")
  }

  private var place: [String] { payment.map { [$0.store.rawValue, $0.transaction.text] } ?? [] }
}

extension PaymentEngine {
  /// What needs attention, with who works on it, the longest waiting first.
  package func queue(
    of app: AppPolicy, in appEnvironments: [AppEnvironment], kinds: Set<AttentionItem.Kind>?,
    _ selection: QueueSelection = .all, limit: Int
  ) async throws -> [QueueEntry] {
    let items = try await needsAttention(
      of: app, in: appEnvironments, kinds: kinds, limit: selection == .all ? limit : Self.listedMax)
    let assignments = try await assignments(of: app.id)
    let entries = items.map { item in
      let name = item.name(secret)
      return QueueEntry(item: item, name: name, assignment: assignments[name])
    }
    return Array(entries.filter(selection.includes).prefix(max(0, limit)))
  }

  /// Who works on what, by the name of the item.
  package func assignments(of app: AppIdentifier) async throws -> [String: ItemAssignment] {
    let all = try await read { try ItemAssignment.all(in: $0.setting(ItemAssignment.setting(app))) }
    return Dictionary(all.map { ($0.item, $0) }) { $1 }
  }

  /// The name that a complaint has as an item, whether it waits or not.
  package func itemName(of complaint: Complaint) -> String { AttentionItem(complaint).name(secret) }

  /// Says who works on an item; nobody without an account.
  ///
  /// - Parameter seen: who worked on it when this was decided. If it is somebody else by now, nothing changes: so two
  ///   operators never both believe that an item is theirs.
  /// - Returns: who works on it now.
  /// - Throws: `actNotPossible` for what does not wait, for somebody without a role in the app, and if `seen` is wrong.
  @discardableResult
  package func assign(
    _ item: String, of app: AppPolicy, to account: OperatorName?, seen: OperatorName?, by operatorName: String
  ) async throws -> ItemAssignment? {
    let appEnvironments = app.userEnvironments + [AppEnvironment(app: app.id, environment: .undetermined)]
    let waiting = Set(
      try await needsAttention(of: app, in: appEnvironments, kinds: nil, limit: Self.listedMax).map { $0.name(secret) })
    guard waiting.contains(item) else {
      throw CodedError<EngineErrorCode>(.actNotPossible, "Nothing of that name waits.")
    }
    return try await transact { transaction in
      let setting = ItemAssignment.setting(app.id)
      var all = try ItemAssignment.all(in: transaction.setting(setting))
      let now = all.first { $0.item == item }
      guard now?.to != account else { return now }
      guard now?.to == seen else {
        throw CodedError<EngineErrorCode>(
          .actNotPossible, now.map { "\($0.to) works on it since \($0.at.iso8601)." } ?? "Nobody works on it any more.")
      }
      if let account, try transaction.operatorAccount(account)?.role(in: app.id) == nil {
        throw CodedError<EngineErrorCode>(.actNotPossible, "No account of that name has a role in this app.")
      }
      // What no longer waits needs nobody. A queue that was not read to its end does not say so.
      all.removeAll { $0.item == item || (waiting.count < Self.listedMax && !waiting.contains($0.item)) }
      let next = account.map { ItemAssignment(item: item, to: $0, by: operatorName, at: transaction.now) }
      if let next { all.append(next) }
      try transaction.set(setting, to: ItemAssignment.text(of: all))
      return next
    }
  }
}
