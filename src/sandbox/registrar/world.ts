import type { Fault, Faults } from '../faults.ts';
import type { Ledger } from '../ledger.ts';
import type { PayChain } from './chain.ts';
import { magicOf, type Step } from './magic.ts';

/** An account a miner sells, priced in USDC. */
export type SoldTier = { accountSize: number; priceUsdc: string };

/** A registration as the registrar wrote it down. `refusals`: how often the miner refuses before it makes the account. */
type Row = { exAddress: string; accountSize: number; txHash: string; registered: boolean; writtenMs: number };

/** What the registrar knows. Rows by address in lower case; proofs of wallets are taken once. */
export type World = {
  chain: PayChain;
  ledger: Ledger;
  faults: Faults;
  minerSlug: string;
  payTo: `0x${string}`;
  tiers: readonly SoldTier[];
  wantsProof: boolean;
  miningMs: number;
  hiddenMs: number;
  rows: Map<string, Row>;
  proofs: Set<string>;
};

/**
 * What strikes this step of a registration: a fault scripted for the route `register/<step>`, or the magic of its e-mail. `verify`:
 * refuse, status_500 (the facilitator is down), reset, late. `settle`: status_500 (nothing moves), reset, late (moves after delayMs,
 * answered as a failure), accept_then_drop. `record`: status_500 (paid, not recorded), reset. `miner`: refuse (recorded as pending).
 * `answer`: any kind drops it.
 */
export const strikes = ({ faults }: World, step: Step, email: string): Fault | null => {
  const magic = magicOf(email);
  return faults.next(`register/${step}`) ?? (magic?.step === step ? { kind: magic.kind } : null);
};
