enum ReceiverInNode {
  /// What `counterfoil receiver code` prints for Node.js.
  static let text = #"""
    // A receiver of Counterfoil's deliveries in Node.js, without packages. It passes `counterfoil receiver test`.
    // Start it with PORT and COUNTERFOIL_WEBHOOK_SECRETS (whsec_…; several with spaces while one is replaced).
    // Use your database in place of the file: the id in a unique column, written in the transaction that books.
    import { createHmac, timingSafeEqual } from "node:crypto";
    import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
    import { createServer } from "node:http";

    const texts = process.env.COUNTERFOIL_WEBHOOK_SECRETS.split(" ");
    const secrets = texts.map((one) => Buffer.from(one.slice("whsec_".length), "base64"));
    const environment = process.env.COUNTERFOIL_ENVIRONMENT ?? "production";
    const path = process.env.BOOK ?? "deliveries.jsonl";
    const [ids, holdings] = [new Set(), new Map()];

    function apply(delivery) {
      ids.add(delivery.id);
      const key = JSON.stringify([delivery.store, delivery.transactionId, delivery.userId]);
      const given = delivery.units ? delivery.units.amount : 1;
      const left = delivery.type === "grant.created" ? given : delivery.inForce; // 0 is a number here
      if (delivery.sequence > (holdings.get(key)?.sequence ?? 0)) { // the highest sequence counts, whatever comes last
        holdings.set(key, { sequence: delivery.sequence, user: delivery.userId, left: delivery.units ? left : 0 });
      }
    }

    for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
      if (line.endsWith("}")) { try { apply(JSON.parse(line)); } catch { /* cut off: it was never acknowledged */ } }
    }
    const book = openSync(path, "a");
    writeSync(book, "\n");

    function receive(fields, body) {
      const [id, at] = [fields["webhook-id"] ?? "", fields["webhook-timestamp"] ?? ""];
      if (!/^[0-9]{1,12}$/.test(at) || Math.abs(Date.now() / 1000 - Number(at)) > 300) return 401;
      const signed = Buffer.concat([Buffer.from(`${id}.${at}.`), body]); // the bytes as they came
      const code = (secret) => createHmac("sha256", secret).update(signed).digest("base64");
      const good = secrets.map((secret) => Buffer.from("v1," + code(secret)));
      const theirs = (fields["webhook-signature"] ?? "").split(" ").map((one) => Buffer.from(one));
      const isSame = (one, other) => one.length === other.length && timingSafeEqual(one, other);
      if (!good.some((one) => theirs.some((other) => isSame(one, other)))) return 401;
      const delivery = JSON.parse(body);
      if (delivery.id !== id) return 400;
      // Not our money, or news of a later version.
      if (delivery.environment !== environment || !delivery.type.startsWith("grant.")) return 204;
      if (!ids.has(id)) { // nothing else runs between this line and the next
        writeSync(book, JSON.stringify(delivery) + "\n");
        fsyncSync(book); // what is answered survives a power cut
        apply(delivery);
      }
      return 204;
    }

    createServer((request, response) => {
      const answer = (status, text = "") => response.writeHead(status, { connection: "close" }).end(text);
      if (request.method === "GET") { // only for the test: the units of a user
        const user = new URL(request.url, "http://localhost").searchParams.get("userId");
        const theirs = [...holdings.values()].filter((one) => one.user === user);
        return answer(200, String(theirs.reduce((sum, one) => sum + one.left, 0)));
      }
      if (Number(request.headers["content-length"]) > 1 << 20) return answer(413);
      const parts = [];
      request.on("data", (part) => parts.push(part)).on("end", () => {
        try { answer(receive(request.headers, Buffer.concat(parts))); } catch { answer(400); }
      });
    }).listen(Number(process.env.PORT), "127.0.0.1");

    """#
}
