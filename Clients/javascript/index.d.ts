// What an app sees of this package. Tests/Tools hold it against the sources with `tsc --strict`.

export type Language = "en" | "zh";
export interface BilingualText { en: string; zh: string }
export type StoreName = "appStore" | "weChatPay";
export type TradeType = "APP" | "JSAPI" | "H5" | "NATIVE";
export type Verdict =
  | "fulfilled" | "fulfilledForAnother" | "held" | "unclaimed" | "refused" | "revoked" | "imported" | "pending"
  | "unpaid";

/** How a purchase stands when `purchase` returns. Cancelling is no error. The order is the support number. */
export type PurchaseOutcome =
  /** Granted, on the server's word. `recovered`: by an earlier payment; this tap charged nothing. */
  | { outcome: "fulfilled"; order: string; recovered: boolean }
  /** The customer cancelled, or the order was closed unpaid. A charge that appears later is granted all the same. */
  | { outcome: "cancelled"; order: string }
  /** Another person has to approve (Ask to Buy at the App Store). */
  | { outcome: "pendingApproval"; order: string }
  /** Not known yet. The client goes on asking, now and at each start. */
  | { outcome: "awaitingConfirmation"; order: string }
  /** The server judged the payment and did not grant it to this user: show how to reach support. */
  | { outcome: "notGranted"; order: string; verdict: string; reason: string | null };

/** New kinds may come: have a default. */
export type PurchaseEvent =
  | { event: "orderOpen"; order: string; productId: string; quantity: number }
  | { event: "openedWeChat"; order: string }
  | { event: "orderGranted"; order: string }
  | { event: "orderClosed"; order: string }
  | { event: "notConfirmed"; order: string }
  | { event: "slowCallback"; order: string }
  | { event: "fulfilled"; transaction: string; order: string | null }
  | { event: "notGranted"; transaction: string; verdict: string; reason: string | null }
  | { event: "orphan"; transaction: string }
  /** For developers: evidence that could not be kept; work in the background that failed. */
  | { event: "vaultFailed"; details: string }
  | { event: "workFailed"; details: string };

export type PurchasingErrorCode =
  | "client_configuration_invalid" | "client_not_running" | "client_not_signed_in" | "client_quantity_not_allowed"
  | "client_request_invalid" | "client_purchase_in_progress" | "client_earlier_purchase_undecided"
  | "client_vault_unavailable" | "client_vault_full" | "client_store_unavailable" | "client_store_failed"
  | "client_wechat_absent" | "client_wechat_not_installed" | "client_wechat_app_differs" | "client_wechat_failed"
  | "client_user_token_unavailable" | "client_user_differs" | "client_server_unreachable" | "client_server_refused"
  | "client_order_differs" | "client_purchase_abandoned";

/** Why a purchase did not begin or was refused. It never says whether something was charged. */
export class PurchasingError extends Error {
  constructor(
    code: PurchasingErrorCode, details?: string,
    more?: { weChatCode?: number; serverCode?: string; retryAfter?: number });
  /** Stable: compare this. */
  readonly code: PurchasingErrorCode;
  /** For a developer. */
  readonly details: string;
  /** WeChat's number, if WeChat failed. */
  readonly weChatCode: number | undefined;
  /** The server's own code, if the server refused. */
  readonly serverCode: string | undefined;
  /** Seconds after which a retry may succeed, if the server said so. */
  readonly retryAfter: number | undefined;
  readonly messageKey: string;
  /** For the customer: what happened, and what they can do. */
  text(language: Language): string;
}

/** An order as the server answers it. */
export interface Order {
  id: string;
  userId: string;
  productId: string;
  quantity: number;
  store: StoreName;
  state: "awaitingPayment" | "paid" | "closed";
  createdAt: string;
  expiresAt: string;
  closeReason?: string;
  lastVerdict?: { verdict: string; reason?: string; at: string };
  appStore?: { productId: string; appAccountToken: string };
  weChatPay?: WeChatParameters;
}

/** What the server signed for WeChat: by trade type some of these. */
export interface WeChatParameters {
  appId?: string;
  partnerId?: string;
  prepayId?: string;
  packageValue?: string;
  package?: string;
  nonceStr?: string;
  timeStamp?: string | number;
  sign?: string;
  signType?: string;
  paySign?: string;
  extData?: string;
  h5Url?: string;
  codeUrl?: string;
}

/** What WeChat said: a hint, never proof. 0 done, -1 error, -2 the customer left. */
export interface WeChatHint { errCode: number; errStr?: string }

/** A way to pay at WeChat Pay. The functions below make one; an app may write its own. */
export interface WeChatStore {
  readonly name: "weChatPay";
  readonly tradeType: TradeType;
  /** The customer's platform, as the server's rule about virtual goods wants it: "ios", "android", "web". */
  readonly platform: string;
  /** If it is stated, orders for another app at WeChat are not opened. */
  readonly appId?: string;
  isAvailable?(): boolean | Promise<boolean>;
  /** Opens the cashier. It may answer at once, late or never: nothing waits for it. */
  open(parameters: WeChatParameters, order: Order): Promise<WeChatHint | undefined | void>;
}

/** A transaction of the App Store. `evidence` is Apple's signed transaction, or a receipt. */
export interface StoreTransaction {
  state: "purchased" | "failed" | "deferred";
  transactionId?: string;
  productId: string;
  quantity: number;
  /** `appAccountToken`, if Apple shows it. */
  token?: string | null;
  /** Milliseconds since 1970. */
  purchaseDate?: number;
  evidence?: string;
  isCancelled?: boolean;
}

/** The App Store's queue on this device: a bridge to StoreKit, in React Native. */
export interface AppStoreQueue {
  readonly name: "appStore";
  readonly platform: string;
  /** `AppStore.deviceVerificationID`. */
  readonly deviceVerificationId?: string;
  /** Opens the sheet with `order.appStore.appAccountToken`; resolves with what the store says, perhaps nothing. */
  pay(order: Order): Promise<StoreTransaction[]>;
  /** All transactions that are not finished. */
  unfinished(): StoreTransaction[] | Promise<StoreTransaction[]>;
  finish(transaction: StoreTransaction): void | Promise<void>;
}

export type Store = WeChatStore | AppStoreQueue;

/** Where the records are kept: one text, replaced as a whole. */
export interface Vault {
  read(): string | null | Promise<string | null>;
  write(text: string): void | Promise<void>;
  /** Runs work while nobody else uses the same storage, if the platform can do that. */
  exclusively?(run: () => Promise<any>): Promise<any>;
}

export interface HTTPAnswer { status: number; text: string; contentType?: string | null; retryAfter?: string | null }

/** Seconds. */
export interface Policies {
  requestLimit: number;
  verificationPauses: number[];
  orderPauses: number[];
  purchaseLimit: number;
  recoveryLimit: number;
  silenceLimit: number;
  storeLimit: number;
  waitSeconds: number;
  weChatLooks: number[];
  looksAfterFailure: number[];
}

/** What the client needs of the world. */
export interface Dependencies {
  request(
    method: string, url: string, headers: Record<string, string>, body: string | undefined, seconds: number
  ): Promise<HTTPAnswer>;
  sleep(seconds: number): Promise<unknown>;
  within<T>(seconds: number, work: Promise<T>): Promise<T | undefined>;
  /** A text that is used once: 16 to 255 random characters. */
  newKey(): string;
  /** Milliseconds since 1970. */
  now(): number;
}

export interface Configuration {
  /** The address of the server, or of the team's own gateway. */
  server: string;
  /** A token of that user, from your backend. `wasRefused`: the server refused the one before. */
  userToken(user: string, about: { wasRefused: boolean }): string | Promise<string>;
  /** Lets evidence be submitted while nobody is signed in. */
  publishableKey?: string;
  vault: Vault;
  /** At most one of each name. The first is used unless `purchase` names another. */
  stores: Store[];
  language?: Language;
  /** The app's own texts, by the names in `messages`. */
  messages?: Record<string, BilingualText>;
  policies?: Partial<Policies>;
  dependencies?: Partial<Dependencies>;
}

export interface PurchaseDetails {
  /** 1 to 10; default 1. */
  quantity?: number;
  store?: StoreName;
  /** The payer's `openid`: JSAPI needs it. */
  openId?: string;
  /** The payer's public IP address, for H5 through a gateway; otherwise the server takes the connection's. */
  payerAddress?: string;
  platform?: string;
  scene?: string;
  /** The app's own number. A backend must not book by it. */
  reference?: string;
  metadata?: Record<string, unknown>;
}

export interface OpenOrder { order: string; store: StoreName; productId: string; quantity: number; phase: string }

export type RecoveryReason = "launch" | "foreground" | "link" | "networkBack" | "userAsked" | "push";

export interface Purchasing {
  /** Once, at launch: completes what an earlier run left open. */
  start(): Promise<void>;
  /** Ends the waits of callers. Orders stay; the next start goes on. */
  stop(): Promise<void>;
  /** At each sign-in; null at sign-out. */
  setUser(user: string | null): Promise<void>;
  /** Buys a product. The second of two equal taps joins the first. */
  purchase(product: string, details?: PurchaseDetails): Promise<PurchaseOutcome>;
  /** What became of an order whose page was left (H5): of that one, or of the last; null if none is open. */
  purchaseResult(order?: string): Promise<PurchaseOutcome | null>;
  /** The customer is back: ends waits at once, and asks the server. */
  foreground(): Promise<void>;
  recover(reason?: RecoveryReason): Promise<void>;
  /** Every transaction that the App Store reports outside `pay`. */
  received(transaction: StoreTransaction): Promise<void>;
  openOrders(): Promise<OpenOrder[]>;
  products(): Promise<Record<string, unknown>[]>;
  entitlements(): Promise<Record<string, unknown>[]>;
  balances(): Promise<Record<string, unknown>[]>;
  /** The words for the customer. */
  message(about: PurchaseOutcome | PurchaseEvent | PurchasingError, language?: Language): string;
  /** Returns what stops listening. */
  listen(listener: (event: PurchaseEvent) => void): () => void;
  /** Resolves when nothing goes on in the background. */
  whenIdle(): Promise<void>;
}

export function createPurchasing(configuration: Configuration): Purchasing;

/** The default texts, by their names. */
export const messages: Record<string, BilingualText>;

export interface JSAPISettings { appId?: string; platform?: string; window?: unknown }
export interface H5Settings {
  /** Where WeChat returns to; a function can put the order's id into it. */
  returnUrl: string | ((order: Order) => string);
  /** Leaves the page; default: `location.assign`. */
  leave?: (address: string) => unknown;
  platform?: string;
}
export interface NativeSettings {
  /** Shows `codeUrl` as a QR code. Resolves with "closed" if the customer closes it. */
  show: (codeUrl: string, order: Order) => unknown;
  platform?: string;
}
export interface OpenSDKSettings {
  appId: string;
  platform: string;
  isInstalled: () => boolean | Promise<boolean>;
  pay: (parameters: WeChatParameters) => Promise<WeChatHint | undefined | void>;
}

/** The part of a mini program's `wx` that is used. */
export interface MiniProgram {
  requestPayment(call: any): unknown;
  request(call: any): unknown;
  getStorageSync(name: string): any;
  setStorageSync(name: string, value: string): void;
  getDeviceInfo?(): { platform: string };
  getSystemInfoSync?(): { platform: string };
}

export function jsapiStore(settings?: JSAPISettings): WeChatStore;
export function miniProgramStore(wx: MiniProgram, settings?: { appId?: string; platform?: string }): WeChatStore;
export function h5Store(settings: H5Settings): WeChatStore;
export function nativeStore(settings: NativeSettings): WeChatStore;
export function openSDKStore(settings: OpenSDKSettings): WeChatStore;
export function miniProgramRequest(wx: MiniProgram): Dependencies["request"];
export function localStorageVault(name?: string, storage?: Storage): Vault;
export function miniProgramVault(wx: MiniProgram, name?: string): Vault;
