/// The whole state of a simulator, which its log records. Live operation and replay use the same `apply`.
package protocol RecordedState: Sendable {
  associatedtype Record: LogRecord<Behaviour>
  associatedtype Behaviour: BehaviourSetting

  /// How many records made it.
  var recordCount: Int { get }
  /// How the simulator was created; nil before the record of it.
  var origin: SimulatorOrigin? { get }
  var clock: SimulatorClock { get }
  var behaviours: BehaviourValues<Behaviour> { get }

  /// The state before the first record.
  init()

  mutating func apply(_ record: Record) throws(StateInconsistency)
}
