import SimulationKit
import Testing

@Suite struct `A user who submits broken evidence` {
  @Test func `submits no text as the store signed it`() {
    var unchanged = 0
    for seed in 0..<2_000 {
      var chance = SeededChance(seed: UInt64(seed), purpose: "cheats")
      let broken = chance.breaking("header.payload.signature")
      if broken == "header.payload.signature" { unchanged += 1 }
      #expect(broken.split(separator: ".").count == 3 && broken.hasPrefix("header."))
    }
    #expect(unchanged == 0)
  }
}
