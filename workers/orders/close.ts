import { carryOut } from '../../src/intents/carry-out.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { doubt } from '../../src/intents/settle.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordClose } from '../../src/orders/outcomes.ts';
import { readHeld } from '../../src/orders/positions.ts';
import { closing } from '../../src/orders/signals.ts';
import { submit } from '../../src/orders/submit.ts';
import type { WorkerRuntime } from '../../src/runtime.ts';

/**
 * Closes the position that is open in a pair when its turn comes. The venue's yes is no proof that it closed, since failures
 * of single closes are not reported: a yes is followed by a look at once.
 */
const close: Task = ({ intent_id }, runtime) =>
  carryOut(runtime, intent_id, {
    prepare: (intent) => prepare(intent, runtime),
    send: ({ signal }, limits, intent) => submit(runtime, intent, signal, limits),
    record: (intent, _sent, answer) =>
      answer.kind === 'accepted' ? doubt(runtime.db, intent, 0) : recordClose(runtime.db, intent, answer),
  });

export default close;

async function prepare(intent: Intent, { venues, config }: WorkerRuntime) {
  const { trader, trade_pair: pair, subaccount_id: subaccountId, position_uuid: only } = intent.asked as CloseAsked;
  const held = await readHeld(venues.netvenue, trader, pair);
  if (held === 'unreadable') return { notYet: { code: 'VENUE_UNREACHABLE' } };
  const { position } = held;
  if (position === null || (only !== undefined && position.uuid !== only))
    return { problem: { code: 'V1_NO_POSITION' } };
  const about = { intentId: intent.id, positionUuid: position.uuid, subaccountId, pair };
  return { send: { signal: closing(config.NETVENUE_CLOSE_STYLE, about), position_uuid: position.uuid } };
}

type CloseAsked = { trader: string; trade_pair: string; subaccount_id: number; position_uuid?: string };
