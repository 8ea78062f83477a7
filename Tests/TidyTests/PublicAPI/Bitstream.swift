/// Reads LLVM's bitstream, the container of built Swift modules, as far as to tell the blocks and records of the outer
/// levels. Its form: <https://llvm.org/docs/BitCodeFormat.html>.
struct Bitstream {
  struct Record: Equatable {
    let block: UInt64
    let code: UInt64
    let blob: [UInt8]
  }

  struct Malformed: Error {}

  private enum Operand {
    case literal(UInt64)
    case fixed(Int)
    case variable(Int)
    case array, character, blob
  }

  private let bytes: [UInt8]
  /// In bits.
  private var place = 0
  /// Abbreviations that a block of information gives to later blocks, by the number of these.
  private var given: [UInt64: [[Operand]]] = [:]
  private var records: [Record] = []

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The records of the blocks down to a depth, behind a magic number of four bytes.
  static func records(in bytes: [UInt8], depth: Int) throws(Malformed) -> [Record] {
    var stream = Bitstream(bytes)
    _ = try stream.fixed(32)
    try stream.block(.max, width: 2, end: bytes.count * 8, depth: depth)
    return stream.records
  }

  // MARK: blocks

  private mutating func block(_ number: UInt64, width: Int, end: Int, depth: Int) throws(Malformed) {
    var abbreviations = given[number, default: []]
    /// For which block the block of information (0) speaks now.
    var subject: UInt64 = 0
    while place + width <= end {
      let kind = try fixed(width)
      switch kind {
      case 0:
        align()
        return
      case 1: try inner(depth)
      case 2:
        let abbreviation = try abbreviation()
        if number == 0 { given[subject, default: []].append(abbreviation) } else { abbreviations.append(abbreviation) }
      case 3:
        let code = try variable(6)
        var values: [UInt64] = []
        for _ in 0..<(try variable(6)) { values.append(try variable(6)) }
        if number == 0, code == 1, let first = values.first { subject = first }
        records.append(Record(block: number, code: code, blob: []))
      default:
        guard kind - 4 < abbreviations.count else { throw Malformed() }
        try abbreviated(abbreviations[Int(kind) - 4], number)
      }
    }
  }

  private mutating func inner(_ depth: Int) throws(Malformed) {
    let number = try variable(8)
    let width = Int(try variable(4))
    align()
    let end = try fixed(32)
    let last = place + Int(end) * 32
    guard last <= bytes.count * 8, width > 1, width <= 32 else { throw Malformed() }
    // The block of information counts wherever it stands.
    if depth > 0 || number == 0 { try block(number, width: width, end: last, depth: depth - 1) }
    place = last
  }

  // MARK: records

  private mutating func abbreviation() throws(Malformed) -> [Operand] {
    var operands: [Operand] = []
    for _ in 0..<(try variable(5)) {
      guard try fixed(1) == 0 else {
        operands.append(.literal(try variable(8)))
        continue
      }
      switch try fixed(3) {
      case 1: operands.append(.fixed(Int(try variable(5))))
      case 2: operands.append(.variable(Int(try variable(5))))
      case 3: operands.append(.array)
      case 4: operands.append(.character)
      case 5: operands.append(.blob)
      default: throw Malformed()
      }
    }
    return operands
  }

  private mutating func abbreviated(_ operands: [Operand], _ number: UInt64) throws(Malformed) {
    var values: [UInt64] = []
    var blob: [UInt8] = []
    var index = 0
    while index < operands.count {
      switch operands[index] {
      case .array:
        guard index + 1 < operands.count else { throw Malformed() }
        for _ in 0..<(try variable(6)) { values.append(try scalar(operands[index + 1])) }
        index += 1
      case .blob:
        let count = Int(try variable(6))
        align()
        guard count <= bytes.count - place / 8 else { throw Malformed() }
        blob = Array(bytes[(place / 8)..<(place / 8 + count)])
        place += count * 8
        align()
      default: values.append(try scalar(operands[index]))
      }
      index += 1
    }
    guard let code = values.first else { throw Malformed() }
    records.append(Record(block: number, code: code, blob: blob))
  }

  private mutating func scalar(_ operand: Operand) throws(Malformed) -> UInt64 {
    switch operand {
    case .literal(let value): value
    case .fixed(let width): try fixed(width)
    case .variable(let width): width == 0 ? 0 : try variable(width)
    case .character: try fixed(6)
    case .array, .blob: throw Malformed()
    }
  }

  // MARK: bits

  private mutating func fixed(_ width: Int) throws(Malformed) -> UInt64 {
    guard width <= 64, place + width <= bytes.count * 8 else { throw Malformed() }
    var value: UInt64 = 0
    for offset in 0..<width {
      let bit = place + offset
      value |= UInt64(bytes[bit / 8] >> (bit % 8) & 1) << offset
    }
    place += width
    return value
  }

  private mutating func variable(_ width: Int) throws(Malformed) -> UInt64 {
    guard width > 1 else { throw Malformed() }
    var value: UInt64 = 0
    var shift = 0
    while shift < 64 {
      let part = try fixed(width)
      value |= (part & (1 << (width - 1) - 1)) << shift
      guard part >> (width - 1) == 1 else { return value }
      shift += width - 1
    }
    throw Malformed()
  }

  private mutating func align() { place = (place + 31) / 32 * 32 }
}
