import { PurchasingError } from "./errors.js";
import { isObject, isText } from "./input.js";

/** @typedef {import("../index").WeChatStore} WeChatStore */

const DONE = 0;
const FAILED = -1;
const CANCELLED = -2;
const BRIDGE_LIMIT = 5000; // milliseconds until WeChat has put its bridge into a page

/** @param {boolean} holds @param {string} details @returns {asserts holds} */
function need(holds, details) {
  if (!holds) throw new PurchasingError("client_configuration_invalid", details);
}

/**
 * A web page inside WeChat. Its cashier lies over the page.
 *
 * @param {import("../index").JSAPISettings} [settings]
 * @returns {WeChatStore}
 */
export function jsapiStore(settings = {}) {
  const { appId, platform = "web", window = globalThis } = settings;
  need(appId === undefined || isText(appId, 64), "appId must be a text.");
  /** @returns {Promise<any>} */
  async function bridge() {
    const page = /** @type {any} */ (window);
    if (page.WeixinJSBridge || !page.document?.addEventListener) return page.WeixinJSBridge;
    await new Promise((resolve) => {
      page.document.addEventListener("WeixinJSBridgeReady", resolve, { once: true });
      setTimeout(resolve, BRIDGE_LIMIT);
    });
    return page.WeixinJSBridge;
  }
  return {
    name: "weChatPay", tradeType: "JSAPI", platform, appId,
    isAvailable: async () => typeof (await bridge())?.invoke === "function",
    async open({ appId: app, timeStamp, nonceStr, package: packed, signType, paySign }) {
      const found = await bridge();
      return new Promise((resolve) => {
        const parameters = { appId: app, timeStamp: String(timeStamp), nonceStr, package: packed, signType, paySign };
        found.invoke("getBrandWCPayRequest", parameters, (/** @type {any} */ said) => {
          const word = String(said?.err_msg ?? "");
          const isOk = word === "get_brand_wcpay_request:ok";
          const errCode = isOk ? DONE : word === "get_brand_wcpay_request:cancel" ? CANCELLED : FAILED;
          resolve({ errCode, errStr: word.slice(0, 200) });
        });
      });
    },
  };
}

/**
 * A mini program. On an iPhone the server refuses virtual goods unless its configuration allows them.
 *
 * @param {import("../index").MiniProgram} wx
 * @param {{ appId?: string, platform?: string }} [settings]
 * @returns {WeChatStore}
 */
export function miniProgramStore(wx, settings = {}) {
  const { appId, platform } = settings;
  need(isObject(wx) && typeof wx.requestPayment === "function", "Hand in the mini program's wx.");
  const system = platform ?? wx.getDeviceInfo?.().platform ?? wx.getSystemInfoSync?.().platform;
  need(isText(system, 64), "The platform is not known: hand it in.");
  return {
    name: "weChatPay", tradeType: "JSAPI", platform: system, appId,
    open: ({ timeStamp, nonceStr, package: packed, signType, paySign }) =>
      new Promise((resolve) => {
        wx.requestPayment({
          timeStamp: String(timeStamp), nonceStr, package: packed, signType, paySign,
          success: () => resolve({ errCode: DONE }),
          fail: (/** @type {any} */ said) => {
            const word = String(said?.errMsg ?? "");
            const isCancelled = /^requestPayment:fail.*cancel/.test(word);
            resolve({ errCode: isCancelled ? CANCELLED : FAILED, errStr: word.slice(0, 200) });
          },
        });
      }),
  };
}

/**
 * A page in another browser than WeChat's. It leaves for WeChat's page, which opens the app and returns to `returnUrl`.
 * A return proves nothing: call `purchaseResult` there.
 *
 * @param {import("../index").H5Settings} settings
 * @returns {WeChatStore}
 */
export function h5Store({ returnUrl, leave, platform = "web" }) {
  need(typeof returnUrl === "string" || typeof returnUrl === "function", "returnUrl must be an address or a function.");
  need(leave === undefined || typeof leave === "function", "leave must be a function.");
  const go = leave ?? ((/** @type {string} */ address) => globalThis.location.assign(address));
  return {
    name: "weChatPay", tradeType: "H5", platform,
    async open({ h5Url }, order) {
      const back = typeof returnUrl === "function" ? returnUrl(order) : returnUrl;
      need(/^https?:\/\//.test(back ?? ""), "returnUrl must be a whole address.");
      // WeChat's address is signed: nothing but this parameter may be added.
      await go(`${h5Url}&redirect_url=${encodeURIComponent(back)}`);
    },
  };
}

/**
 * A code that the payer scans with WeChat on a phone: the page shows it and asks the server meanwhile.
 *
 * @param {import("../index").NativeSettings} settings
 * @returns {WeChatStore}
 */
export function nativeStore({ show, platform = "web" }) {
  need(typeof show === "function", "show must be a function that gets the address for the QR code.");
  return {
    name: "weChatPay", tradeType: "NATIVE", platform,
    async open({ codeUrl }, order) {
      const closed = await show(/** @type {string} */ (codeUrl), order);
      return closed === "closed" ? { errCode: CANCELLED } : undefined;
    },
  };
}

/**
 * An app in React Native, over whatever bridge it has to WeChat's OpenSDK.
 *
 * @param {import("../index").OpenSDKSettings} settings
 * @returns {WeChatStore}
 */
export function openSDKStore({ appId, platform, isInstalled, pay }) {
  need(isText(appId, 64), "appId must be the app's id at WeChat.");
  need(isText(platform, 64), 'platform must be "ios" or "android".');
  need(typeof isInstalled === "function" && typeof pay === "function", "isInstalled and pay must be functions.");
  return {
    name: "weChatPay", tradeType: "APP", platform, appId, isAvailable: isInstalled,
    open: (parameters) => pay(parameters),
  };
}

/**
 * What a mini program has instead of `fetch`.
 *
 * @param {import("../index").MiniProgram} wx
 * @returns {import("../index").Dependencies["request"]}
 */
export const miniProgramRequest = (wx) => (method, url, header, data, seconds) =>
  new Promise((resolve, reject) => {
    wx.request({
      method, url, header, data, timeout: seconds * 1000, dataType: "text", responseType: "text",
      success: (/** @type {any} */ answer) => {
        const named = (/** @type {string} */ name) =>
          Object.entries(answer.header ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
        const text = typeof answer.data === "string" ? answer.data : JSON.stringify(answer.data ?? "");
        resolve({
          status: answer.statusCode, text, contentType: String(named("content-type") ?? ""),
          retryAfter: named("retry-after") === undefined ? null : String(named("retry-after")),
        });
      },
      fail: (/** @type {any} */ said) => reject(new Error(String(said?.errMsg ?? "request:fail"))),
    });
  });
