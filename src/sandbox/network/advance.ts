import { makeOlder } from '../older.ts';
import { moveAccount, statusOf } from './accounts.ts';
import { type Account, equityOf, type World } from './world.ts';

const DAY_MS = 86_400_000;
/** See venues/network-validator.md#eliminations. */
const INACTIVE_MS = 60 * DAY_MS;

/** Lets time pass for all accounts of an entity. */
export function advanceNetwork(world: World, ms: number): void {
  for (const account of world.accounts.values()) advanceAccount(world, account, ms);
}

/**
 * Lets time pass for an account: its records become older. If it passed a midnight UTC, the baselines of its drawdown are taken
 * again; without an order for 60 days it is eliminated.
 */
export function advanceAccount(world: World, account: Account, ms: number): void {
  const day = dayOf(account);
  makeOlder(account, /(Ms|_ms)$/, ms);
  if (dayOf(account) !== day) endDay(account);
  if (statusOf(account) === 'active' && Date.now() - lastOrderMsOf(account) >= INACTIVE_MS)
    moveAccount(world, account, { elimination: 'INACTIVE' });
}

const dayOf = ({ createdMs }: Account) => Math.floor(createdMs / DAY_MS);

function endDay(account: Account): void {
  const equity = equityOf(account);
  account.closes = { dayOpen: equity, last: equity, highest: Math.max(account.closes.highest, equity) };
}

/** The time of an account's newest order, or of its creation. */
function lastOrderMsOf({ createdMs, open, closed, resting, ended, lastOrderMs }: Account): number {
  const executed = [...open.values(), ...closed].flatMap(({ orders }) => orders);
  const all = [...executed, ...resting.values(), ...ended].map(({ processedMs }) => processedMs);
  return Math.max(createdMs, ...lastOrderMs.values(), ...all);
}
