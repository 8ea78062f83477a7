import Passkeys
import Testing

@Suite struct `A reader of CBOR` {
  private func value(_ bytes: [UInt8]) throws -> CBORValue { try CBORReader.read(bytes[...]).value }

  @Test func `refuses what is too deep, too many, too large, or ends early`() {
    func problem(_ bytes: [UInt8]) -> CBORReader.Problem? {
      do throws(CBORReader.Problem) {
        _ = try CBORReader.read(bytes[...])
        return nil
      } catch { return error }
    }
    #expect(problem([UInt8](repeating: 0x81, count: 6) + [0]) == .tooDeep)
    #expect(problem([0x99, 0x01, 0x00] + [UInt8](repeating: 0, count: 256)) == .tooMany)
    #expect(problem([UInt8](repeating: 0, count: CBORReader.bytesMax + 1)) == .tooLarge)
    for early: [UInt8] in [
      [], [0x18], [0x42, 1], [0x9A, 0xFF, 0xFF, 0xFF, 0xFF, 0], [0xBB] + [0x7F] + [UInt8](repeating: 0xFF, count: 7),
    ] {
      #expect(problem(early) == .endsEarly, "\(early)")
    }
    // Longer than needed; a number of 2⁶³; no definite length; a tag; a floating-point number; a reserved head.
    #expect(problem([0x18, 23]) == .notShortest && problem([0x19, 0, 255]) == .notShortest)
    for other: [UInt8] in [
      [0x1B, 0x80, 0, 0, 0, 0, 0, 0, 0], [0x5F, 0xFF], [0xC0, 0], [0xF9, 0, 0], [0x1C], [0xF7],
    ] {
      #expect(problem(other) == .unsupported, "\(other)")
    }
    #expect(problem([0xA2, 1, 2, 1, 3]) == .keyTwice && problem([0x61, 0xFF]) == .notText)
  }

  @Test func `reads each kind that authenticators send, and says what follows`() throws {
    #expect(try value([0x17]) == .integer(23) && value([0x18, 24]) == .integer(24))
    #expect(try value([0x26]) == .integer(-7) && value([0x39, 1, 0]) == .integer(-257))
    #expect(try value([0x42, 1, 2]) == .bytes([1, 2]) && value([0x61, 0x61]) == .text("a"))
    #expect(try value([0x82, 0xF4, 0xF5]) == .array([.bool(false), .bool(true)]) && value([0xF6]) == .null)
    let map = try value([0xA2, 1, 0x26, 0x20, 0x41, 9])
    #expect(map[.integer(1)] == .integer(-7) && map[.integer(-1)]?.bytes == [9] && map[.integer(2)] == nil)
    #expect(try Array(CBORReader.read([0xA0, 5, 6][...]).rest) == [5, 6])
  }
}
