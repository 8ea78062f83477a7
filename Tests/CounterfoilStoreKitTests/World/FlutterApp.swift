import AppStoreSimulator
import Counterfoil
import CounterfoilFlutter
import CounterfoilStoreKit
import CounterfoilURLSession
import Flutter
import Foundation
import HTTPMessages
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import StrictJSON
import TestDoubles

/// The shop's app in Flutter on a phone: the recorded messages, the channels, the plug-in, and the shipped client under
/// it. `Phone` gives the device alone.
final class FlutterApp {
  static let calls = "counterfoil_flutter"
  static let events = "counterfoil_flutter/events"

  let phone: Phone
  private var user: UserIdentifier?
  private unowned let world: ClientFixture
  private(set) var run: AppRun?
  private(set) var process: SimulatedProcess?
  private(set) var ears = DartSide.Ears()
  private var dart: DartSide?
  /// The app's OpenSDK, if it sells physical goods.
  var weChat: SheetlessWeChat?
  /// The server in place of the world's own.
  var exchange: HTTPExchange?

  init(_ phone: Phone, in world: ClientFixture) {
    self.phone = phone
    self.world = world
  }

  /// Waits for the reply to a recorded call, in real time.
  func realAnswer(_ name: String) async throws -> JSONValue? {
    let sent = send(name)
    while !sent.isDone { try await Dependencies.ofThisDevice.sleep(.milliseconds(5)) }
    return sent.reply.map { Golden.plain($0) }
  }

  /// The number of jobs that the app has run in this process.
  var steps: Int { process?.steps ?? 0 }

  /// Starts the process with an engine, and nothing else.
  ///
  /// - Parameter inRealTime: for WeChat, whose adapter runs on the real main thread: no simulated process has that one.
  func launch(inRealTime: Bool = false) {
    kill()
    let process = world.nextProcess()
    let run =
      inRealTime
      ? phone.device.launch { work in Task { await work() } } : phone.device.launch { process.spawn($0) }
    let dependencies = inRealTime ? .ofThisDevice : process.dependencies()
    let (simulation, interface, log) = (world.simulation, phone.interface, phone.eventLog.log)
    let exchange = exchange ?? phone.device.serverLink.carrying(world.server.exchange)
    let ears = DartSide.Ears()
    let dart = DartSide(ears) { TestShop.token(for: UserIdentifier($0), at: simulation.now) }
    (self.run, self.process, self.ears, self.dart) = (run, process, ears, dart)
    let (start, weChat) = (AdapterStart { run.start($0) }, weChat)
    let make: PluginProcess.ClientMaker = { settings, app, token throws(PurchasingError) in
      var configuration = PurchasingConfiguration(
        server: settings.server, app: AppIdentifier(settings.app), userToken: token)
      (configuration.platform, configuration.language, configuration.log) = ("ios", settings.language, log)
      let queue: any StoreQueue =
        interface == .storeKit1
        ? StoreKit1Queue(dependencies: dependencies, start: start)
        : StoreKit2Queue(dependencies: dependencies, start: start)
      return try Purchasing(
        configuration, queue: queue, vault: KeychainVault(), exchange: exchange, dependencies: dependencies,
        weChat: app)
    }
    run.start {
      let plugin = await PluginProcess(start: start, make: make)
      if let weChat { await plugin.useWeChat(weChat) }
      await dart.attach(plugin)
    }
  }

  /// Starts the process, the client and the events, and signs a user in, as an app's Dart code does at its launch.
  ///
  /// - Parameter waits: whether the world runs until that is done.
  func start(_ configure: String = "configure", as user: UserIdentifier? = "alice", waits: Bool = true) {
    launch()
    self.user = user
    let sent = sequence(beginning(configure) + [(Golden.call("listen"), Self.events)])
    if waits { world.goOn(until: { sent.isDone }) }
  }

  /// The app begins to use the client and to listen, in a process that runs; a second time changes nothing.
  func begin() {
    user = "alice"
    sequence(beginning("configure") + [(Golden.call("listen"), Self.events)])
  }

  private func beginning(_ configure: String) -> [([UInt8], String)] {
    let user = user.map { JSONValue.string($0.text) } ?? .null
    let signIn = Golden.bytes(ofCall: "setUser", .object([JSONMember("user", user)]))
    return [(Golden.call(configure), Self.calls), (signIn, Self.calls)]
  }

  /// Sends messages, each after the reply to the one before; gives the last one's reply.
  @discardableResult
  private func sequence(_ messages: [([UInt8], String)]) -> DartSide.Sent {
    let sent = DartSide.Sent()
    guard let run, let dart else { return sent }
    run.start {
      var last: Data?
      for (message, channel) in messages { last = await dart.ask(Data(message), on: channel) }
      sent.end(last)
    }
    return sent
  }

  /// The process ends between two of its jobs, without notice.
  func kill() {
    process?.kill()
    run?.end()
    (run, process, dart) = (nil, nil, nil)
  }

  /// Ends the client's work, where no simulated process ends with it.
  func stop() async throws {
    let sent = DartSide.Sent()
    guard let run, let dart else { return }
    run.start {
      await dart.stop()
      sent.end(nil)
    }
    while !sent.isDone { try await Dependencies.ofThisDevice.sleep(.milliseconds(5)) }
    kill()
  }

  @discardableResult
  func send(_ message: [UInt8], on channel: String = FlutterApp.calls) -> DartSide.Sent {
    sequence([(message, channel)])
  }

  /// Sends a recorded call; its reply is there after the world has run.
  @discardableResult
  func send(_ name: String) -> DartSide.Sent { send(Golden.call(name)) }

  /// A tap by a user who signed in before; its reply is there after the world has run.
  func tap(_ name: String = "purchase") -> DartSide.Sent {
    sequence(beginning("configure") + [(Golden.call(name), Self.calls)])
  }

  /// Sends a recorded call, and waits for its reply.
  func answer(_ name: String) -> JSONValue? {
    let sent = send(name)
    world.goOn(until: { sent.isDone })
    return sent.reply.map { Golden.plain($0) }
  }

  func comeToForeground() {
    phone.device.comeToForeground()
    guard let run, let dart else { return }
    run.start { await dart.comeToForeground() }
  }

  /// A hot restart: another engine in the same process.
  func restart() {
    guard let run, let dart else { return }
    run.start { await dart.restart() }
  }

  /// The events so far, in plain values.
  var events: [JSONValue] { ears.events.map { $0.map { Golden.plain($0) } ?? .null } }
}

/// The recorded messages of `Clients/flutter/test/golden.json`.
enum Golden {
  struct Message {
    let name: String
    let kind: String
    let value: JSONValue
    let bytes: [UInt8]
  }

  static let all: [Message] = read()

  private static func read() -> [Message] {
    let place = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Clients/flutter/test/golden.json")
    guard let data = try? Data(contentsOf: place), let json = try? JSONReader.read(Array(data)),
      let messages = json["messages"]?.array
    else { return [] }
    return messages.map { message in
      let digits = Array((message["bytes"]?.string ?? "").utf8)
      let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
        UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16)
      }
      return Message(
        name: message["name"]?.string ?? "", kind: message["kind"]?.string ?? "",
        value: message["value"] ?? .null, bytes: bytes)
    }
  }

  /// The bytes of a recorded call.
  static func call(_ name: String) -> [UInt8] { all.first { $0.name == name && $0.kind == "call" }?.bytes ?? [] }

  /// A call of a recorded method with other arguments.
  static func bytes(ofCall method: String, _ arguments: JSONValue) -> [UInt8] {
    Array(
      FlutterStandardMethodCodec.sharedInstance().encode(
        FlutterMethodCall(methodName: method, arguments: foreign(arguments))))
  }

  /// A recorded reply or event, as `plain` gives it.
  static func reply(_ name: String) -> JSONValue? {
    all.first { $0.name == name && $0.kind != "call" }.map { plain(Data($0.bytes)) }
  }

  /// An envelope in plain values. Members stand in the order of their names: a dictionary of Swift has none. Ids of
  /// orders and transactions differ from run to run, and are given as the recorded ones.
  static func plain(_ envelope: Data) -> JSONValue {
    let value = FlutterStandardMethodCodec.sharedInstance().decodeEnvelope(envelope)
    guard let error = value as? FlutterError else { return plain(value) }
    return .object([
      JSONMember("code", .string(error.code)), JSONMember("details", plain(error.details)),
      JSONMember("message", plain(error.message)),
    ])
  }

  static func plain(_ value: Any?) -> JSONValue {
    switch value {
    case let flag as Bool: .bool(flag)
    case let number as Int: .integer(number)
    case let text as String:
      .string(OrderIdentifier(text) != nil && text.utf8.count == 36 ? order : text)
    case let list as [Any]: .array(list.map { plain($0) })
    case let map as [String: Any]:
      .object(
        map.sorted { $0.key < $1.key }.map { name, value in
          JSONMember(name, name == "transactionId" ? .string(transaction) : plain(value))
        })
    default: .null
    }
  }

  private static func foreign(_ value: JSONValue) -> Any? {
    if let text = value.string { return text }
    if let number = value.integer { return Int(number) }
    guard let members = value.object else { return nil }
    return Dictionary(uniqueKeysWithValues: members.map { ($0.name, foreign($0.value) ?? NSNull()) })
  }

  private static let order = "01a215b9-070a-7935-97a2-000000000001"
  private static let transaction = "2000000000000001"
}

extension Golden {
  static func object(_ members: [(String, JSONValue)]) -> JSONValue { .object(members.map { JSONMember($0, $1) }) }

  /// The value with the members of each object in the order of their names.
  static func sorted(_ value: JSONValue) -> JSONValue {
    if let list = value.array { return .array(list.map { sorted($0) }) }
    guard let members = value.object else { return value }
    return .object(members.sorted { $0.name < $1.name }.map { JSONMember($0.name, sorted($0.value)) })
  }

  /// The method and the arguments of a call, in plain values.
  static func question(_ bytes: [UInt8]) -> [JSONValue] {
    let call = FlutterStandardMethodCodec.sharedInstance().decodeMethodCall(Data(bytes))
    return [.string(call.method), plain(call.arguments)]
  }

  /// The names of the members of the first item of a list in a recorded reply.
  static func names(inFirstOf reply: String, _ list: String) -> Set<String> {
    Set(Golden.reply(reply)?[list]?.array?.first?.object?.map(\.name) ?? [])
  }
}
