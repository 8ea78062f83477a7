/// Stand-in for Apple's class of the same name, which Foundation has there: a link that opened the app.
public final class NSUserActivity: Sendable {
  public init() {}
}
