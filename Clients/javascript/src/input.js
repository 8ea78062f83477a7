import { PurchasingError } from "./errors.js";

/** @typedef {import("../index").PurchaseDetails} PurchaseDetails */
/** @typedef {import("../index").Configuration} Configuration */

const QUANTITY_MAX = 10;
const METADATA_BYTES_MAX = 2048;

/**
 * Bytes of a text in UTF-8.
 *
 * @param {string} text
 */
export function bytesOf(text) {
  let count = 0;
  for (const character of text) {
    const scalar = /** @type {number} */ (character.codePointAt(0));
    count += scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4;
  }
  return count;
}

/** @param {unknown} value @returns {value is Record<string, any>} */
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value @param {number} bytesMax @returns {value is string} */
export const isText = (value, bytesMax) =>
  typeof value === "string" && value.length > 0 && value.length <= bytesMax && bytesOf(value) <= bytesMax;

/**
 * A user's name, as the server takes it.
 *
 * @param {unknown} user
 * @returns {user is string}
 */
export const isUser = (user) =>
  isText(user, 255) && user !== "." && user !== ".." && !/[\u0000-\u001f\u007f-\u009f]/.test(user);

/** @param {unknown} id @returns {id is string} */
export const isOrderId = (id) =>
  typeof id === "string" && /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id);

/**
 * Whether an address is safe to send tokens to: encrypted, or on this machine.
 *
 * @param {unknown} address
 */
const isAddress = (address) =>
  isText(address, 2048) &&
  (/^https:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(address) ||
    /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(\/[^\s?#]*)?$/.test(address));

/** @param {unknown} configuration @returns {asserts configuration is Configuration} */
export function checkConfiguration(configuration) {
  /** @param {boolean} holds @param {string} details */
  const need = (holds, details) => {
    if (!holds) throw new PurchasingError("client_configuration_invalid", details);
  };
  need(isObject(configuration), "Hand an object to createPurchasing.");
  const { server, userToken, vault, stores, language, policies, dependencies, publishableKey, messages } =
    /** @type {Record<string, any>} */ (configuration);
  need(isAddress(server), "server must be an https address, or http on localhost, without a query.");
  need(typeof userToken === "function", "userToken must be a function.");
  need(isObject(vault) && typeof vault.read === "function" && typeof vault.write === "function",
    "vault must have read and write.");
  need(Array.isArray(stores) && stores.length > 0 && stores.length <= 2 && stores.every(isStore),
    "stores must list one or two stores, made by this package or alike.");
  need(new Set(stores.map((/** @type {any} */ one) => one.name)).size === stores.length,
    "stores has two stores of one name.");
  need(language === undefined || language === "en" || language === "zh", 'language must be "en" or "zh".');
  need(publishableKey === undefined || isText(publishableKey, 255), "publishableKey must be a text.");
  need(policies === undefined || isObject(policies), "policies must be an object.");
  need(dependencies === undefined || (isObject(dependencies)
    && Object.values(dependencies).every((one) => typeof one === "function")), "dependencies must be functions.");
  need(messages === undefined || (isObject(messages)
    && Object.values(messages).every((one) => isText(one?.en, 2000) && isText(one?.zh, 2000))),
    'messages must have "en" and "zh" for each name.');
  for (const [name, value] of Object.entries(policies ?? {})) {
    const times = Array.isArray(value) ? value : [value];
    need(times.length > 0 && times.every((one) => Number.isFinite(one) && one >= 0 && one <= 86_400),
      `policies.${name} must be seconds.`);
  }
}

/** @param {any} store */
function isStore(store) {
  if (!isObject(store) || !isText(store.platform, 64)) return false;
  if (store.name === "weChatPay") {
    return ["APP", "JSAPI", "H5", "NATIVE"].includes(store.tradeType) && typeof store.open === "function";
  }
  return store.name === "appStore" && ["pay", "unfinished", "finish"].every((one) => typeof store[one] === "function");
}

/** @param {unknown} product @param {unknown} details @returns {asserts details is PurchaseDetails} */
export function checkPurchase(product, details) {
  /** @param {boolean} holds @param {string} words */
  const need = (holds, words) => {
    if (!holds) throw new PurchasingError("client_request_invalid", words);
  };
  need(isText(product, 255), "The product must be a text of 1 to 255 bytes.");
  need(isObject(details), "The details must be an object.");
  const { quantity, store, scene, reference, metadata, openId, payerAddress, platform, ...others } =
    /** @type {Record<string, any>} */ (details);
  need(Object.keys(others).length === 0, `There is no detail ${Object.keys(others).join(", ").slice(0, 200)}.`);
  if (quantity !== undefined && !(Number.isInteger(quantity) && quantity >= 1 && quantity <= QUANTITY_MAX)) {
    throw new PurchasingError("client_quantity_not_allowed", `${String(quantity).slice(0, 40)} is not in 1 to 10.`);
  }
  need(store === undefined || store === "appStore" || store === "weChatPay", "There is no such store.");
  need(scene === undefined || isText(scene, 64), "scene must be a text of 1 to 64 bytes.");
  need(openId === undefined || isText(openId, 128), "openId must be a text of 1 to 128 bytes.");
  need(payerAddress === undefined || isText(payerAddress, 45), "payerAddress must be an IP address.");
  need(platform === undefined || isText(platform, 64), "platform must be a text of 1 to 64 bytes.");
  need(reference === undefined || (isText(reference, 256) && [...reference].length <= 64 && reference !== "."
    && reference !== ".." && !/[\u0000-\u001f\u007f/]/.test(reference)),
    "reference must be a text of 1 to 64 characters without a slash.");
  need(metadata === undefined || isMetadata(metadata), "metadata must be an object of at most 2,048 bytes as JSON.");
}

/** @param {unknown} metadata */
function isMetadata(metadata) {
  if (!isObject(metadata)) return false;
  try {
    const text = JSON.stringify(metadata);
    return text.length <= METADATA_BYTES_MAX && bytesOf(text) <= METADATA_BYTES_MAX;
  } catch {
    return false; // it refers to itself, or holds what JSON cannot carry
  }
}

/**
 * A transaction that a bridge hands in.
 *
 * @param {any} one
 * @returns {one is import("../index").StoreTransaction}
 */
export function isTransaction(one) {
  if (!isObject(one) || !["purchased", "failed", "deferred"].includes(one.state)) return false;
  if (one.token !== undefined && one.token !== null && typeof one.token !== "string") return false;
  if (!isText(one.productId, 255) || !Number.isInteger(one.quantity)) return false;
  return one.state !== "purchased" || (isText(one.transactionId, 64) && isText(one.evidence, 256 * 1024));
}
