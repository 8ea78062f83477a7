// Only one call: closures written here would be bound to the main actor, so little code runs on it.
await Program.main()
