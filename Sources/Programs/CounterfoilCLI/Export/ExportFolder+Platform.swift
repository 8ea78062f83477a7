import PaymentServer

extension ExportFolder {
  /// A folder of the machine.
  init(at path: String, _ platform: Platform) {
    let files = platform.files
    self.init(
      path: path, read: { name, bytesMax in try files.read(path + "/" + name, bytesMax) },
      open: { name in try files.open(path + "/" + name).map { $0.next } },
      replace: { name, bytes in try files.replace(path + "/" + name, bytes) },
      remove: { name in try files.remove(path + "/" + name) }, names: { try files.names(path) })
  }
}
