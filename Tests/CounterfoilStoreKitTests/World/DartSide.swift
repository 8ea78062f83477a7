import Counterfoil
import CounterfoilFlutter
import Flutter
import Foundation
import Synchronization
import UIKit

/// The Dart half of an app, as the plug-in sees it: it sends bytes, keeps what it gets, and answers for tokens. It is
/// in a file of its own: in a file that imports `Testing`, UIKit needs an overlay that only Apple's toolchain has.
@MainActor final class DartSide: NSObject {
  /// What Dart got, and what it answers.
  final class Ears: Sendable {
    private let state = Mutex(State())

    private struct State {
      var events: [Data?] = []
      var asked: [Data] = []
      var isMute = false
      var hasNoToken = false
    }

    /// The events so far; nil is the end of the stream.
    var events: [Data?] { state.withLock { $0.events } }
    /// The questions for a token so far.
    var asked: [Data] { state.withLock { $0.asked } }
    /// Dart never answers: its isolate hangs.
    var isMute: Bool {
      get { state.withLock { $0.isMute } }
      set { state.withLock { $0.isMute = newValue } }
    }
    /// The backend gives no token.
    var hasNoToken: Bool {
      get { state.withLock { $0.hasNoToken } }
      set { state.withLock { $0.hasNoToken = newValue } }
    }

    func hear(_ event: Data?) { state.withLock { $0.events.append(event) } }
    func hear(question: Data) { state.withLock { $0.asked.append(question) } }
    func forgetEvents() { state.withLock { $0.events = [] } }
  }

  /// A message that was sent, and its reply.
  final class Sent: Sendable {
    private let state = Mutex<(isDone: Bool, reply: Data?)>((false, nil))

    var isDone: Bool { state.withLock { $0.isDone } }
    /// Nil stands for "not implemented".
    var reply: Data? { state.withLock { $0.reply } }
    func end(_ reply: Data?) { state.withLock { $0 = (true, reply) } }
  }

  private let ears: Ears
  private let token: @Sendable (String) -> String
  private var handlers: [String: FlutterBinaryMessageHandler] = [:]
  private var delegates: [any FlutterPlugin] = []
  private var process: PluginProcess?
  /// Those who sent before there was an engine.
  private var waiting: [AsyncStream<Void>.Continuation] = []

  nonisolated init(_ ears: Ears, token: @escaping @Sendable (String) -> String) {
    self.ears = ears
    self.token = token
  }

  /// The first engine of the process.
  func attach(_ process: PluginProcess) {
    self.process = process
    _ = CounterfoilPlugin.attach(process, to: self)
    for continuation in waiting { continuation.finish() }
    waiting = []
  }

  /// Another engine takes the place of this one.
  func restart() {
    for delegate in delegates { delegate.detachFromEngine(for: self) }
    delegates = []
    if let process { _ = CounterfoilPlugin.attach(process, to: self) }
  }

  /// Sends a message, and waits for its reply.
  func ask(_ message: Data, on channel: String) async -> Data? {
    if process == nil {
      let (engines, continuation) = AsyncStream.makeStream(of: Void.self)
      waiting.append(continuation)
      for await _ in engines {}
    }
    guard let handler = handlers[channel] else { return nil }
    let (replies, continuation) = AsyncStream.makeStream(of: Data?.self)
    handler(message) { reply in
      continuation.yield(reply)
      continuation.finish()
    }
    for await reply in replies { return reply }
    return nil
  }

  func stop() async { await process?.stop() }

  func comeToForeground() {
    for delegate in delegates { delegate.applicationWillEnterForeground(UIApplication.shared) }
  }
}

extension DartSide: @MainActor FlutterPluginRegistrar {
  func messenger() -> any FlutterBinaryMessenger { self }

  func addMethodCallDelegate(_ delegate: any FlutterPlugin, channel: FlutterMethodChannel) {
    channel.setMethodCallHandler { call, result in delegate.handle(call, result: result) }
  }

  func addApplicationDelegate(_ delegate: any FlutterPlugin) { delegates.append(delegate) }
}

extension DartSide: @MainActor FlutterBinaryMessenger {
  func send(onChannel channel: String, message: Data?) { ears.hear(message) }

  func send(onChannel channel: String, message: Data?, binaryReply callback: FlutterBinaryReply?) {
    guard let message else { return }
    ears.hear(question: message)
    if ears.isMute { return }
    let codec = FlutterStandardMethodCodec.sharedInstance()
    let asked = codec.decodeMethodCall(message).arguments as? [String: Any]
    let answer = ears.hasNoToken ? nil : (asked?["user"] as? String).map { token($0) }
    callback?(codec.encodeSuccessEnvelope(answer))
  }

  func setMessageHandlerOnChannel(
    _ channel: String, binaryMessageHandler handler: FlutterBinaryMessageHandler?
  ) -> Int64 {
    handlers[channel] = handler
    return 0
  }
}
