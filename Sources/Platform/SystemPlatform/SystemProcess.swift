#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// This process as the system sees it.
package enum SystemProcess {
  package static var identifier: Int { Int(getpid()) }

  /// Raises the limit of open files and connections to the maximum that the administrator allows, and returns it.
  ///
  /// A shell's usual limit of 1,024 is less than the number of connections of one server.
  @discardableResult
  package static func raiseOpenFilesLimit() -> Int {
    #if canImport(Glibc)
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let files = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(files, &limit) == 0 else { return 0 }
    let before = limit.rlim_cur
    #if canImport(Darwin)
      limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
    #else
      limit.rlim_cur = limit.rlim_max
    #endif
    return Int(clamping: setrlimit(files, &limit) == 0 ? limit.rlim_cur : before)
  }

  /// Passes a moment on the calling thread: for a thread that waits for others of this process. It lasts about 0.12 ms,
  /// because Linux adds its timer slack of 50 µs and the time of two switches.
  package static func pause() { usleep(50) }

  /// The value of an environment variable; nil if it is not set or not UTF-8.
  package static func environment(_ name: String) -> String? {
    getenv(name).flatMap { String(validatingCString: $0) }
  }

  package static var executablePath: String? {
    #if canImport(Darwin)
      var size = UInt32(4096)
      var buffer = [CChar](repeating: 0, count: Int(size))
      guard _NSGetExecutablePath(&buffer, &size) == 0 else { return nil }
      return buffer.withUnsafeBufferPointer { $0.baseAddress.flatMap { String(validatingCString: $0) } }
    #else
      // Not the first argument, because it may be any name.
      guard let path = realpath("/proc/self/exe", nil) else { return nil }
      defer { free(path) }
      return String(validatingCString: path)
    #endif
  }

  package static func exit(_ status: Int32) -> Never {
    #if canImport(Glibc)
      Glibc.exit(status)
    #elseif canImport(Musl)
      Musl.exit(status)
    #else
      Darwin.exit(status)
    #endif
  }
}
