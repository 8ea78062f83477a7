import { PurchasingError, explanation } from "./errors.js";
import { isObject } from "./input.js";

/** @typedef {import("./types").Context} Context */
/** @typedef {import("./types").Reply} Reply */

const RETRY_AFTER_MAX = 3600; // seconds: a wrong clock must not silence a client for ever

/**
 * Asks the server as a user, or with the publishable key. Only `answered` and `refused` are facts.
 *
 * @param {Context} context
 * @param {string | null} user
 * @param {string} method
 * @param {string} path
 * @param {{ body?: unknown, key?: string, wait?: number }} [more]
 * @returns {Promise<Reply>}
 */
export async function ask(context, user, method, path, more = {}) {
  const first = await attempt(context, user, method, path, more, false);
  const wasRefused = first.kind === "refused" && first.status === 401 && user !== null;
  return wasRefused ? attempt(context, user, method, path, more, true) : first;
}

/**
 * @param {Context} context
 * @param {string | null} user
 * @param {string} method
 * @param {string} path
 * @param {{ body?: unknown, key?: string, wait?: number }} more
 * @param {boolean} wasRefused
 * @returns {Promise<Reply>}
 */
async function attempt(context, user, method, path, { body, key, wait = 0 }, wasRefused) {
  const { configuration, dependencies, policies } = context;
  let token;
  try {
    token = user === null
      ? configuration.publishableKey
      : await dependencies.within(policies.requestLimit,
        Promise.resolve(configuration.userToken(user, { wasRefused })));
  } catch (error) {
    return { kind: "noCredential", details: explanation(error) };
  }
  // A line break in a header could smuggle another one in.
  if (typeof token !== "string" || !/^[\x21-\x7e]{1,8192}$/.test(token)) {
    return { kind: "noCredential", details: "userToken gave no token of visible ASCII characters." };
  }
  /** @type {Record<string, string>} */
  const headers = { Authorization: `Bearer ${token}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key !== undefined) headers["Idempotency-Key"] = key;
  const seconds = policies.requestLimit + wait;
  try {
    const url = configuration.server.replace(/\/$/, "") + path;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await dependencies.within(seconds, dependencies.request(method, url, headers, text, seconds));
    if (!answer) return { kind: "unknown", details: "The server did not answer in time." };
    return read(answer);
  } catch (error) {
    return { kind: "unknown", details: explanation(error) };
  }
}

/**
 * Anything that the server itself did not clearly write is unknown: gateways, captive portals and proxies on the way
 * answer 200 and 404 too.
 *
 * @param {import("../index").HTTPAnswer} answer
 * @returns {Reply}
 */
function read({ status, text, contentType, retryAfter }) {
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    return { kind: "unknown", details: `An answer with status ${status} is not JSON.`, retryAfter: pause(retryAfter) };
  }
  if (!isObject(json)) return { kind: "unknown", details: `An answer with status ${status} is no object.` };
  if (status >= 200 && status <= 299) return { kind: "answered", answer: json };
  const isProblem = typeof contentType === "string" && contentType.toLowerCase().startsWith("application/problem+json");
  const isFinal = status >= 400 && status <= 499 && ![408, 425, 429].includes(status);
  if (!isProblem || typeof json.code !== "string" || !isFinal) {
    return { kind: "unknown", details: `The server answered ${status}.`, retryAfter: pause(retryAfter) };
  }
  const words = [json.title, json.detail, json.remedy].filter((one) => typeof one === "string").join(" ");
  return { kind: "refused", status, serverCode: json.code.slice(0, 100), details: words.slice(0, 500) };
}

/** @param {string | null | undefined} text */
function pause(text) {
  const seconds = /^\d{1,6}$/.test(text ?? "") ? Number(text) : undefined;
  return seconds === undefined ? undefined : Math.min(seconds, RETRY_AFTER_MAX);
}

/**
 * The answer, or the error that a waiting customer is told.
 *
 * @param {Reply} reply
 * @returns {any}
 */
export function must(reply) {
  switch (reply.kind) {
    case "answered": return reply.answer;
    case "noCredential": throw new PurchasingError("client_user_token_unavailable", reply.details);
    case "refused": {
      const isToken = reply.status === 401 || reply.status === 403;
      const code = isToken ? "client_user_token_unavailable" : "client_server_refused";
      throw new PurchasingError(code, `${reply.serverCode}: ${reply.details}`, { serverCode: reply.serverCode });
    }
    case "unknown":
      throw new PurchasingError("client_server_unreachable", reply.details, { retryAfter: reply.retryAfter });
  }
}

/**
 * Whether an answer is an order that this client can read.
 *
 * @param {any} order
 * @returns {order is import("../index").Order}
 */
export const isOrder = (order) =>
  isObject(order) && typeof order.id === "string" && /^[0-9a-f-]{36}$/.test(order.id)
  && typeof order.productId === "string" && Number.isInteger(order.quantity)
  && ["awaitingPayment", "paid", "closed"].includes(order.state) && typeof order.store === "string";
