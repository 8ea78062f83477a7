#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread that waits for bytes in a pipe and calls a function for each piece, as long as the pipe is open.
final class PipeThread: Sendable {
  private let descriptor: Int32
  private let arrived: @Sendable () -> Void

  init(descriptor: Int32, arrived: @escaping @Sendable () -> Void) {
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
    var bytes = [UInt8](repeating: 0, count: 64)
    while true {
      let count = read(descriptor, &bytes, bytes.count)
      if count > 0 { arrived() } else if count == 0 || errno != EINTR { return }
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
