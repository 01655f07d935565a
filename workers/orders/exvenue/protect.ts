import { carryOut } from '../../../src/intents/carry-out.ts';
import type { Intent } from '../../../src/intents/intent.ts';
import { doubt } from '../../../src/intents/settle.ts';
import type { Task } from '../../../src/intents/task.ts';
import { absolute, isPositive } from '../../../src/kernel/decimals.ts';
import { exiting } from '../../../src/orders/exvenue/actions.ts';
import { exitsOn } from '../../../src/orders/exvenue/exits.ts';
import { dexOf } from '../../../src/orders/exvenue/facts.ts';
import type { ProtectAsked } from '../../../src/orders/exvenue/intents.ts';
import { readMarket, readPosition } from '../../../src/orders/exvenue/markets.ts';
import { recordNo } from '../../../src/orders/exvenue/outcomes.ts';
import { exchangeCarrier, postAll } from '../../../src/orders/exvenue/posting.ts';
import { misplacedExit } from '../../../src/orders/exvenue/rules.ts';
import { signWith } from '../../../src/orders/exvenue/signing.ts';
import type { WorkerRuntime } from '../../../src/runtime.ts';

/**
 * Places new exits for a position. They are looked for at the exchange before the old ones are cancelled, by an intent that
 * follows: the position is never without protection.
 */
const protect: Task = ({ intent_id }, runtime) =>
  carryOut(exchangeCarrier(runtime), intent_id, {
    prepare: (intent) => prepare(intent, runtime),
    send: (sent, limits) => postAll(runtime.exvenue, sent, limits),
    record: (intent, _sent, answer) => {
      if (answer.kind !== 'accepted') return recordNo(runtime.db, intent, answer);
      const refused = answer.said.items.filter((item) => item.kind === 'rejected');
      const [first] = refused;
      if (first && refused.length === answer.said.items.length) return recordNo(runtime.db, intent, first);
      return doubt(runtime.db, intent, 0);
    },
  });

export default protect;

async function prepare(intent: Intent, runtime: WorkerRuntime) {
  const { pair, wallet, take_profit, stop_loss } = intent.asked as ProtectAsked;
  const market = await readMarket(runtime.exvenue, pair);
  if ('problem' in market || 'notYet' in market) return market;
  const { coin } = market.asset;
  const position = await readPosition(runtime.exvenue, wallet, coin);
  if ('problem' in position || 'notYet' in position) return position;
  const side = isPositive(position.size) ? 'long' : 'short';
  const misplaced = misplacedExit({ take_profit, stop_loss }, side, market.mid);
  if (misplaced) return { problem: { code: 'V1_PRICES_UNFIT', message: misplaced } };
  const open = await runtime.exvenue.openOrders(wallet, dexOf(coin));
  if (open.kind === 'unreadable') return { notYet: { code: 'VENUE_UNREACHABLE' } };
  const orders = exiting(intent.id, { take_profit, stop_loss }, market.asset, side, absolute(position.size));
  if ('problem' in orders) return orders;
  const signed = await signWith(runtime, intent.owner, wallet, [{ kind: 'place', orders, grouping: 'on_position' }]);
  if ('problem' in signed || 'notYet' in signed) return signed;
  return { send: { ...signed, replaced: open.kind === 'found' ? exitsOn(open.said, coin) : [] } };
}
