import type { Bucket, BudgetLedger, ResponseCache } from '../../../kernel/shared-upstream.ts';
import type { Network } from './types.ts';

/** Address of the exchange and its network. A signature for one network is invalid on the other. */
export type ExvenueAccess = {
  url: string;
  network: Network;
  /** The venue's request budget, in weight per minute. Default: the documented limit for one IP address. */
  budgetPerMinute?: number | undefined;
  /** How far reads may be behind the exchange's stream. Null: no process follows it. Default: null. */
  streamLagMs?: number | null;
  /**
   * `actions`: how many requests of exits may be outstanding at once, and as many of entries. `reads`: how many verbs of each may wait for the budget
   * of their reads. Absent: any number.
   */
  most?: { actions: number; reads: number } | undefined;
  /** What the processes share. Default: the process keeps a budget and responses of its own. */
  shared?: { ledger(bucket: Bucket): BudgetLedger; responses: ResponseCache };
};
