/*
 * What the processes of the service share of an upstream. Adapters use it; the database keeps it.
 */

/**
 * The size of a token bucket: its capacity, and how many tokens are added per second. `allowance`: what a tenant may have spent
 * beyond its share before it leaves a part to others; absent: no tenants share it.
 */
export type Bucket = { burst: number; perSecond: number; allowance?: number };

/** A weight to spend for a tenant. What must remain: `keep` for more urgent calls, and `spare` for other tenants. `allowance`: instead of the bucket's. */
export type Demand = { weight: number; keep: number; spare: number; tenant: string; allowance?: number };

/** The spent and the free part of a request budget: a token bucket. Rejects if it cannot be reached. */
export type BudgetLedger = {
  /**
   * Spends weights in order. A weight is covered if `keep` remains after it, and `spare` in addition if its tenant has
   * lately spent more than its share. After one that is not covered, only weights that must leave less are spent.
   * Resolves to the positions of those that were spent, and to the time until another one may be; 0 if all were. A
   * weight above the capacity is covered when the bucket is full.
   */
  spend(asked: Demand[]): Promise<{ spent: number[]; waitMs: number }>;
  /** Takes tokens, even more than there are; a negative weight gives tokens back. */
  charge(weight: number): Promise<void>;
  /** Empties the bucket and stops refilling it for `ms`. */
  halt(ms: number): Promise<void>;
  /** Whether such a pause is not over. */
  isHalted(): Promise<boolean>;
};

/** Slots for requests at an upstream that works on few at once. */
export type SharedSlots = {
  /** How many there are, over all processes. */
  count: number;
  /** Takes one for at most `forMs`. Null: all are taken. Rejects if the database cannot be reached. */
  take(forMs: number): Promise<string | null>;
  /** Holds one for `forMs` from now on. False: it is no longer held, and somebody else may have it. */
  hold(lease: string, forMs: number): Promise<boolean>;
  /** Releases one. */
  release(lease: string): Promise<void>;
};

/** The last responses of reads that change seldom, by name. They outlive the process. */
export type ResponseCache = {
  find(name: string): Promise<{ body: unknown; ageMs: number } | null>;
  keep(name: string, body: unknown): Promise<void>;
};

/** The latest calls of one kind to an upstream: whether the last one had a response, and since when that has been so. */
export type Reach = {
  upstream: string;
  call: string;
  is_reachable: boolean;
  sinceMs: number;
  calledAtMs: number;
  /** The last call that had a response; null: none. */
  succeededAtMs: number | null;
  /** Why the last call had no response; null if it had one. */
  error: string | null;
};
