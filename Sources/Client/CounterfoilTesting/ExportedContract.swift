// The bench shows what the server was asked for and what it answered, in the words of the contract: a test reads
// `bench.server.orders[0].id` without an import of its own.
@_exported public import CounterfoilAPI
