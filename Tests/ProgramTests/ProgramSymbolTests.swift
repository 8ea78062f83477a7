import Foundation
import Testing

/// The server's program cannot sign what a store signs, and reaches nothing else of the simulators.
@Suite struct `The server's program` {
  /// Module names as the compiler writes them in symbols.
  private static let modules = [
    "18SigningAuthorities", "17AppStoreSimulator", "18WeChatPaySimulator", "13SimulationKit", "14CounterfoilLab",
  ]

  /// As the compiler writes the names of types into symbols, in any module. A name that shares a word with its
  /// module, like `SigningChain`, is written in another way.
  private static let authorities = [
    "20AppleShapedAuthority", "22ReceiptShapedAuthority", "22X509CertificateBuilder", "19CMSSignedDataWriter",
    "14PlatformSigner",
  ]

  /// The hook on the Swift runtime, which is a module in C.
  private static let hook = ["counterfoil_watch_global_jobs"]

  private static func found(_ names: [String], in program: String) throws -> [String] {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: ProgramProcess.executable(program)), options: .alwaysMapped)
    return names.filter { bytes.range(of: Data($0.utf8)) != nil }
  }

  @Test func `holds no symbol of a simulator, of a simulated device or of the lab`() throws {
    #expect(try Self.found(Self.modules + ["15SimulatedDevice"], in: "counterfoil") == [])
  }

  @Test func `holds nothing that signs as Apple or WeChat Pay`() throws {
    #expect(try Self.found(Self.authorities, in: "counterfoil") == [])
  }

  @Test func `holds no hook on the runtime`() throws {
    #expect(try Self.found(Self.hook, in: "counterfoil") == [])
  }

  @Test func `is searched by names that are found in the lab's program`() throws {
    let names = Self.modules + Self.authorities + Self.hook
    #expect(try Self.found(names, in: "counterfoil-lab") == names)
  }
}
