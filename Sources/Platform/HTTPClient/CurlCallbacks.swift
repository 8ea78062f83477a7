import CCurl

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// The callbacks of libcurl. They always run on the thread of the loop. The context of each one is the transfer, which
// outlives its handle.

let headLineCame: curl_write_callback = { bytes, size, count, context in
  guard let context, let bytes else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer(context).receiveHeadLine(line) ? line.count : 0
}

let bodyCame: curl_write_callback = { bytes, size, count, context in
  guard let context, let bytes else { return 0 }
  let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer(context).receiveBody(piece) ? piece.count : 0
}

/// Checks the exact address that libcurl is about to connect to, and opens the socket if the address is allowed. The
/// name that resolved to it does not matter.
let socketIsWanted: curl_opensocket_callback = { context, purpose, address in
  let none = curl_socket_t(-1)
  guard let context, let address, purpose == CURLSOCKTYPE_IPCXN,
    let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr)
  else { return none }
  let found = address.pointee
  let target = IPAddress(UnsafeRawPointer(address) + offset, family: found.family)
  guard transfer(context).mayConnect(to: target) else { return none }
  #if canImport(Darwin)
    let opened = socket(found.family, found.socktype, found.protocol)
    if opened >= 0 { _ = fcntl(opened, F_SETFD, FD_CLOEXEC) }
  #else
    let opened = socket(
      found.family, found.socktype | Int32(SOCK_CLOEXEC.rawValue), found.protocol)
  #endif
  guard opened >= 0, isReserved(opened) else { return opened }
  close(opened)
  return none
}

/// Whether a descriptor number belongs to the last ones, which are reserved for the database and for Swift's runtime.
/// On Linux the runtime ends the process when no descriptor is left. The system gives out the lowest free number, so
/// the number tells how many are in use.
private func isReserved(_ descriptor: Int32) -> Bool {
  #if canImport(Glibc)
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    let files = RLIMIT_NOFILE
  #endif
  var limit = rlimit()
  guard getrlimit(files, &limit) == 0 else { return false }
  let most = Int(clamping: limit.rlim_cur)
  return Int(descriptor) >= most - min(64, most / 4)
}

private func transfer(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
  Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
}
