package import PaymentPrimitives

/// The error codes of a simulator, some of which its control API and its log need.
package protocol ControlErrorCode: ErrorCode {
  /// No route has this path.
  static var routeUnknown: Self { get }
  /// The path exists, but not with this method.
  static var methodNotAllowed: Self { get }
  /// The body is larger than the control API reads.
  static var bodyTooLarge: Self { get }
  /// The body is not JSON that the simulator accepts.
  static var bodyUnreadable: Self { get }
  /// A field is missing or has the wrong format.
  static var fieldInvalid: Self { get }
  /// The log is not a simulator's, or was changed.
  static var logUnreadable: Self { get }
  /// The log was written by a later version.
  static var logTooNew: Self { get }
  /// The log could not be written or read.
  static var logUnavailable: Self { get }

  /// The HTTP status that the control API answers with.
  var status: Int { get }
}
