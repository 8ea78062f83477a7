package import PaymentPrimitives

/// Everything of one simulator that can be set while it runs. The names are permanent. A setting at 0 has no effect.
package protocol BehaviourSetting: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  var meaning: BilingualText { get }
  /// The allowed values.
  var range: ClosedRange<Int64> { get }
}

/// The values of all behaviour settings.
package struct BehaviourValues<Setting: BehaviourSetting>: Hashable, Sendable {
  private var values: [Setting: Int64] = [:]

  /// All at 0.
  package init() {}

  /// The value of a setting; 0 is the default.
  package subscript(_ setting: Setting) -> Int64 {
    get { values[setting] ?? 0 }
    set { values[setting] = newValue == 0 ? nil : newValue }
  }

  /// Whether a switch is on, or a fault still has occurrences left.
  package func isOn(_ setting: Setting) -> Bool { self[setting] > 0 }
}
