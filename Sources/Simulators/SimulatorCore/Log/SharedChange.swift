/// What every simulator records, each in its own form.
package enum SharedChange<Behaviour: BehaviourSetting>: Sendable {
  case created(SimulatorOrigin)
  /// The number of lines before this one that a kill made unreadable.
  case tornLinesDropped(Int)
  /// The clock was moved, or its rate changed.
  case clockSet(SimulatorClock)
  case behaviourSet(Behaviour, Int64)
}
