/// Yields to other tasks until the condition holds.
func until(_ condition: @Sendable () -> Bool) async {
  while !condition() { await Task.yield() }
}
