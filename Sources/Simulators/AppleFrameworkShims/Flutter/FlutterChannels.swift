public import Foundation

// Stand-ins for the parts of Flutter's framework for iOS that the plug-in uses. As in Objective-C, nothing here is
// isolated; Flutter calls all of it on the main thread.

/// Stand-in for Flutter's type of the same name.
public typealias FlutterBinaryReply = (Data?) -> Void
/// Stand-in for Flutter's type of the same name.
public typealias FlutterBinaryMessageHandler = (Data?, @escaping FlutterBinaryReply) -> Void
/// Stand-in for Flutter's type of the same name.
public typealias FlutterResult = (Any?) -> Void
/// Stand-in for Flutter's type of the same name.
public typealias FlutterMethodCallHandler = (FlutterMethodCall, @escaping FlutterResult) -> Void
/// Stand-in for Flutter's type of the same name.
public typealias FlutterEventSink = (Any?) -> Void

/// An object that stands for something else than a value.
public final class FlutterMark: NSObject, Sendable {}

/// Stand-in for Flutter's constant of the same name.
public let FlutterMethodNotImplemented = FlutterMark()
/// Stand-in for Flutter's constant of the same name.
public let FlutterEndOfEventStream = FlutterMark()

/// Stand-in for Flutter's protocol of the same name: the messages between Dart and the platform.
public protocol FlutterBinaryMessenger: AnyObject {
  func send(onChannel channel: String, message: Data?)
  func send(onChannel channel: String, message: Data?, binaryReply callback: FlutterBinaryReply?)
  @discardableResult
  func setMessageHandlerOnChannel(
    _ channel: String, binaryMessageHandler handler: FlutterBinaryMessageHandler?
  ) -> Int64
}

/// Stand-in for Flutter's class of the same name.
public final class FlutterMethodCall: NSObject {
  public let method: String
  public let arguments: Any?

  public init(methodName method: String, arguments: Any?) {
    self.method = method
    self.arguments = arguments
  }
}

/// Stand-in for Flutter's class of the same name.
public final class FlutterError: NSObject {
  public let code: String
  public let message: String?
  public let details: Any?

  public init(code: String, message: String?, details: Any?) {
    self.code = code
    self.message = message
    self.details = details
  }
}

/// Stand-in for Flutter's class of the same name.
public final class FlutterMethodChannel: NSObject {
  private let name: String
  private let messenger: any FlutterBinaryMessenger
  private let codec = FlutterStandardMethodCodec.sharedInstance()

  public init(name: String, binaryMessenger messenger: any FlutterBinaryMessenger) {
    self.name = name
    self.messenger = messenger
  }

  public func setMethodCallHandler(_ handler: FlutterMethodCallHandler?) {
    guard let handler else {
      messenger.setMessageHandlerOnChannel(name, binaryMessageHandler: nil)
      return
    }
    let codec = self.codec
    messenger.setMessageHandlerOnChannel(name) { message, reply in
      guard let message else { return }
      handler(codec.decodeMethodCall(message)) { result in
        switch result {
        case let error as FlutterError: reply(codec.encodeErrorEnvelope(error))
        case is FlutterMark: reply(nil)
        default: reply(codec.encodeSuccessEnvelope(result))
        }
      }
    }
  }

  public func invokeMethod(_ method: String, arguments: Any?, result: FlutterResult? = nil) {
    let codec = self.codec
    let message = codec.encode(FlutterMethodCall(methodName: method, arguments: arguments))
    messenger.send(onChannel: name, message: message) { reply in
      result?(reply.map { codec.decodeEnvelope($0) } ?? FlutterMethodNotImplemented)
    }
  }
}

/// Stand-in for Flutter's protocol of the same name.
public protocol FlutterStreamHandler: NSObjectProtocol {
  func onListen(withArguments arguments: Any?, eventSink events: @escaping FlutterEventSink) -> FlutterError?
  func onCancel(withArguments arguments: Any?) -> FlutterError?
}

/// Stand-in for Flutter's class of the same name.
public final class FlutterEventChannel: NSObject {
  private let name: String
  private let messenger: any FlutterBinaryMessenger
  private let codec = FlutterStandardMethodCodec.sharedInstance()

  public init(name: String, binaryMessenger messenger: any FlutterBinaryMessenger) {
    self.name = name
    self.messenger = messenger
  }

  public func setStreamHandler(_ handler: (any FlutterStreamHandler)?) {
    guard let handler else {
      messenger.setMessageHandlerOnChannel(name, binaryMessageHandler: nil)
      return
    }
    let (codec, messenger, name) = (self.codec, self.messenger, self.name)
    messenger.setMessageHandlerOnChannel(name) { message, reply in
      guard let message else { return }
      let call = codec.decodeMethodCall(message)
      let error: FlutterError?
      if call.method == "listen" {
        error = handler.onListen(withArguments: call.arguments) { event in
          switch event {
          case let error as FlutterError: messenger.send(onChannel: name, message: codec.encodeErrorEnvelope(error))
          case is FlutterMark: messenger.send(onChannel: name, message: nil)
          default: messenger.send(onChannel: name, message: codec.encodeSuccessEnvelope(event))
          }
        }
      } else {
        error = handler.onCancel(withArguments: call.arguments)
      }
      reply(error.map { codec.encodeErrorEnvelope($0) } ?? codec.encodeSuccessEnvelope(nil))
    }
  }
}
