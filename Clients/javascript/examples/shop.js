// The code of docs/javascript.md: a shop in a browser, in a mini program and in React Native. It is compiled by
// `tsc --strict`; javascript_page.mjs runs the same in Chromium.
import { PurchasingError, createPurchasing, h5Store, localStorageVault } from "counterfoil";
import { miniProgramRequest, miniProgramStore, miniProgramVault, nativeStore, openSDKStore } from "counterfoil";

/**
 * @param {{ tokenOf(user: string): Promise<string> }} session
 * @param {() => void} reloadBalance
 * @param {(words: string) => void} show
 */
export async function page(session, reloadBalance, show) {
  const purchasing = createPurchasing({
    server: "https://shop.example.com/pay", // Counterfoil, or better: your own gateway, which adds the secret key
    userToken: (user) => session.tokenOf(user), // from your backend
    vault: localStorageVault(),
    stores: [h5Store({ returnUrl: (order) => `https://shop.example.com/back?order=${order.id}` })],
    language: "zh",
  });
  purchasing.listen((event) => { if (event.event === "orderGranted") reloadBalance(); });
  await purchasing.setUser("alice"); // at each sign-in; null at sign-out
  await purchasing.start(); // completes what an earlier page left open

  const isBack = () => purchasing.foreground().catch((error) => console.error(error));
  document.addEventListener("visibilitychange", () => { if (!document.hidden) isBack(); });
  window.addEventListener("pageshow", (event) => { if (event.persisted) isBack(); });

  // On the page of returnUrl:
  const order = new URLSearchParams(location.search).get("order");
  if (order) {
    const outcome = await purchasing.purchaseResult(order);
    if (outcome) show(purchasing.message(outcome));
  }

  // Behind a button:
  try {
    const outcome = await purchasing.purchase("coins.100", { quantity: 2 });
    show(purchasing.message(outcome)); // in English or Chinese
    if (outcome.outcome === "fulfilled") reloadBalance();
  } catch (error) {
    if (!(error instanceof PurchasingError)) throw error;
    show(purchasing.message(error)); // error.code is stable
  }
  return purchasing;
}

/**
 * @param {{ open(image: unknown): Promise<void> }} dialog
 * @param {(text: string) => unknown} drawCode
 */
export const desktop = (dialog, drawCode) =>
  nativeStore({ show: (codeUrl) => dialog.open(drawCode(codeUrl)).then(() => "closed") });

/**
 * @param {import("counterfoil").MiniProgram} wx
 * @param {string} server
 * @param {(user: string) => Promise<string>} userToken
 * @param {() => string} keyFromYourBackend
 */
export const miniProgram = (wx, server, userToken, keyFromYourBackend) =>
  createPurchasing({
    server, userToken, vault: miniProgramVault(wx), stores: [miniProgramStore(wx)],
    dependencies: { request: miniProgramRequest(wx), newKey: () => keyFromYourBackend() },
    messages: { "outcome.fulfilled": { en: "Enjoy your coins!", zh: "金币已到账！" } },
  });

/** @param {{ isWXAppInstalled(): Promise<boolean>, pay(parameters: object): Promise<{ errCode: number }> }} bridge */
export const reactNative = (bridge) =>
  openSDKStore({
    appId: "wx0000000000000001", platform: "android", isInstalled: () => bridge.isWXAppInstalled(),
    pay: (parameters) => bridge.pay(parameters),
  });
