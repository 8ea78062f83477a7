public import StrictJSON

/// An HTTP request as a value, for servers and clients. No connection, no stream; bodies are bounded.
public struct HTTPRequest: Sendable, Equatable {
  /// The method, upper case: `GET`.
  public var method: String
  /// The target. For a server: path and query. For a client: scheme, host, path and query.
  public var target: String
  /// Header fields.
  public var fields: HTTPFields
  /// The whole body.
  public var body: [UInt8]

  /// A request from its parts.
  public init(_ method: String, _ target: String, fields: HTTPFields = [:], body: [UInt8] = []) {
    self.method = method
    self.target = target
    self.fields = fields
    self.body = body
  }

  /// A request with a JSON body.
  public init(_ method: String, _ target: String, fields: HTTPFields = [:], json: JSONValue) {
    self.init(method, target, fields: fields, body: json.bytes)
    self.fields.set("Content-Type", "application/json")
  }
}

/// An HTTP answer as a value.
public struct HTTPResponse: Sendable, Equatable {
  /// The status code.
  public var status: Int
  /// Header fields; the platform adds `Content-Length` when it sends the answer.
  public var fields: HTTPFields
  /// The whole body.
  public var body: [UInt8]

  /// An answer from its parts.
  public init(status: Int, fields: HTTPFields = [:], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// An answer with a JSON body.
  public init(status: Int, fields: HTTPFields = [:], json: JSONValue) {
    self.init(status: status, fields: fields, body: json.bytes)
    if self.fields["Content-Type"] == nil { self.fields.set("Content-Type", "application/json") }
  }
}
