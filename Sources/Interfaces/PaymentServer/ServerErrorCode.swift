package import PaymentPrimitives

/// The errors that the server detects before it calls the engine.
package enum ServerErrorCode: String, ErrorCode {
  /// The path or query cannot be read.
  case targetUnreadable = "target_unreadable"
  /// There is no route with that path.
  case routeUnknown = "route_unknown"
  /// The path exists, but not with this method.
  case methodNotAllowed = "method_not_allowed"
  /// The body is larger than the route allows.
  case bodyTooLarge = "body_too_large"
  /// The body is declared as something other than plain JSON.
  case mediaTypeNotTaken = "media_type_not_taken"
  /// The body is not acceptable JSON.
  case bodyUnreadable = "body_unreadable"
  /// A field is missing or malformed.
  case fieldInvalid = "field_invalid"
  /// The call does not have this query parameter or body field.
  case fieldUnknown = "field_unknown"
  case credentialMissing = "credential_missing"
  case credentialInvalid = "credential_invalid"
  /// The user token has expired, or is not valid yet.
  case tokenExpired = "token_expired"
  /// The credential does not allow this call.
  case notAllowed = "not_allowed"
  /// The role of the operator key does not allow this call.
  case roleNotAllowed = "role_not_allowed"
  /// The API key has expired.
  case keyExpired = "key_expired"
  /// The call needs a user, and none was named.
  case userMissing = "user_missing"
  /// The caller named a user and may not do so.
  case userNotAllowed = "user_not_allowed"
  case tooManyRequests = "too_many_requests"
  /// The server is shutting down; the call was interrupted.
  case stopping = "server_stopping"
  /// An error without a code of its own.
  case `internal` = "internal_error"

  package var meaning: BilingualText {
    switch self {
    case .targetUnreadable:
      BilingualText("The path or query cannot be read.", "请求的路径或查询参数无法读取。")
    case .routeUnknown: BilingualText("There is nothing at this path.", "该路径不存在。")
    case .methodNotAllowed:
      BilingualText("This path does not support that method.", "该路径不支持此方法。")
    case .bodyTooLarge: BilingualText("The body is too large.", "请求内容过大。")
    case .mediaTypeNotTaken:
      BilingualText("The body is sent as something other than plain JSON.", "请求内容的类型不是未压缩的 JSON。")
    case .bodyUnreadable:
      BilingualText("The body is not JSON that is accepted here.", "请求内容不是可接受的 JSON。")
    case .fieldInvalid:
      BilingualText("A field is missing or malformed.", "某个字段缺失或格式不符。")
    case .fieldUnknown:
      BilingualText("The call has no such parameter or field.", "此调用没有该参数或字段。")
    case .credentialMissing: BilingualText("No credential was sent.", "未提供凭据。")
    case .credentialInvalid: BilingualText("The credential is not valid.", "凭据无效。")
    case .tokenExpired:
      BilingualText("The user token is not valid at this time.", "用户令牌当前不在有效期内。")
    case .notAllowed:
      BilingualText("This credential does not allow the call.", "该凭据无权进行此调用。")
    case .roleNotAllowed:
      BilingualText("The role of this operator key does not allow the call.", "该运维密钥的角色无权进行此调用。")
    case .keyExpired: BilingualText("The API key has expired.", "该 API 密钥已过期。")
    case .userMissing:
      BilingualText("The call needs a user, and none was named.", "此调用需要指明用户。")
    case .userNotAllowed:
      BilingualText("Only a secret key may name a user.", "只有密钥才可以指定用户。")
    case .tooManyRequests: BilingualText("Too many requests.", "请求过于频繁。")
    case .stopping: BilingualText("The server is being stopped.", "服务器正在停止。")
    case .internal: BilingualText("The server had an internal error.", "服务器内部出现问题。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .targetUnreadable:
      BilingualText("Escape the path and query as RFC 3986 requires.", "请按 RFC 3986 对路径与参数进行转义。")
    case .routeUnknown, .methodNotAllowed:
      BilingualText("See /openapi.json for all calls.", "所有接口见 /openapi.json。")
    case .bodyTooLarge:
      BilingualText("Send less; the limit is named.", "请减小请求内容；上限已注明。")
    case .mediaTypeNotTaken:
      BilingualText(
        "Send `Content-Type: application/json` in UTF-8 and no Content-Encoding.",
        "请使用 `Content-Type: application/json`（UTF-8），且不要压缩。")
    case .bodyUnreadable:
      BilingualText("Fix the JSON at the named place.", "请修正所指位置的 JSON。")
    case .fieldInvalid:
      BilingualText("Fix the named field; see /openapi.json.", "请修正所指字段；参见 /openapi.json。")
    case .fieldUnknown:
      BilingualText(
        "Correct the name, or omit it. /openapi.json lists the names of each call.",
        "请改用正确的名称或将其去掉；各调用的参数与字段见 /openapi.json。")
    case .credentialMissing:
      BilingualText(
        "Send `Authorization: Bearer` with a user token or an API key.",
        "请在 `Authorization: Bearer` 中提供用户令牌或 API 密钥。")
    case .credentialInvalid:
      BilingualText(
        "Check key id, signature, audience and key; create a new key with `counterfoil keys`.",
        "请检查密钥编号、签名、受众与密钥；可用 `counterfoil keys` 新建密钥。")
    case .tokenExpired:
      BilingualText(
        "Issue a new token; check the clock of the machine that signs it.",
        "请签发新令牌，并检查签发机器的时钟。")
    case .notAllowed:
      BilingualText("Use the kind of credential that /openapi.json names.", "请使用 /openapi.json 所要求的凭据类型。")
    case .roleNotAllowed:
      BilingualText(
        "Use a key with one of the named roles; an admin makes it with `counterfoil keys create --role`.",
        "请使用具有所列角色之一的密钥；管理员可用 `counterfoil keys create --role` 新建。")
    case .keyExpired:
      BilingualText("Make a new key with `counterfoil keys create`.", "请用 `counterfoil keys create` 新建密钥。")
    case .userMissing:
      BilingualText("Add `userId` to the query or body.", "请在查询参数或请求内容中加入 `userId`。")
    case .userNotAllowed:
      BilingualText("Omit `userId`: the token names the user.", "请去掉 `userId`；用户由令牌确定。")
    case .tooManyRequests:
      BilingualText("Retry after the time in Retry-After.", "请在 Retry-After 所示时间后重试。")
    case .stopping:
      BilingualText("Send the same request again after a moment; it is safe to repeat.", "请稍后重新发送同一请求；重复发送是安全的。")
    case .internal:
      BilingualText(
        "Send the request again; give the operator the requestId if it persists.",
        "请重新发送请求；若仍失败，请将 requestId 交给运维人员。")
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .tooManyRequests, .stopping, .internal: .later
    case .targetUnreadable, .routeUnknown, .methodNotAllowed, .bodyTooLarge, .mediaTypeNotTaken,
      .bodyUnreadable, .fieldInvalid, .fieldUnknown, .credentialMissing, .credentialInvalid, .tokenExpired, .notAllowed,
      .roleNotAllowed, .keyExpired, .userMissing, .userNotAllowed:
      .never
    }
  }

  var status: Int {
    switch self {
    case .targetUnreadable, .bodyUnreadable, .fieldInvalid, .fieldUnknown, .userMissing, .userNotAllowed: 400
    case .credentialMissing, .credentialInvalid, .tokenExpired, .keyExpired: 401
    case .notAllowed, .roleNotAllowed: 403
    case .routeUnknown: 404
    case .methodNotAllowed: 405
    case .bodyTooLarge: 413
    case .mediaTypeNotTaken: 415
    case .tooManyRequests: 429
    case .internal: 500
    case .stopping: 503
    }
  }
}
