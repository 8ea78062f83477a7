import Cryptography
import PaymentPrimitives
import ServerConfiguration
import StrictJSON

/// What `counterfoil listen` keeps from one start to the next: the secret that signs what it forwards, and how far it
/// came at each server.
struct ListenState: Sendable {
  /// How far messages of an app were forwarded to one receiver.
  struct Place: Hashable, Sendable {
    /// The last delivery; nil: none yet.
    var delivery: String?
    /// The place in the feed of events.
    var event: String?
  }

  private static let bytesMax = 1 << 20

  let path: String
  let secretText: String
  let secret: Secret
  private(set) var places: [String: Place]

  /// Reads the file, or writes a new one with a new secret.
  static func open(_ platform: Platform) throws -> ListenState {
    let folder = try folder(platform)
    let path = folder + "/listen.json"
    if let bytes = try platform.files.read(path, bytesMax) {
      guard let json = try? JSONReader.read(bytes), let state = ListenState(json, at: path) else {
        throw CommandFailure("\(path) is no file of `counterfoil listen`. Remove it to begin anew.")
      }
      return state
    }
    try platform.files.makeFolder(folder)
    let text = "whsec_" + Base64.encode(platform.dependencies.randomBytes(32))
    guard let secret = WebhookSecret.secret(text) else { throw CommandFailure("No secret could be made.") }
    let state = ListenState(path: path, secretText: text, secret: secret, places: [:])
    try state.save(platform)
    return state
  }

  private static func folder(_ platform: Platform) throws -> String {
    if let folder = platform.environment("XDG_CONFIG_HOME"), !folder.isEmpty { return folder + "/counterfoil" }
    guard let home = platform.environment("HOME"), !home.isEmpty else {
      throw UsageError("HOME is not set, so there is no place for what was forwarded.")
    }
    return home + "/.config/counterfoil"
  }

  private init(path: String, secretText: String, secret: Secret, places: [String: Place]) {
    self.path = path
    self.secretText = secretText
    self.secret = secret
    self.places = places
  }

  private init?(_ json: JSONValue, at path: String) {
    guard let text = json["secret"]?.string, let secret = WebhookSecret.secret(text) else { return nil }
    let places = (json["places"]?.object ?? []).map {
      ($0.name, Place(delivery: $0.value["delivery"]?.string, event: $0.value["event"]?.string))
    }
    self.init(path: path, secretText: text, secret: secret, places: Dictionary(places) { $1 })
  }

  /// Keeps a place. Another `listen` may have written the file meanwhile, so only this place is changed in it. If both
  /// write at the same moment, one place is older than it could be: then messages come again.
  mutating func keep(_ place: Place, at name: String, _ platform: Platform) throws {
    if let bytes = try platform.files.read(path, Self.bytesMax), let json = try? JSONReader.read(bytes),
      let written = ListenState(json, at: path)
    {
      places = written.places
    }
    places[name] = place
    try save(platform)
  }

  private func save(_ platform: Platform) throws {
    let members = places.sorted { $0.key < $1.key }.map { name, place in
      JSONMember(
        name,
        .members([("delivery", place.delivery.map { .string($0) }), ("event", place.event.map { .string($0) })]))
    }
    let json = JSONValue.members([("secret", .string(secretText)), ("places", .object(members))])
    try platform.files.replace(path, Array((json.text + "\n").utf8))
  }
}
