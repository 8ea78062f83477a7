/// Who invites the members of a group purchase (1.23).
package enum InvitationManagement: String, CaseIterable, Sendable {
  case apple = "APPLE"
  case developer = "DEVELOPER"
}
