import SimulatedDevice

/// Stand-in for the language's own: the main thread of the calling process. Each simulated process has its own, so
/// main-thread code runs in its simulation.
@globalActor public actor MainActor {
  public static var shared: MainActor { AppRun.here.lastingObject { MainActor() } }
}
