package import HTTPMessages
package import PaymentPrimitives
package import StrictJSON

/// One request to the control API of a simulator.
package struct ControlCall<Simulator: Sendable, Code: ControlErrorCode>: Sendable {
  package let simulator: Simulator
  package let request: HTTPRequest
  package let target: RequestTarget
  package let parameters: [String: String]
  let bodyBytesMax: Int

  package var language: Language { request.preferredLanguage }

  // MARK: the request

  /// Reads the body as JSON members. The path's parameters are added to them, so one place checks all values.
  package func read<Value>(
    _ read: (JSONFields) throws(JSONFieldError) -> Value
  ) throws(CodedError<Code>) -> Value {
    var members: [JSONMember] = []
    if !request.body.isEmpty {
      let limits = JSONLimits(bytesMax: bodyBytesMax, depthMax: 8, valuesMax: 1000)
      let value: JSONValue
      do throws(JSONError) { value = try JSONReader.read(request.body, limits: limits) } catch {
        throw CodedError(.bodyUnreadable, "\(error).")
      }
      guard let object = value.object else { throw CodedError(.bodyUnreadable, "The body must be an object.") }
      members = object
    }
    return try fields(members, read)
  }

  /// Reads the query like a body.
  package func readQuery<Value>(
    _ read: (JSONFields) throws(JSONFieldError) -> Value
  ) throws(CodedError<Code>) -> Value {
    try fields(target.query.map { JSONMember($0.name, .string($0.value)) }, read)
  }

  private func fields<Value>(
    _ members: [JSONMember], _ read: (JSONFields) throws(JSONFieldError) -> Value
  ) throws(CodedError<Code>) -> Value {
    let ofPath = parameters.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }
    do throws(JSONFieldError) {
      return try read(JSONFields(.object(ofPath + members.filter { parameters[$0.name] == nil })))
    } catch { throw CodedError(.fieldInvalid, "\(error)") }
  }

  // MARK: the answer

  package func answer(_ json: JSONValue, status: Int = 200) -> HTTPResponse { HTTPResponse(status: status, json: json) }

  /// One page of a list: at most `limit` items after the item `after`; `more` says whether others follow.
  package func page<Item>(
    _ name: String, of items: [Item], limit: Int, id: (Item) -> String, json: (Item) -> JSONValue
  ) throws(CodedError<Code>) -> HTTPResponse {
    guard (1...ControlLimits.pageMax).contains(limit) else {
      throw CodedError(.fieldInvalid, "limit must be a whole number from 1 to \(ControlLimits.pageMax).")
    }
    var rest = items[...]
    if let after = target["after"] {
      guard let position = items.firstIndex(where: { id($0) == after }) else {
        throw CodedError(.fieldInvalid, "after must be the id of an item of this list.")
      }
      rest = items[(position + 1)...]
    }
    return answer(.members([(name, .array(rest.prefix(limit).map(json))), ("more", .bool(rest.count > limit))]))
  }
}

package enum ControlLimits {
  /// Items of one page.
  package static let pageMax = 500
}

extension HTTPRequest {
  /// The language that the caller prefers: Chinese if the header names it before English.
  var preferredLanguage: Language {
    for wish in (fields["Accept-Language"] ?? "").lowercased().split(separator: ",").prefix(20) {
      let tag = wish.drop { $0 == " " }
      if tag.hasPrefix("zh") { return .chinese }
      if tag.hasPrefix("en") { return .english }
    }
    return .english
  }
}
