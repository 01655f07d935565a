import type { ItemResult } from '../../../src/adapters/exvenue/types.ts';
import { type Finding, lookUp } from '../../../src/intents/carry-out.ts';
import type { Intent } from '../../../src/intents/intent.ts';
import type { Task } from '../../../src/intents/task.ts';
import { type Answer, accepted, inDoubt } from '../../../src/kernel/answer.ts';
import { type CancelTarget, findCancels, STILL_OPEN } from '../../../src/orders/exvenue/cancels.ts';
import { type ExitFact, findExits, type OldExit } from '../../../src/orders/exvenue/exits.ts';
import { findOrder } from '../../../src/orders/exvenue/facts.ts';
import type { ProtectAsked } from '../../../src/orders/exvenue/intents.ts';
import * as record from '../../../src/orders/exvenue/outcomes.ts';
import { exchangeCarrier, type SentPlacement } from '../../../src/orders/exvenue/posting.ts';
import { legsOf } from '../../../src/orders/exvenue/rules.ts';
import { burn } from '../../../src/orders/exvenue/signing.ts';
import type { WorkerRuntime } from '../../../src/runtime.ts';

/** What the exchange tasks commit before they send; members beside the signed bytes belong to single kinds. */
type Sent = SentPlacement & { side: 'long' | 'short'; targets: CancelTarget[]; replaced: OldExit[] };
type Kind<S> = {
  look(runtime: WorkerRuntime, intent: Intent, sent: Sent): Promise<Finding<S>>;
  record(runtime: WorkerRuntime, intent: Intent, sent: Sent, answer: Answer<S>): Promise<boolean>;
};

const kinds: Record<string, Kind<unknown>> = {
  'orders/exvenue/place': {
    look: findPlacement,
    record: ({ db }, intent, sent, answer) => record.recordExchangeOrder(db, intent, sent, answer),
  } satisfies Kind<record.PlacedFact>,
  'orders/exvenue/close': {
    look: findPlacement,
    record: ({ db }, intent, sent, answer) => record.recordExchangeClose(db, intent, sent, answer),
  } satisfies Kind<record.PlacedFact>,
  'orders/exvenue/protect': {
    look: ({ exvenue }, intent, { account }) =>
      findExits(exvenue, account, intent.id, legsOf(intent.asked as ProtectAsked)),
    record: ({ db }, intent, { replaced }, answer) => record.recordExits(db, intent, replaced, answer),
  } satisfies Kind<ExitFact>,
  'orders/exvenue/cancel': {
    look: findCancellation,
    record: ({ db }, intent, { targets }, answer) => record.recordCancels(db, intent, targets, answer),
  } satisfies Kind<{ items: ItemResult[] }>,
};

/** Looks up one exchange verb in doubt and settles it on proof only: found, or burnt and nowhere. */
const reconcile: Task = ({ intent_id }, runtime) =>
  lookUp<Sent, unknown>(
    exchangeCarrier(runtime),
    intent_id,
    (intent, sent) => look(runtime, intent, sent),
    (intent, sent, answer) => kindOf(intent).record(runtime, intent, sent, answer),
  );

export default reconcile;

/**
 * What is nowhere once its bytes have expired gets its nonces burnt first: after that nothing signed with them can land. A nonce
 * that was used already has landed: then one more look decides, since what landed before it can be seen by now.
 */
async function look(runtime: WorkerRuntime, intent: Intent, sent: Sent): Promise<Finding<unknown>> {
  const kind = kindOf(intent);
  const finding = await kind.look(runtime, intent, sent);
  if (finding.kind !== 'absent' || !isExpired(runtime, intent)) return finding;
  const nonces = await burn(runtime, sent);
  if (nonces === 'unknown') return inDoubt('the nonce could not be burnt');
  return nonces === 'used' ? kind.look(runtime, intent, sent) : finding;
}

async function findPlacement(
  runtime: WorkerRuntime,
  intent: Intent,
  { account, cloid, coin }: Sent,
): Promise<Finding<record.PlacedFact>> {
  const sinceMs = Date.parse(String(intent.sending_at));
  const expired = isExpired(runtime, intent);
  const finding = await findOrder(runtime.exvenue, { account, cloid, coin, sinceMs, expired });
  return finding.kind === 'accepted' ? accepted({ order: finding.said, exits: [] }) : finding;
}

/** One that follows from another intent is not given up when it never landed: all its targets are told to be open still. */
async function findCancellation(
  runtime: WorkerRuntime,
  intent: Intent,
  { account, targets }: Sent,
): Promise<Finding<{ items: ItemResult[] }>> {
  const expired = isExpired(runtime, intent);
  const finding = await findCancels(runtime.exvenue, account, targets, expired);
  const insists = expired && 'because_of' in intent.asked;
  return finding.kind === 'absent' && insists ? accepted({ items: targets.map(() => STILL_OPEN) }) : finding;
}

const isExpired = (runtime: WorkerRuntime, { sent_ago_ms }: Intent) =>
  sent_ago_ms > exchangeCarrier(runtime).inFlightMs;

function kindOf({ kind }: Intent): Kind<unknown> {
  const known = kinds[kind];
  if (!known) throw new Error(`No look-up for ${kind}`);
  return known;
}
