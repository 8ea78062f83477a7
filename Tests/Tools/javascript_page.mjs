// A shop's page as docs/javascript.md shows it; javascript_in_chromium.py serves it and presses its buttons.
import { createPurchasing, h5Store, jsapiStore, localStorageVault, nativeStore } from "/client/index.js";

const query = new URLSearchParams(location.search);
const [way, user] = [query.get("way"), query.get("user")];
const show = (id, text) => { document.getElementById(id).textContent = text; };

function store() {
  if (way === "JSAPI") return jsapiStore();
  const here = `${location.origin}${location.pathname}?way=${way}&user=${user}`;
  if (way === "H5") return h5Store({ returnUrl: (order) => `${here}&order=${order.id}` });
  return nativeStore({
    show: (codeUrl) => new Promise((resolve) => {
      show("code", codeUrl);
      const close = document.getElementById("close");
      close.hidden = false;
      close.onclick = () => resolve("closed");
    }),
  });
}

// What WeChat puts into its pages, later than the page's own scripts.
if (way === "JSAPI") {
  setTimeout(() => {
    window.WeixinJSBridge = {
      invoke: async (call, jsapi, back) => {
        const action = query.get("action");
        const answer = await fetch("/cashier", { method: "POST",
          body: JSON.stringify({ jsapi, action, openid: "oChromium" }) });
        const { errCode } = await answer.json();
        const words = { 0: "ok", [-2]: "cancel", [-1]: "fail" };
        const isCalled = call === "getBrandWCPayRequest" && errCode in words;
        if (isCalled) back({ err_msg: `get_brand_wcpay_request:${words[errCode]}` });
      },
    };
    document.dispatchEvent(new Event("WeixinJSBridgeReady"));
  }, 300);
}

const purchasing = createPurchasing({
  server: `${location.origin}/gateway`, userToken: () => `session-of-${user}`, vault: localStorageVault(),
  stores: [store()],
});
purchasing.listen((event) => { document.getElementById("events").textContent += ` ${event.event}`; });
document.addEventListener("visibilitychange", () => { if (!document.hidden) purchasing.foreground(); });
window.addEventListener("pageshow", (event) => { if (event.persisted) purchasing.foreground(); });

async function tell(purchase) {
  show("outcome", "");
  const result = await purchase.catch((error) => error);
  show("outcome", result === null ? "nothing" : result.code ?? result.outcome);
  show("words", result === null ? "" : `${purchasing.message(result, "en")} ${purchasing.message(result, "zh")}`);
  document.getElementById("close").hidden = true;
}
const details = way === "JSAPI" ? { openId: "oChromium" } : way === "H5" ? { payerAddress: "203.0.113.9" } : {};
document.getElementById("buy").onclick = () => tell(purchasing.purchase("coins.100", details));

await purchasing.setUser(user);
await purchasing.start();
if (query.get("order")) await tell(purchasing.purchaseResult(query.get("order")));
document.title = "Ready";
