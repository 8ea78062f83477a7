// One call: what runs on the main actor is kept short (closures written here would be bound to it).
await Program.main()
