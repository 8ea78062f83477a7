import PaymentPrimitives

/// One table of a configuration, read key by key. It remembers the keys that were read: the others are unknown keys.
///
/// A missing or wrong value is recorded with its place, and the result is nil; errors are thrown only after the whole
/// file is read.
package final class ConfigurationTable {
  /// The path of the table: `app[0]`; empty for the root.
  package let path: String
  /// Its keys in the order of the file.
  package var keys: [String] { entries.map(\.key) }

  private let entries: [TOMLEntry]
  private let position: TOMLPosition
  private let file: String
  private let layers: SettingLayers
  private let problems: ConfigurationProblems
  private var asked: Set<String> = []
  private var takesAnyKey = false
  private var opened: [ConfigurationTable] = []

  init(
    _ value: TOMLValue, path: String, file: String, layers: SettingLayers, problems: ConfigurationProblems
  ) {
    if case .table(let entries) = value.content { self.entries = entries } else { self.entries = [] }
    self.position = value.position
    self.path = path
    self.file = file
    self.layers = layers
    self.problems = problems
  }

  // MARK: values

  /// The value of an optional key; nil if it is missing, or wrong.
  package func optional<Value>(_ key: String, _ form: SettingForm<Value>) -> Value? {
    noteAsked(key, form.shape)
    return present(key, form)
  }

  /// The value of a required key; nil if it is missing, or wrong.
  package func required<Value>(_ key: String, _ form: SettingForm<Value>) -> Value? {
    noteAsked(key, form.shape, isRequired: true)
    guard let entry = entry(key) else {
      note(.missingKey, "It is \(form.wanted).", key: key, at: position)
      return nil
    }
    return read(entry.value, form, key: key)
  }

  /// The value of a key, or the default if it is missing. A wrong value is still a problem.
  package func value<Value>(
    _ key: String, _ form: SettingForm<Value>, default standard: Value
  ) -> Value {
    noteAsked(key, form.shape, hasDefault: true)
    return present(key, form) ?? standard
  }

  /// The value of a server setting, which a flag or an environment variable may override; all given values must be
  /// valid.
  package func layered<Value>(
    _ key: String, _ form: SettingForm<Value>, default standard: Value
  ) -> LayeredSetting<Value> {
    noteAsked(key, form.shape, hasDefault: true)
    return SettingLayers.first(
      flag: flag(key, form), environment: variable(key, form), file: present(key, form), default: standard)
  }

  /// The same for a key that may also begin a table, which then has the value under a key of its own. That key is
  /// required unless a flag or a variable has the value.
  ///
  /// - Returns: the setting, nil if the table lacks it or it is wrong; and the table, nil if there is none.
  package func layered<Value>(
    _ key: String, orIn inner: String, _ form: SettingForm<Value>, default standard: Value
  ) -> (setting: LayeredSetting<Value>?, table: ConfigurationTable?) {
    guard let entry = entry(key), case .table = entry.value.content, let table = table(of: entry) else {
      return (layered(key, form, default: standard), nil)
    }
    noteAsked(key, form.shape, hasDefault: true)
    let above = SettingLayers.first(
      flag: flag(key, form), environment: variable(key, form), file: nil, default: standard)
    guard above.origin == .default else {
      _ = table.optional(inner, form)
      return (above, table)
    }
    return (table.required(inner, form).map { LayeredSetting(value: $0, origin: .file) }, table)
  }

  private func flag<Value>(_ key: String, _ form: SettingForm<Value>) -> Value? {
    let name = SettingLayers.flagName(of: key)
    return layers.flags[name].flatMap { parse($0, form, key: key, at: .flag(name)) }
  }

  private func variable<Value>(_ key: String, _ form: SettingForm<Value>) -> Value? {
    let name = SettingLayers.variableName(of: key)
    return layers.environment[name].flatMap { parse($0, form, key: key, at: .environment(name)) }
  }

  // MARK: tables

  /// The table under a key; nil if there is none, or something else.
  package func table(_ key: String) -> ConfigurationTable? {
    noteAsked(key, .table)
    return entry(key).flatMap { table(of: $0) }
  }

  /// The tables of a list, `[[key]]`, in order; empty if there is no such key.
  package func tables(_ key: String) -> [ConfigurationTable] {
    noteAsked(key, .tables)
    guard let entry = entry(key) else { return [] }
    guard case .array(let items) = entry.value.content else {
      note(
        .wrongType, "It must be a list of tables, [[\(key)]]; this is \(entry.value.content.kind).", key: key,
        at: entry.value.position)
      return []
    }
    return items.enumerated().compactMap { index, item in
      guard case .table = item.content else {
        note(
          .wrongType, "Each must be a table; this is \(item.content.kind).", key: "\(key)[\(index)]", at: item.position)
        return nil
      }
      return open(item, path(of: key) + "[\(index)]")
    }
  }

  /// How many tables a list has, right or wrong; 0 without the key.
  package func tableCount(_ key: String) -> Int {
    guard let entry = entries.first(where: { $0.key == key }), case .array(let items) = entry.value.content else {
      return 0
    }
    return items.count
  }

  /// The tables with freely chosen names, `[key.name]`, in order.
  package func namedTables(_ key: String) -> [(name: String, table: ConfigurationTable)] {
    guard let outer = table(key) else { return [] }
    outer.takesAnyKey = true
    return outer.entries.compactMap { entry in outer.table(of: entry).map { (entry.key, $0) } }
  }

  /// The values with freely chosen names, `[key]` and `name = value`, in order; wrong ones are left out.
  package func namedValues<Value>(
    _ key: String, _ form: SettingForm<Value>
  ) -> [(name: String, value: Value)] {
    guard let outer = table(key) else { return [] }
    outer.takesAnyKey = true
    return outer.entries.compactMap { entry in
      outer.read(entry.value, form, key: entry.key).map { (entry.key, $0) }
    }
  }

  // MARK: problems

  /// Records a problem that only the caller can detect: contradicting settings, an unknown value.
  ///
  /// - Parameters:
  ///   - key: the setting concerned; nil for the table as a whole.
  ///   - origin: the layer that has the value, for a setting that a flag or a variable may overrule.
  package func refuse(
    _ key: String?, _ code: ConfigurationErrorCode, details: String, from origin: SettingOrigin = .file
  ) {
    // Flags and variables are named after the key at the top, with or without a table.
    let name = path.isEmpty ? key ?? "" : path
    switch origin {
    case .flag: return add(code, details, key: key, place: .flag(SettingLayers.flagName(of: name)))
    case .environment: return add(code, details, key: key, place: .environment(SettingLayers.variableName(of: name)))
    case .file, .default: break
    }
    let entry = key.flatMap { key in entries.first { $0.key == key } }
    note(code, details, key: key, at: entry?.value.position ?? position)
  }

  /// - Parameter top: the keys that may stand at the top of the file.
  func refuseUnknownKeys(top: Set<String> = []) {
    let top = path.isEmpty ? asked : top
    for entry in entries where !takesAnyKey && !asked.contains(entry.key) {
      let nearest = NearestName.of(entry.key, among: asked).map { "Is \"\($0)\" meant?" }
      // A table ends only where the next one begins: what stands below it belongs to it.
      let above =
        !path.isEmpty && top.contains(entry.key)
        ? "It belongs to the top of the file, above the first line in brackets." : nil
      note(.unknownKey, above ?? nearest ?? "", key: entry.key, at: entry.keyPosition)
    }
    for table in opened { table.refuseUnknownKeys(top: top) }
  }

  // MARK: private

  private func noteAsked(_ key: String, _ shape: SettingShape, isRequired: Bool = false, hasDefault: Bool = false) {
    problems.note(
      AskedSetting(
        path: SettingPath.pattern(of: path(of: key)) + (shape == .tables ? "[]" : ""), shape: shape,
        isRequired: isRequired, hasDefault: hasDefault))
  }

  private func present<Value>(_ key: String, _ form: SettingForm<Value>) -> Value? {
    entry(key).flatMap { read($0.value, form, key: key) }
  }

  private func entry(_ key: String) -> TOMLEntry? {
    asked.insert(key)
    return entries.first { $0.key == key }
  }

  private func table(of entry: TOMLEntry) -> ConfigurationTable? {
    guard case .table = entry.value.content else {
      note(
        .wrongType, "It must be a table; this is \(entry.value.content.kind).", key: entry.key,
        at: entry.value.position)
      return nil
    }
    return open(entry.value, path(of: entry.key))
  }

  private func open(_ value: TOMLValue, _ path: String) -> ConfigurationTable {
    let table = ConfigurationTable(value, path: path, file: file, layers: layers, problems: problems)
    opened.append(table)
    return table
  }

  private func read<Value>(_ value: TOMLValue, _ form: SettingForm<Value>, key: String) -> Value? {
    do throws(SettingForm<Value>.Mismatches) {
      return try form.read(value)
    } catch {
      for mismatch in error.all {
        note(mismatch.code, mismatch.details, key: key, at: mismatch.position ?? value.position)
      }
      return nil
    }
  }

  private func parse<Value>(
    _ text: String, _ form: SettingForm<Value>, key: String, at place: SettingPlace
  ) -> Value? {
    guard let content = form.value(text) else {
      add(.malformed, "It must be \(form.wanted).", key: key, place: place)
      return nil
    }
    do throws(SettingForm<Value>.Mismatches) {
      return try form.read(TOMLValue(content, at: position))
    } catch {
      for mismatch in error.all { add(mismatch.code, mismatch.details, key: key, place: place) }
      return nil
    }
  }

  private func note(
    _ code: ConfigurationErrorCode, _ details: String, key: String?, at position: TOMLPosition
  ) {
    add(code, details, key: key, place: .file(file, position))
  }

  private func add(
    _ code: ConfigurationErrorCode, _ details: String, key: String?, place: SettingPlace
  ) {
    let setting = key.map { path(of: $0) } ?? (path.isEmpty ? nil : path)
    problems.add(ConfigurationProblem(CodedError(code, details), at: place, setting: setting))
  }

  /// Shortens a key that is a whole text, so that an error stays readable.
  private func path(of key: String) -> String {
    let name = key.count > 64 ? key.prefix(64) + "…" : key[...]
    return path.isEmpty ? String(name) : "\(path).\(name)"
  }
}
