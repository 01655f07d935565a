import type { Fault, Faults } from '../faults.ts';
import type { Ledger } from '../ledger.ts';
import type { PayChain } from './chain.ts';
import { magicOf, type Step } from './magic.ts';

/** An account that a miner sells, priced in USDC. */
export type SoldTier = { accountSize: number; priceUsdc: string };

/** A recorded registration. `registered`: whether the miner has created the account. */
type Row = { exAddress: string; accountSize: number; txHash: string; registered: boolean; writtenMs: number };

/** The status of an account that this registrar did not sell, or of one that has ended. */
export type Earlier = 'active' | 'pending' | 'failed' | 'eliminated' | 'inactive' | 'deregistered';

/** State of the registrar. Rows are keyed by address in lower case. `proofs` holds the proofs that were used. */
export type World = {
  chain: PayChain;
  ledger: Ledger;
  faults: Faults;
  minerSlug: string;
  payTo: `0x${string}`;
  tiers: readonly SoldTier[];
  wantsProof: boolean;
  miningMs: number;
  invisibleMs: number;
  rows: Map<string, Row>;
  proofs: Set<string>;
  /** Has the account that was sold created at the network. */
  create(account: Pick<Row, 'exAddress' | 'accountSize'>): void;
  /** Accounts that other miners created, or that have ended: the status of an address until its new account is there. */
  earlier: Map<string, Earlier>;
};

/**
 * The fault at this step of a registration: one scripted for the route `register/<step>`, or the one its e-mail
 * triggers. `verify`: reject, status_500 (the facilitator is down), reset, late. `settle`: status_500 (no transfer),
 * reset, late (transfer after delayMs, reported as a failure), accept_then_drop. `record`: status_500 (paid, not
 * recorded), reset. `miner`: reject (recorded as pending). `response`: any kind drops the response.
 */
export const strikes = ({ faults }: World, step: Step, email: string): Fault | null => {
  const magic = magicOf(email);
  return faults.next(`register/${step}`) ?? (magic?.step === step ? { kind: magic.kind } : null);
};
