// What `purchase` of counterfoil.mjs returns when the store's callback never comes, with a scripted server.
// Writes one JSON object into the file of its second argument: the results, by what the server did.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { Counterfoil } = await import(pathToFileURL(process.argv[2]).href);

// A server with one order that ends in this state, and a phone that shows this transaction after the sheet.
function world(state, { bought = null, duringWrite = () => {} } = {}) {
  const seen = { closes: 0, writes: 0 };
  const order = { id: "o1", productId: "coins.100", quantity: 1, appStore: { productId: "c100" } };
  const request = async (method, url) => {
    const path = url.slice("http://server".length);
    if (path.endsWith("/close")) {
      seen.closes += 1;
      return answer(200, { ...order, state: "closed" });
    }
    if (path.startsWith("/v1/orders?")) return answer(200, { orders: [] });
    if (path === "/v1/orders") return answer(201, { ...order, state: "awaitingPayment" });
    if (path.startsWith("/v1/orders/")) return answer(200, { ...order, state });
    if (path === "/v1/payments/app-store") {
      return answer(200, {
        payments: [{ transactionId: "t1", verdict: "fulfilled", finish: true, orderId: "o1" }], more: false,
      });
    }
    return answer(200, {});
  };
  let queue = [];
  const store = {
    name: "appStore",
    pay: async () => {
      if (bought) queue = [bought];
      return [];
    },
    unfinished: async () => queue,
    finish: async () => { queue = []; },
  };
  const vault = {
    read: () => null,
    write: async (text) => {
      seen.writes += 1;
      await duringWrite(shop, text);
    },
  };
  const shop = new Counterfoil({
    server: "http://server", credential: async () => "t", user: "alice", vault, store, request, sleep: async () => null,
  });
  return { shop, seen };
}

function answer(status, body) {
  return { status, text: JSON.stringify(body) };
}

const transaction = {
  state: "purchased", transactionId: "t1", productId: "c100", quantity: 1, token: "o1", evidence: "e",
};

// The customer returns to the app at the moment when the order is made and its sheet is not open yet.
let isBack = false;
const inForeground = world("paid", {
  duringWrite: async (shop, text) => {
    if (isBack || !text.includes('"created"')) return;
    isBack = true;
    await Promise.race([shop.foreground(), new Promise((resolve) => setTimeout(resolve, 200))]);
  },
});

const said = {
  paid: await world("paid").shop.purchase("coins.100"),
  closed: await world("closed").shop.purchase("coins.100"),
  silent: await world("awaitingPayment").shop.purchase("coins.100"),
  fulfilled: await world("awaitingPayment", { bought: transaction }).shop.purchase("coins.100"),
  inForeground: await inForeground.shop.purchase("coins.100"),
};
said.closes = inForeground.seen.closes;
writeFileSync(process.argv[3], JSON.stringify(said));
