import PaymentPrimitives

/// Cuts the network between two places for a while.
struct NetworkCuts: Sendable {
  let context: SimulationContext
  let phones: [WorldPhone]

  func run() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "partitions")
    var pairs: [(WorldPlace, WorldPlace)] = [(.server, .backend), (.appStore, .server)]
    for phone in phones {
      pairs.append((.phone(phone.number), .server))
      pairs.append((.phone(phone.number), .appStore))
    }
    for _ in 0..<context.plan.partitions {
      try await context.sleep(.seconds(Int64(chance.number(below: 200))))
      guard let (a, b) = chance.pick(pairs) else { return }
      context.network.cut(a, b)
      try await context.sleep(.seconds(Int64(5 + chance.number(below: 240))))
      context.network.reconnect(a, b)
    }
  }
}
