import { messages } from "./messages.js";

/** @typedef {import("../index").PurchasingErrorCode} PurchasingErrorCode */

/** @type {Record<number, string>} */
const weChatNames = {
  0: "done", [-1]: "failed", [-2]: "cancelled", [-3]: "notSent", [-4]: "denied", [-5]: "unsupported",
};

/** @param {number} code */
export const weChatMessage = (code) => "weChat." + (weChatNames[code] ?? "unknown");

/**
 * Why a purchase did not begin or was refused. It never says whether something was charged: only the server knows.
 * Compare `code`; `text("en")` and `text("zh")` are for the customer, `details` is for a developer.
 */
export class PurchasingError extends Error {
  /**
   * @param {PurchasingErrorCode} code
   * @param {string} [details]
   * @param {{ weChatCode?: number, serverCode?: string, retryAfter?: number }} [more]
   */
  constructor(code, details = "", more = {}) {
    super([`${code}: ${messages["error." + code].en}`, details].filter((part) => part).join(" "));
    this.name = "PurchasingError";
    this.code = code;
    this.details = details;
    this.weChatCode = more.weChatCode;
    this.serverCode = more.serverCode;
    this.retryAfter = more.retryAfter;
  }

  get messageKey() {
    return this.weChatCode === undefined ? "error." + this.code : weChatMessage(this.weChatCode);
  }

  /** @param {import("../index").Language} language */
  text(language) {
    return messages[this.messageKey][language];
  }
}

/**
 * The words of anything that was thrown.
 *
 * @param {unknown} thrown
 */
export const explanation = (thrown) => (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 500);
