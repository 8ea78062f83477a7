import HTTPMessages
import PaymentPrimitives
import Synchronization

/// What a server of a world needs to know where it is one of several nodes.
final class NodeNotes: Sendable {
  private struct State {
    var starts = 0
    /// Gets an answer when the next transaction begins of a work that this server does alone.
    var leasedWork: NetworkMessage<Bool>?
  }

  private let state = Mutex(State())

  /// How far the clock of its next process is ahead.
  func nextSkew(of server: WorldServer) -> TimeSpan {
    guard server.context.plan.nodes != nil, !server.context.isHealed else { return .zero }
    let start = state.withLock { state in
      state.starts += 1
      return state.starts
    }
    var chance = SeededChance(seed: server.context.seed, purpose: "clock of server \(server.number), start \(start)")
    return chance.pick(NodePlan.skews) ?? .zero
  }

  func noteLeasedWork() {
    let letter = state.withLock { state in
      defer { state.leasedWork = nil }
      return state.leasedWork
    }
    letter?.answer(true)
  }

  func wait(for letter: NetworkMessage<Bool>) { state.withLock { $0.leasedWork = letter } }
}

extension WorldServer {
  /// Waits until it does a work that it does alone, at most for this time span.
  func leasedWork(within span: TimeSpan) async {
    let letter = NetworkMessage<Bool>()
    nodeNotes.wait(for: letter)
    _ = await context.wait(for: letter, atMost: span)
  }

  /// Compares an answer about an order with the earlier ones of all nodes.
  func judge(_ response: HTTPResponse, to request: HTTPRequest, asked: Timestamp) {
    guard case .nodes(let cluster) = database else { return }
    // A session may answer from a replaced primary until it must prove again that its server leads.
    let slack = cluster.hasHadTwoPrimaries ? ModelledNode.confirmedFor : .zero
    let taken = context.orderAnswers.compare(
      response, to: request, asked: asked, at: context.world.now, slack: slack)
    guard let taken else { return }
    let seconds = taken.milliseconds / 1000
    context.events.reportViolation(
      "server \(number) answered unpaid, \(seconds) s after a server had answered paid: \(request.target)")
  }
}
