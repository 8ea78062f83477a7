import Testing
@Suite struct `A placeholder` { @Test func `runs`() {} }
