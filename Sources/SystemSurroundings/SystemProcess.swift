#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// This process as the system sees it.
public enum SystemProcess {
  /// Its number.
  public static var identifier: Int { Int(getpid()) }

  /// The value of an environment variable; nil when it is not set, and when it is not UTF-8.
  public static func environment(_ name: String) -> String? {
    getenv(name).flatMap { String(validatingCString: $0) }
  }
}
