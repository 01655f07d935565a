import { noteSubaccountStatus } from '../../src/accounts/outcomes.ts';
import { carryOut } from '../../src/intents/carry-out.ts';
import type { Intent } from '../../src/intents/intent.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordPlacement } from '../../src/orders/outcomes.ts';
import { getSubaccountStatus } from '../../src/orders/queries.ts';
import type { Terms } from '../../src/orders/rules.ts';
import { placing } from '../../src/orders/signals.ts';
import { submit } from '../../src/orders/submit.ts';
import { brokenByNetworkOrder } from '../../src/portfolio/trades/guard.ts';
import type { WorkerRuntime } from '../../src/runtime.ts';
import { stillTrades } from '../../src/trading/queries.ts';

/** Sends one accepted order and records what the venue said. */
const place: Task = ({ intent_id }, runtime) =>
  carryOut(runtime, intent_id, {
    prepare: (intent) => prepare(intent, runtime),
    send: ({ signal }, limits, intent) => submit(runtime, intent, signal, limits),
    record: (intent, _sent, answer) => recordPlacement(runtime.db, intent, answer),
  });

export default place;

async function prepare(intent: Intent, runtime: WorkerRuntime) {
  const { trader, subaccount_id, terms } = intent.asked as { trader: string; subaccount_id: number; terms: Terms };
  const [activated, broken] = await Promise.all([
    isActivated(trader, runtime),
    brokenByNetworkOrder(runtime.reads, trader, terms),
  ]);
  if (!activated) return { notYet: { code: 'V1_TRADER_NOT_READY' } };
  if (broken) return { problem: broken };
  if (!(await stillTrades(runtime.db, intent.asked))) return { problem: { code: 'V2_ACCOUNT_NOT_TRADEABLE' } };
  return { send: { signal: placing(intent.id, subaccount_id, terms) } };
}

/** A fresh subaccount is pending until its collateral is burnt; until then the venue refuses its orders, for good. */
async function isActivated(trader: string, { db, venues }: WorkerRuntime): Promise<boolean> {
  if ((await getSubaccountStatus(db, trader)) !== 'pending') return true;
  const dashboard = await venues.netvenue.dashboard(trader);
  if (dashboard.kind !== 'found' || dashboard.said.status === 'pending') return false;
  await noteSubaccountStatus(db, trader, dashboard.said.status);
  return true;
}
