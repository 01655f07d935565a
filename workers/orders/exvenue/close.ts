import { carryOut } from '../../../src/intents/carry-out.ts';
import type { Intent } from '../../../src/intents/intent.ts';
import type { Task } from '../../../src/intents/task.ts';
import { isPositive } from '../../../src/kernel/decimals.ts';
import { closing } from '../../../src/orders/exvenue/actions.ts';
import type { CloseAsked } from '../../../src/orders/exvenue/intents.ts';
import { readMarket, readPosition } from '../../../src/orders/exvenue/markets.ts';
import { recordExchangeClose } from '../../../src/orders/exvenue/outcomes.ts';
import { exchangeCarrier, postOrder, sentOrder } from '../../../src/orders/exvenue/posting.ts';
import { signWith } from '../../../src/orders/exvenue/signing.ts';
import type { WorkerRuntime } from '../../../src/runtime.ts';

/** Takes the position that is open in a pair when its turn comes out of the market, reduce-only. */
const close: Task = ({ intent_id }, runtime) =>
  carryOut(exchangeCarrier(runtime), intent_id, {
    prepare: (intent) => prepare(intent, runtime),
    send: (sent, limits) => postOrder(runtime.exvenue, sent, limits),
    record: (intent, sent, answer) => recordExchangeClose(runtime.db, intent, sent, answer),
  });

export default close;

async function prepare(intent: Intent, runtime: WorkerRuntime) {
  const { pair, wallet, max_slippage: slippage } = intent.asked as CloseAsked;
  const market = await readMarket(runtime.exvenue, pair);
  if ('problem' in market || 'notYet' in market) return market;
  const position = await readPosition(runtime.exvenue, wallet, market.asset.coin);
  if ('problem' in position || 'notYet' in position) return position;
  const closed = closing(intent.id, position.size, market.asset, { mid: market.mid, slippage });
  if ('problem' in closed) return closed;
  const signed = await signWith(runtime, intent.owner, wallet, [closed.action]);
  if ('problem' in signed || 'notYet' in signed) return signed;
  const side: 'long' | 'short' = isPositive(position.size) ? 'short' : 'long';
  return { send: { ...signed, ...sentOrder(intent.id, market.asset.coin, closed.action), side } };
}
