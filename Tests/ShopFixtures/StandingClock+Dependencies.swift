package import PaymentPrimitives
package import SimulationKit

extension StandingClock {
  /// This time, and one fixed random stream; a sleep moves the clock instead of waiting.
  package var dependencies: Dependencies {
    let chance = CountedChance()
    return Dependencies(
      now: { self.now }, randomBytes: { chance.bytes($0) }, sleep: { self.advance(by: $0) })
  }
}
