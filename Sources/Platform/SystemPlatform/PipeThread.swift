#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread that waits for the bytes that a signal handler writes into a pipe, and calls a function for each.
final class PipeThread: Sendable {
  private let descriptor: Int32
  private let arrived: @Sendable (UInt8) -> Void

  /// A pipe that programs which this one starts do not inherit. Its ends stay open as long as the process.
  static func pipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
      let result = Glibc.pipe(&ends)
    #elseif canImport(Musl)
      let result = Musl.pipe(&ends)
    #else
      let result = Darwin.pipe(&ends)
    #endif
    precondition(result == 0, "no descriptors are left at the start of the program")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  init(descriptor: Int32, arrived: @escaping @Sendable (UInt8) -> Void) {
    self.descriptor = descriptor
    self.arrived = arrived
  }

  /// Whether a thread could be started.
  func start() -> Bool {
    let context = Unmanaged.passRetained(self)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    guard pthread_create(&thread, nil, runPipeThread, context.toOpaque()) == 0 else {
      context.release()
      return false
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
    return true
  }

  fileprivate func run() {
    var byte: UInt8 = 0
    while true {
      let count = read(descriptor, &byte, 1)
      if count > 0 { arrived(byte) } else if count == 0 || errno != EINTR { return }
    }
  }
}

#if canImport(Darwin)
  private func runPipeThread(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<PipeThread>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
#else
  private func runPipeThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<PipeThread>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }
#endif
