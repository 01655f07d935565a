import type { Action } from '../../../src/adapters/exvenue/types.ts';
import { carryOut } from '../../../src/intents/carry-out.ts';
import type { Intent } from '../../../src/intents/intent.ts';
import type { Task } from '../../../src/intents/task.ts';
import { placing } from '../../../src/orders/exvenue/actions.ts';
import type { PlaceAsked } from '../../../src/orders/exvenue/intents.ts';
import { readMarket } from '../../../src/orders/exvenue/markets.ts';
import { recordExchangeOrder } from '../../../src/orders/exvenue/outcomes.ts';
import { exchangeCarrier, postOrder, sentOrder } from '../../../src/orders/exvenue/posting.ts';
import { signWith } from '../../../src/orders/exvenue/signing.ts';
import { brokenByExchangeOrder } from '../../../src/portfolio/trades/guard.ts';
import type { WorkerRuntime } from '../../../src/runtime.ts';

/** Signs and sends one accepted order, its leverage first where asked, and records what the exchange said. */
const place: Task = ({ intent_id }, runtime) =>
  carryOut(exchangeCarrier(runtime), intent_id, {
    prepare: (intent) => prepare(intent, runtime),
    send: (sent, limits) => postOrder(runtime.exvenue, sent, limits),
    record: (intent, sent, answer) => recordExchangeOrder(runtime.db, intent, sent, answer),
  });

export default place;

async function prepare(intent: Intent, runtime: WorkerRuntime) {
  const { terms, wallet } = intent.asked as PlaceAsked;
  const [market, broken] = await Promise.all([
    readMarket(runtime.exvenue, terms.pair),
    terms.reduce_only ? null : brokenByExchangeOrder(runtime.reads, wallet),
  ]);
  if (broken) return { problem: broken };
  if ('problem' in market || 'notYet' in market) return market;
  const placed = placing(intent.id, terms, market.asset, market.mid);
  if ('problem' in placed) return placed;
  const leverage: Action[] = terms.leverage === null ? [] : [leverageOf(market.asset.id, terms)];
  const signed = await signWith(runtime, intent.owner, wallet, [...leverage, placed.action]);
  if ('problem' in signed || 'notYet' in signed) return signed;
  return { send: { ...signed, ...sentOrder(intent.id, market.asset.coin, placed.action) } };
}

const leverageOf = (asset: number, { leverage, is_cross }: PlaceAsked['terms']): Action => ({
  kind: 'set_leverage',
  asset,
  leverage: leverage ?? 1,
  isCross: is_cross,
});
