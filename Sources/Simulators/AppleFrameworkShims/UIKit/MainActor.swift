import SimulatedDevice

/// Stand-in of the language's own: the main thread of the process that asks. Here each simulated process has one, so
/// that what belongs to the main thread runs in its world.
@globalActor public actor MainActor {
  public static var shared: MainActor { AppRun.here.lastingObject { MainActor() } }
}
