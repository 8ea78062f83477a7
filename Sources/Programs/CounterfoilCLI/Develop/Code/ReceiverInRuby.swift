enum ReceiverInRuby {
  /// What `counterfoil receiver code` prints for Ruby.
  static let text = #"""
    # A receiver of Counterfoil's deliveries in Ruby, with its standard library. It passes `counterfoil receiver test`.
    # Start it with PORT and COUNTERFOIL_WEBHOOK_SECRETS (whsec_…; several with spaces while one is replaced).
    # Use your framework and your database: the id in a unique column, written in the transaction that books.
    require "base64"
    require "cgi"
    require "json"
    require "openssl"
    require "socket"

    TEXTS = ENV.fetch("COUNTERFOIL_WEBHOOK_SECRETS").split
    SECRETS = TEXTS.map { |one| Base64.strict_decode64(one.delete_prefix("whsec_")) }
    ENVIRONMENT = ENV.fetch("COUNTERFOIL_ENVIRONMENT", "production")
    PATH = ENV.fetch("BOOK", "deliveries.jsonl")
    LOCK, IDS, HOLDINGS = Mutex.new, {}, {}

    def apply(delivery)
      IDS[delivery["id"]] = true
      key, units = delivery.values_at("store", "transactionId", "userId"), delivery["units"]
      left = delivery["type"] == "grant.created" ? (units ? units["amount"] : 1) : delivery["inForce"]
      # The highest sequence counts, whatever comes last.
      HOLDINGS[key] = [delivery["sequence"], units ? left : 0] if delivery["sequence"] > HOLDINGS.fetch(key, [0])[0]
    end

    File.foreach(PATH) { |line| apply(JSON.parse(line)) if line.end_with?("}\n") } if File.exist?(PATH)
    BOOK = File.open(PATH, "a")
    BOOK.write("\n") # a line that was cut off was never acknowledged

    def receive(fields, body)
      id, at = fields["webhook-id"].to_s, fields["webhook-timestamp"].to_s
      return 401 unless at.match?(/\A[0-9]{1,12}\z/) && (Time.now.to_i - at.to_i).abs <= 300
      signed = "#{id}.#{at}.".b + body # the bytes as they came
      good = SECRETS.map { |secret| "v1," + Base64.strict_encode64(OpenSSL::HMAC.digest("SHA256", secret, signed)) }
      theirs = fields["webhook-signature"].to_s.split
      return 401 unless good.any? { |one| theirs.any? { |other| OpenSSL.secure_compare(one, other) } }
      delivery = JSON.parse(body)
      return 400 unless delivery["id"] == id
      # Not our money, or news of a later version.
      return 204 unless delivery["environment"] == ENVIRONMENT && delivery["type"].start_with?("grant.")
      LOCK.synchronize do
        next if IDS.key?(id)
        BOOK.write(JSON.generate(delivery) + "\n")
        BOOK.fsync # what is answered survives a power cut
        apply(delivery)
      end
      204
    end

    def serve(client)
      method, target = client.gets.to_s.split
      fields = {}
      while (line = client.gets) && line != "\r\n"
        name, value = line.chomp.split(":", 2)
        fields[name.downcase] = value.to_s.strip
      end
      status, text = 200, ""
      if method == "GET" # only for the test: the units of a user
        user = CGI.parse(target.split("?", 2)[1].to_s)["userId"][0]
        text = HOLDINGS.sum { |key, value| key[2] == user ? value[1] : 0 }.to_s
      else
        length = fields["content-length"].to_i
        status = length > 1 << 20 ? 413 : (receive(fields, client.read(length)) rescue 400)
      end
      client.write("HTTP/1.1 #{status} -\r\nContent-Length: #{text.size}\r\nConnection: close\r\n\r\n#{text}")
    ensure
      client.close
    end

    server = TCPServer.new("127.0.0.1", ENV.fetch("PORT").to_i)
    loop { Thread.new(server.accept) { |client| serve(client) } }

    """#
}
