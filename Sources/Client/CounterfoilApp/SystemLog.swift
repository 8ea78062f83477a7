#if canImport(StoreKit)
  public import PaymentPrimitives

  #if canImport(os)
    import os
  #endif

  /// The system's log, as Console and `log stream` show it. The client's lines carry no tokens, signed data or personal
  /// data, so they are not hidden.
  public enum SystemLog {
    /// Writes the lines under a subsystem, with the category `purchases`.
    public static func lines(subsystem: String) -> Log {
      #if canImport(os)
        let logger = Logger(subsystem: subsystem, category: "purchases")
        return { event in
          let text = text(of: event)
          switch event.level {
          case .debug: logger.debug("\(text, privacy: .public)")
          case .info: logger.info("\(text, privacy: .public)")
          case .warning: logger.warning("\(text, privacy: .public)")
          case .error: logger.error("\(text, privacy: .public)")
          }
        }
      #else
        return { _ in }
      #endif
    }

    /// A line: the event's name and its fields.
    package static func text(of event: LogEvent) -> String {
      event.name + event.fields.map { " \($0.name)=\($0.value)" }.joined()
    }
  }
#endif
