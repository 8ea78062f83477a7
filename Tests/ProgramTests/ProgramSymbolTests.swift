import Foundation
import Testing

/// The server's program contains no simulator, no simulated device and no part of the lab.
@Suite struct `The server's program` {
  /// Module names as the compiler writes them in symbols.
  private static let modules = [
    "17AppStoreSimulator", "18WeChatPaySimulator", "15SimulatedDevice", "13SimulationKit", "14CounterfoilLab",
  ]

  private static func modules(in program: String) throws -> [String] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: ProgramProcess.executable(program)), options: .alwaysMapped)
    return modules.filter { bytes.range(of: Data($0.utf8)) != nil }
  }

  @Test func `holds no symbol of a simulator, of a simulated device or of the lab`() throws {
    #expect(try Self.modules(in: "counterfoil") == [])
  }

  @Test func `is searched by names that are found in the lab's program`() throws {
    let found = try Self.modules(in: "counterfoil-lab")
    #expect(found == Self.modules.filter { $0 != "15SimulatedDevice" })
  }
}
