import type { Executed } from '../adapters/netvenue/types.ts';
import type { components } from '../contract/types.ts';
import { resultOf } from '../intents/answers.ts';
import type { Intent } from '../intents/intent.ts';
import type { ProtectAsked } from './intents.ts';
import type { RecordedOrder } from './queries.ts';

type Schemas = components['schemas'];

/** What the outcomes of network order verbs hold. */
type Recorded = {
  order_uuid: string;
  processing_time: number | null;
  message: string | null;
  executed: Executed | null;
};

/** A network order result of a settled intent; refuses with its problem. While it is open: durably accepted, pending. */
export function orderResult(intent: Intent, orderUuid: string): Schemas['NetvenueOrderResult'] {
  const result = resultOf(intent) as Recorded | null;
  return {
    success: true,
    order_uuid: result?.order_uuid ?? orderUuid,
    processing_time: result?.processing_time ?? seconds(intent.created_at, intent.settled_at),
    status: result ? 'accepted' : 'pending',
    message: result?.message ?? null,
    executed: result?.executed ?? null,
  };
}

const STATUS = {
  queued: 'pending',
  running: 'pending',
  in_doubt: 'unknown',
  succeeded: 'completed',
  failed: 'failed',
  expired: 'failed',
} as const;

type ShownTerms = { trade_pair: string; execution_type: string; order_type: string | null };

/** The terms that order verbs without an order of their own are shown with. */
const VERB_TERMS: Record<string, (asked: Record<string, unknown>) => ShownTerms> = {
  'orders/close': (asked) => verbTerms((asked as { trade_pair: string }).trade_pair, 'FLAT_ALL'),
  'orders/protect': (asked) => verbTerms((asked as ProtectAsked).protection.trade_pair, 'BRACKET'),
};

const verbTerms = (trade_pair: string, execution_type: string): ShownTerms => ({
  trade_pair,
  execution_type,
  order_type: 'FLAT',
});

/** The status of an order uuid, from our record. Null for intents that are no orders (cancels and edits). */
export function orderStatus(recorded: RecordedOrder): Schemas['NetvenueOrderStatus'] | null {
  const terms: ShownTerms | undefined = recorded.order?.terms ?? VERB_TERMS[recorded.kind]?.(recorded.asked);
  if (!terms) return null;
  const outcome = recorded.settled_at === null ? null : recorded.outcome;
  const result = outcome && 'result' in outcome ? (outcome.result as Recorded) : null;
  return {
    order_uuid: recorded.id,
    status: STATUS[recorded.state],
    lifecycle: recorded.order?.lifecycle ?? null,
    execution_type: terms.execution_type,
    trade_pair: terms.trade_pair,
    order_type: terms.order_type,
    submitted_at: recorded.created_at,
    completed_at: recorded.settled_at,
    processing_time: result?.processing_time ?? (outcome ? seconds(recorded.created_at, recorded.settled_at) : null),
    message: result?.message ?? (outcome && 'problem' in outcome ? problemText(outcome.problem) : null),
    executed: recorded.order ? (recorded.order.executed as Executed | null) : (result?.executed ?? null),
  };
}

const problemText = ({ message, code }: { message?: string | undefined; code: string }) => message ?? code;

const seconds = (from: string, to: string | null) =>
  Math.max(0, (to ? Date.parse(to) : Date.now()) - Date.parse(from)) / 1000;
