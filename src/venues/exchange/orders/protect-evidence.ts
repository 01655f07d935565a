import type { Finding } from '../../../intents/define.ts';
import { dexOf, legCloid } from '../../../kernel/exchange-names.ts';
import type { IntentId, WalletAddress } from '../../../kernel/ids.ts';
import { accepted, recordedRejection, unknownEffect } from '../../../kernel/upstream-result.ts';
import type { Exvenue, OrderRecord } from '../adapter/types.ts';
import { ABSENT, REJECTED } from './evidence.ts';
import { exitsOn } from './exits.ts';
import { URGENT } from './market.ts';
import type { PlannedExit } from './plans/queries.ts';
import { type ExitPrices, type Leg, legsOf } from './rules.ts';

/** The exchange's order numbers of new exits. A rejected leg is missing. */
export type PlacedExits = Partial<Record<Leg, number>>;
/** New exits, those of them that were cancelled since, and the older ones that rested beside them. */
export type FoundExits = { placed: PlacedExits; cancelled: Leg[]; older: PlannedExit[] };
/** `isSettled`: every read shows the effect of what was sent. */
type Sought = ExitPrices & { account: WalletAddress; coin: string; isSettled: boolean };

/**
 * Finds the exits of an intent by their cloids. They were sent in one action, so one found exit proves that the action was executed.
 * Another one was rejected if its record says so, or if there is none once reads can no longer be behind. The list of open orders,
 * read after that, shows exits that rested before them and that an earlier read may have missed: reads may be behind.
 */
export async function findExits(
  exvenue: Exvenue,
  intentId: IntentId,
  { account, coin, isSettled, ...prices }: Sought,
): Promise<Finding<FoundExits>> {
  const records: { leg: Leg; record: OrderRecord }[] = [];
  for (const leg of legsOf(prices)) {
    const status = await exvenue.orderStatus(account, legCloid(intentId, leg), URGENT);
    if (status.kind === 'unreadable') return unknownEffect(status.why);
    if (status.kind === 'found' && status.data.state === 'unknown')
      return unknownEffect(`the exchange's status of an exit is ${status.data.word}`);
    if (status.kind === 'found') records.push({ leg, record: status.data });
  }
  const isComplete = records.length === legsOf(prices).length;
  const resting = records.filter(({ record }) => record.state !== 'rejected');
  const [first] = resting.map(({ record }) => record.order);
  const [rejection] = records.map(({ record }) => record);
  if (!first) return isComplete && rejection ? recordedRejection(rejection.rejected ?? REJECTED) : ABSENT;
  if (!isComplete && !isSettled) return unknownEffect('an exit is not shown yet');
  const placed: PlacedExits = Object.fromEntries(resting.map(({ leg, record }) => [leg, record.order.oid]));
  const open = await exvenue.openOrders(account, dexOf(coin), URGENT);
  if (open.kind === 'unreadable') return unknownEffect(open.why);
  const before = Math.min(...Object.values(placed));
  const protecting = exitsOn(open.data, { coin, side: first.side }); // all are on the closing side
  return accepted({
    placed,
    cancelled: resting.filter(({ record }) => record.state === 'cancelled').map(({ leg }) => leg),
    older: protecting.filter(({ oid }) => oid < before).map(({ leg, oid }) => ({ leg, oid: String(oid) })),
  });
}
