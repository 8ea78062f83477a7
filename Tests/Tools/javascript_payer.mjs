// A customer at WeChat Pay: each way to pay opens the simulated cashier through the client's own adapter, over
// stand-ins of what WeChat puts into a page, a mini program or an app.
import {
  h5Store, jsapiStore, miniProgramStore, nativeStore, openSDKStore,
} from "../../Clients/javascript/src/index.js";

export const OPEN_ID = "oSomebodyWhoPays0000000000";

/** Does in the cashier what the plan says. @returns WeChat's number, or undefined if it never calls back. */
async function visit(world, process, plan, how) {
  const { action, tells, lies } = { ...plan };
  const act = () => world.shop.control("POST", "/wechat-pay/cashier", { action, openid: OPEN_ID, ...how });
  if (plan.dies) process.die(); // the customer is in WeChat, and the system ends the app
  const result = await (plan.dies ? act() : process.effect("cashier", act));
  world.visits.push(result);
  if (result.reason) world.expect(plan.mayBeRefused, `the cashier refused: ${result.reason}`);
  if (lies !== undefined) return lies;
  return tells ? result.errCode ?? undefined : undefined;
}

const never = () => new Promise(() => {});

/** One store of that way to pay; `world.plans` says what the customer does at each visit. */
export function weChatStore(world, process, way) {
  world.visits ??= [];
  const next = () => {
    world.sheets = (world.sheets ?? 0) + 1;
    world.restedAtSheet = process.rested;
    return world.plans.shift() ?? { action: "pay", tells: true };
  };
  /** A visit, and then the customer comes back, or not. */
  const pay = async (how) => {
    const plan = next();
    if (plan.meanwhile) await plan.meanwhile();
    const code = await visit(world, process, plan, how);
    if (plan.returns) world.purchasing.foreground().catch(() => {});
    return code;
  };
  switch (way) {
    case "JSAPI": {
      const invoke = (call, jsapi, back) => {
        world.expect(call === "getBrandWCPayRequest", `a page called ${call}`);
        pay({ jsapi }).then((code) => {
          const words = { 0: "ok", [-2]: "cancel" };
          if (code !== undefined) back({ err_msg: `get_brand_wcpay_request:${words[code] ?? "fail"}` });
        });
      };
      return jsapiStore({ window: { WeixinJSBridge: { invoke } }, appId: "wx0000000000000002" });
    }
    case "mini program": {
      const wx = {
        getDeviceInfo: () => ({ platform: "android" }),
        requestPayment: ({ success, fail, ...jsapi }) => {
          // WeChat knows a mini program's own id; the simulator wants to hear it.
          pay({ jsapi: { appId: "wx0000000000000002", ...jsapi } }).then((code) => {
            if (code === 0) success({ errMsg: "requestPayment:ok" });
            else if (code !== undefined) fail({ errMsg: `requestPayment:fail${code === -2 ? " cancel" : ""}` });
          });
        },
      };
      return miniProgramStore(wx);
    }
    case "NATIVE":
      return nativeStore({
        show: async (code_url, order) => {
          world.expect(order.weChatPay.codeUrl === code_url, "another code is shown");
          const code = await pay({ code_url });
          return code === -2 ? "closed" : undefined;
        },
      });
    case "H5":
      return h5Store({
        returnUrl: (order) => `https://shop.example.com/back?order=${order.id}`,
        leave: async (address) => {
          const url = new URL(address);
          const returned = encodeURIComponent(url.searchParams.get("redirect_url"));
          world.expect(address.endsWith(`&redirect_url=${returned}`), `the return page is not encoded: ${address}`);
          world.returnedTo = url.searchParams.get("redirect_url");
          await pay({ prepay_id: url.searchParams.get("prepay_id") });
          await never(); // the page is gone
        },
      });
    default:
      return openSDKStore({
        appId: "wx0000000000000001", platform: "android", isInstalled: () => true,
        pay: async (app) => {
          const errCode = await pay({ app });
          return errCode === undefined ? never() : { errCode };
        },
      });
  }
}

export const WAYS = ["APP", "JSAPI", "mini program", "H5", "NATIVE"];

/** What `purchase` must say besides the product. Behind a gateway, H5 has the payer's address from there. */
export const detailsOf = (way) =>
  way === "JSAPI" || way === "mini program" ? { openId: OPEN_ID } : way === "H5" ? { payerAddress: "203.0.113.9" } : {};
