import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import SystemPlatform
import TestPlatform

/// Several servers of one shop, each a process with a port of its own.
final class ShopNodes: Sendable {
  private let shop: Shop
  private let processes: Mutex<[UInt16: ProgramProcess]>
  let ports: [UInt16]

  /// - Parameter count: how many there are. None runs yet.
  init(_ shop: Shop, count: Int) throws {
    self.shop = shop
    ports = [shop.port] + (try (1..<count).map { _ in try freePort() })
    processes = Mutex([:])
    shop.route(over: ports)
  }

  func process(_ number: Int) -> ProgramProcess? { processes.withLock { $0[ports[number]] } }

  /// Starts a node and waits until it is ready. One that cannot start, because its database cannot be reached at this
  /// moment, is started again.
  ///
  /// - Parameter seconds: how far its clock is ahead.
  func start(_ number: Int, clockAhead seconds: Int = 0) async throws {
    let port = ports[number]
    for _ in 0..<60 {
      let variables = try await FakeClock.variables(ahead: seconds, in: shop.folder)
        .merging(["COUNTERFOIL_LOG": "quiet"]) { $1 }
      // A node that no fault meets may live for the whole run.
      let process = try ProgramProcess(
        ["serve", "--port", "\(port)"], in: shop.folder, environment: variables, within: .seconds(14_400))
      processes.withLock { $0[port] = process }
      let isReady = try await eventually {
        if process.status != nil { return true }
        let answer = try? await shop.exchange.send(
          HTTPRequest("GET", "http://127.0.0.1:\(port)/readyz"), .seconds(2))
        return answer?.status == 200
      }
      guard isReady else { throw ShopError("node \(number) did not become ready: \(process.errors)") }
      if process.status == nil {
        if seconds != 0 { try await requireClock(of: number, ahead: seconds) }
        return
      }
      try await Dependencies.system.sleep(.milliseconds(200))
    }
    throw ShopError("node \(number) never started: \(process(number)?.errors ?? "")")
  }

  /// A clock that is right after all would make the fault an empty one.
  private func requireClock(of number: Int, ahead seconds: Int) async throws {
    let isOff = try await eventually {
      if process(number)?.status != nil { return true }
      let answer = try? await shop.exchange.send(
        HTTPRequest("GET", "http://127.0.0.1:\(ports[number])/readyz?verbose=1"), .seconds(2))
      let behind = try answer.flatMap { try JSONReader.read($0.body)["clockBehindMilliseconds"]?.integer }
      return behind.map { abs($0 + Int64(seconds) * 1000) < 60_000 } ?? false
    }
    guard isOff else { throw ShopError("the clock of node \(number) is not off by \(seconds) s") }
  }

  func startAll() async throws {
    for number in ports.indices { try await start(number) }
  }

  /// Ends all as a service manager does; returns their exit codes.
  func stopAll() async throws -> [Int32?] {
    let running = processes.withLock { Array($0.values) }
    for process in running { process.signal(SIGTERM) }
    var codes: [Int32?] = []
    for process in running { codes.append(try await process.end()) }
    return codes
  }

  /// The bytes of main memory that each node has now, as Linux counts them; 0 elsewhere.
  var memory: [Int] { bytes(of: "VmRSS:") }
  /// The most bytes of main memory that each node has had since its start.
  var memoryPeaks: [Int] { bytes(of: "VmHWM:") }

  private func bytes(of name: String) -> [Int] {
    ports.indices.map { number in
      let status = process(number).flatMap {
        try? String(contentsOfFile: "/proc/\($0.identifier)/status", encoding: .utf8)
      }
      let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
      return (line?.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first ?? 0) << 10
    }
  }

  /// What each node reports of a metric, named with its labels; nil if it does not report it.
  func metric(_ name: String) async throws -> [Double?] {
    var values: [Double?] = []
    for port in ports {
      let answer = try await shop.exchange.send(HTTPRequest("GET", "http://127.0.0.1:\(port)/metrics"), .seconds(10))
      let line = String(decoding: answer.body, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name + " ") }
      values.append(line.flatMap { Double($0.dropFirst(name.count + 1)) })
    }
    return values
  }

  func close() { processes.withLock { $0 = [:] } }
}
