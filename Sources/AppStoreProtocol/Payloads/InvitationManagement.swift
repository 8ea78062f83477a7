/// Who invites the members of a group purchase (1.23).
public enum InvitationManagement: String, CaseIterable, Sendable {
  /// Apple.
  case apple = "APPLE"
  /// The app.
  case developer = "DEVELOPER"
}
