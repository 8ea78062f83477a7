// Types inside the package. What an app sees stands in ../index.d.ts.
import type {
  Configuration, Dependencies, Order, Policies, PurchaseEvent, PurchaseOutcome, Store, StoreTransaction,
} from "../index";
import type { PurchasingError } from "./errors.js";

/** What is asked of the server: the body of `POST /v1/orders`. */
export type OrderRequest = Record<string, unknown> & { productId: string; quantity: number; store: Store["name"] };

/** A record of an order, under its idempotency key, which exists before the order does. */
export interface OrderRecord {
  user: string;
  productId: string;
  quantity: number;
  state: "requested" | "created" | "paying" | "failedOnce" | "deferred";
  order: Order | null;
  /** The request, to repeat it unchanged. Records of the earlier example file have none. */
  body?: OrderRequest;
  /** Whether the server knows that an approval is pending. */
  approvalTold?: boolean;
  /** Milliseconds since 1970, by this device. */
  writtenAt?: number;
}

export interface Evidence extends Omit<StoreTransaction, "state"> {
  evidence: string;
  /** The product's own name, if an order of this device fits. */
  ours?: string | null;
  /** The order whose sheet was open in the same run. */
  sameRun?: string | null;
  /** The verdict with which it was set aside. */
  verdict: string | null;
}

export interface Kept {
  version: number;
  orders: Record<string, OrderRecord>;
  evidence: Record<string, Evidence>;
  usersKnown: string[];
}

/** What is known of a transaction's submission in this run. */
export interface Judged {
  verdict: string;
  reason: string | null;
  finish: boolean;
  orderId: string | null;
  asker: string | null;
}

export interface Flow {
  user: string;
  body: OrderRequest;
  store: Store;
  promise: Promise<PurchaseOutcome>;
  key: string | null;
  order: Order | null;
  isPaying: boolean;
  isDecided: boolean;
  isBack: boolean;
  code: number | null;
  /** Ends a wait for the customer's return. */
  wake: () => void;
  decide: (result: PurchaseOutcome | PurchasingError) => void;
  release: () => void;
}

export type Reply =
  | { kind: "answered"; answer: any }
  | { kind: "refused"; status: number; serverCode: string; details: string }
  | { kind: "unknown"; details: string; retryAfter?: number }
  | { kind: "noCredential"; details: string };

/** The parts of one client, handed from module to module. */
export interface Context {
  configuration: Configuration;
  policies: Policies;
  dependencies: Dependencies;
  records: ReturnType<typeof import("./vault.js").makeRecords>;
  claims: ReturnType<typeof import("./claims.js").makeClaims>;
  flows: Set<Flow>;
  user: string | null;
  isRunning: boolean;
  /** What the server said when a record ended, by order id. */
  ended: Map<string, Order>;
  /** Transactions that this run has asked about, by their ids. */
  judged: Map<string, Judged>;
  submissions: Map<string, Promise<void>>;
  isLaunching: boolean;
  emit: (event: PurchaseEvent) => void;
  /** Runs work that nobody waits for. */
  inBackground: (work: () => Promise<unknown>) => void;
}
