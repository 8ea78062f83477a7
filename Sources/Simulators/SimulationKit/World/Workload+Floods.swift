import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives

// Floods reach the servers directly: the faults of the network would only make them smaller.

extension Workload {
  func flood() async throws {
    for (number, flood) in context.plan.flood.floods.enumerated() {
      try await context.sleep(flood.after)
      var chance = SeededChance(seed: context.seed, purpose: "flood \(number)")
      let requests = try await material(for: flood).requests(&chance)
      guard !requests.isEmpty else { continue }
      let what = "\(requests.count) requests begin: \(flood.kind) from \(flood.peers) addresses"
      context.events.record("flood", what, mark: .flooded)
      let answers = await send(requests, of: flood, &chance)
      context.floodNotes.note(flood.kind, answers)
      let counts = Dictionary(answers.map { ($0.word, 1) }, uniquingKeysWith: +)
      let words = counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
      context.events.record(
        "flood", "is answered: \(words)", mark: answers.contains(where: \.isBudget) ? .floodRefused : nil)
    }
  }

  private func material(for flood: FloodPlan.Flood) async throws -> WorldFlood {
    // Bounded, so that preparing a flood stays cheap: a flood repeats a few items often.
    let most = 20
    let (transactions, notifications, authority) = try await appStore.insist { store in
      var (transactions, notifications): ([String], [String]) = ([], [])
      for transaction in await store.transactions()
      where transaction.owner.bundleId == WorldShop.bundleId && transactions.count < most {
        transactions.append(try await store.signedTransaction(transaction.id).signedTransaction)
      }
      for notification in await store.notifications()
      where notification.facts.bundleId == WorldShop.bundleId && notifications.count < most {
        notifications.append(try await store.signedPayload(of: notification.facts.uuid))
      }
      return (transactions, notifications, store.authority)
    }
    return WorldFlood(
      flood: flood, now: context.world.now, transactions: transactions, notifications: notifications,
      authority: authority, platform: weChatPay.platform?.identifier ?? "")
  }

  private func send(
    _ requests: [HTTPRequest], of flood: FloodPlan.Flood, _ chance: inout SeededChance
  ) async -> [FloodAnswer] {
    var asked: [(request: HTTPRequest, after: TimeSpan, peer: String, server: Int)] = []
    for request in requests {
      let peer = chance.number(below: flood.peers)
      // All phones and stores use 192.0.2.1.
      let address = peer == 0 && flood.sharesAddress ? "192.0.2.1" : "203.0.113.\(peer)"
      let after = TimeSpan.milliseconds(Int64(chance.number(below: Int(flood.span.milliseconds))))
      asked.append((request, after, address, chance.number(below: servers.count)))
    }
    return await withTaskGroup(of: (Int, FloodAnswer).self) { group in
      for (number, one) in asked.enumerated() {
        group.addTask {
          try? await context.sleep(one.after)
          return (number, FloodAnswer(await ask(one.request, from: one.peer, one.server)))
        }
      }
      var answers: [(Int, FloodAnswer)] = []
      for await answer in group { answers.append(answer) }
      return answers.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private func ask(_ request: HTTPRequest, from peer: String, _ first: Int) async -> HTTPResponse? {
    for offset in servers.indices {
      guard let attendance = servers[(first + offset) % servers.count].attendance(request, from: peer) else { continue }
      let letter = NetworkMessage<HTTPResponse>()
      attendance.process.spawn { letter.answer(await attendance.work()) }
      return await context.wait(for: letter, atMost: .seconds(30))
    }
    return nil
  }
}
