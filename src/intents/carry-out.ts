import type { Db } from '../db/pool.ts';
import type { Answer } from '../kernel/answer.ts';
import { beginSending, claim, findDoubtful } from './claim.ts';
import type { Intent, Problem } from './intent.ts';
import { nextLookMs, nextTryMs } from './plans.ts';
import { doubt, fail, retry, succeed } from './settle.ts';

/** What is ready to go out, why it cannot go, why it must wait a little, or what is so already without sending anything. */
export type Ready<Sent> =
  | { send: Sent }
  | { problem: Problem }
  | { notYet: Problem }
  | { done: Record<string, unknown> };

/** One write at a party, in three steps. `Sent` is committed before the first byte leaves. */
export type Step<Sent extends Record<string, unknown>, Said> = {
  prepare(intent: Intent): Promise<Ready<Sent>>;
  send(sent: Sent, limits: { notAfter: number; signal: AbortSignal }, intent: Intent): Promise<Answer<Said>>;
  record(intent: Intent, sent: Sent, answer: Answer<Said>): Promise<unknown>;
};

/**
 * What a look at the party proved: an answer after all, that it knows nothing of it, or nothing yet. `undecidable` will
 * never be proven by looking: it ends the intent for an operator to decide.
 */
export type Finding<Said> = Answer<Said> | { kind: 'absent' } | { kind: 'undecidable'; problem: Problem };

/** What the tasks of the spine need of their process. */
export type Carrier = {
  db: Db;
  /** Milliseconds after which an answer is no longer waited for and its intent leaves the lane. */
  patienceMs: number;
  /** Milliseconds within which a request sent to the party can still take effect there. */
  inFlightMs: number;
  /** Aborted when the process must stop: calls under way end as in doubt. */
  stopping: AbortSignal;
  /** Calls whose answer may still come although their job is over. */
  late: Set<Promise<unknown>>;
};

/**
 * Bytes leave within this of the moment `sending_at` stands for, or not at all: from that moment on absence becomes proof, however
 * long its commit took or the process was stopped.
 */
const SEND_WITHIN_MS = 2_000;

/**
 * Carries out one intent: claim, prepare, commit what goes out, send, record. Whoever finds that bytes may have left
 * before plans a look and sends nothing.
 */
export async function carryOut<Sent extends Record<string, unknown>, Said>(
  carrier: Carrier,
  intentId: string,
  step: Step<Sent, Said>,
): Promise<void> {
  const intent = await claim(carrier.db, intentId);
  if (!intent) return;
  if (intent.sending_at !== null) {
    await doubt(carrier.db, intent, 0);
    return;
  }
  const ready = await step.prepare(intent);
  if ('problem' in ready) await fail(carrier.db, intent, ready.problem);
  else if ('done' in ready) await succeed(carrier.db, intent, ready.done);
  else if ('notYet' in ready) await retry(carrier.db, intent, nextTryMs(intent.tries), ready.notYet);
  else await sendAndRecord(carrier, intent, ready.send, step);
}

async function sendAndRecord<Sent extends Record<string, unknown>, Said>(
  carrier: Carrier,
  intent: Intent,
  sent: Sent,
  step: Step<Sent, Said>,
): Promise<void> {
  const notAfter = Date.now() + SEND_WITHIN_MS;
  if (!(await beginSending(carrier.db, intent, sent))) {
    await retry(carrier.db, intent, 0, { code: 'DEADLINE_PASSED' }); // the next claim ends it as expired
    return;
  }
  const limits = { notAfter, signal: carrier.stopping };
  const sending = step.send(sent, limits, intent);
  const answer = await withinPatience(carrier.patienceMs, sending);
  if (answer !== 'silent') {
    await step.record(intent, sent, answer);
    return;
  }
  await doubt(carrier.db, intent, nextLookMs(intent.looks));
  keep(
    carrier.late,
    sending.then((late) => settles(late) && step.record(intent, sent, late)),
  );
}

/** An answer that comes after its job is over still counts when it says yes or no. */
const settles = ({ kind }: Answer<unknown>) => kind === 'accepted' || kind === 'rejected';

async function withinPatience<T>(patienceMs: number, sending: Promise<T>): Promise<T | 'silent'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silent'>((resolve) => {
    timer = setTimeout(resolve, patienceMs, 'silent');
  });
  return Promise.race([sending, silence]).finally(() => clearTimeout(timer));
}

function keep(late: Set<Promise<unknown>>, work: Promise<unknown>): void {
  const kept = work.catch(() => {}).finally(() => late.delete(kept)); // its look-up goes on beside it
  late.add(kept);
}

/**
 * Looks up one intent in doubt and settles it only on proof: what the party says it did, or that it knows nothing once no
 * request can be in flight any more.
 */
export async function lookUp<Sent extends Record<string, unknown>, Said>(
  carrier: Carrier,
  intentId: string,
  look: (intent: Intent, sent: Sent) => Promise<Finding<Said>>,
  record: Step<Sent, Said>['record'],
): Promise<void> {
  const intent = await findDoubtful(carrier.db, intentId);
  if (!intent) return;
  const sent = intent.sent as Sent; // written by this kind's own `prepare`
  const finding = await look(intent, sent);
  const inFlight = intent.sent_ago_ms <= carrier.inFlightMs;
  if (finding.kind === 'accepted' || finding.kind === 'rejected') await record(intent, sent, finding);
  else if (finding.kind === 'absent' && !inFlight) await fail(carrier.db, intent, { code: 'NOT_CARRIED_OUT' });
  else if (finding.kind === 'undecidable' && !inFlight) await fail(carrier.db, intent, finding.problem);
  else await doubt(carrier.db, intent, untilNextLook(carrier, intent));
}

const JUST_AFTER_MS = 50;

/** By plan, but no later than just after the moment from which on absence is proof. */
function untilNextLook({ inFlightMs }: Carrier, { looks, sent_ago_ms }: Intent): number {
  const untilProofMs = inFlightMs - sent_ago_ms + JUST_AFTER_MS;
  return untilProofMs > 0 ? Math.min(nextLookMs(looks), untilProofMs) : nextLookMs(looks);
}

/** Records what is the same for every kind: nothing was sent, or nobody knows. The rest is the caller's. */
export async function recordNoAnswer(
  db: Db,
  intent: Intent,
  answer: Exclude<Answer<unknown>, { kind: 'accepted' | 'rejected' }>,
): Promise<boolean> {
  if (answer.kind === 'unreachable') return retry(db, intent, nextTryMs(intent.tries), { code: 'VENUE_UNREACHABLE' });
  return doubt(db, intent, nextLookMs(intent.looks));
}
