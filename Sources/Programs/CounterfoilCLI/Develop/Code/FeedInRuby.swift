enum FeedInRuby {
  /// What `counterfoil receiver code --pull` prints for Ruby.
  static let text = #"""
    # Follows Counterfoil's feed of events in Ruby, with its standard library. Our tests run it, and kill it in between.
    # Start it with COUNTERFOIL_URL and COUNTERFOIL_SECRET_KEY, once. It needs no public address.
    # Use your database in place of the file: book each event by its id in a unique column, with the place, in one
    # transaction. Pass over types that you do not know. What users may have is told by deliveries.
    require "json"
    require "net/http"

    PATH = ENV.fetch("BOOK", "events.jsonl")
    IDS = {}
    $place = nil

    def apply(page)
      page["events"].each { |event| IDS[event["id"]] = true }
      $place = page["next"]
    end

    def ask
      query = { limit: 100, wait: 25, after: $place }.compact
      uri = URI(ENV.fetch("COUNTERFOIL_URL") + "/v1/events?" + URI.encode_www_form(query))
      request = Net::HTTP::Get.new(uri, "Authorization" => "Bearer " + ENV.fetch("COUNTERFOIL_SECRET_KEY"))
      options = { use_ssl: uri.scheme == "https", read_timeout: 60 }
      answer = Net::HTTP.start(uri.host, uri.port, **options) { |http| http.request(request) }
      [answer.code.to_i, JSON.parse(answer.body)]
    rescue StandardError
      [0, {}] # no answer, or none of Counterfoil's
    end

    if File.exist?(PATH)
      File.foreach(PATH) do |line|
        apply(JSON.parse(line))
      rescue JSON::ParserError
        next # a line that was cut off comes again
      end
    end
    BOOK = File.open(PATH, "a")
    BOOK.write("\n")
    loop do
      status, page = ask
      if status.zero? || status == 429 || status >= 500
        sleep 2
      elsif page["code"] == "event_unknown"
        $place = nil # the database was restored: read from the beginning, and pass over what is booked
      elsif status != 200
        abort("#{status} #{page}")
      elsif page["next"].nil? || page["next"] == $place
        sleep 1 # nothing new; the answer may come at once
      else
        events = page["events"].filter_map { |entry| entry["event"] }.reject { |event| IDS.key?(event["id"]) }
        BOOK.write(JSON.generate({ "events" => events, "next" => page["next"] }) + "\n")
        BOOK.fsync # events and place are written together, or not at all
        apply({ "events" => events, "next" => page["next"] })
      end
    end

    """#
}
