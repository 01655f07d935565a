import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Webhooks } from '../../adapters/webhook/types.ts';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/pool.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { within } from '../../kernel/within.ts';
import { endingOf } from './rules.ts';
import { openSecret } from './secrets.ts';
import { type Attempt, type HeldDelivery, type Lane, noteOwner, type StepLane, watchLane } from './store.ts';

/** A lane frees its slot after this long, so that one endpoint cannot block the others. */
const TURN_MS = 1_000;
/**
 * An attempt without a response frees its slot after this long. The attempt continues outside the queue, for 10 s in
 * all.
 */
const PATIENCE_MS = 1_000;
/** The same once lanes hold more than half of the jobs: what others have delivered, and mails, need the rest. */
const CROWDED_PATIENCE_MS = 100;
/** By this time a detached attempt is recorded, or its worker is dead and another worker takes the delivery over. */
const TAKEOVER_S = 12;
const RECHECK_MS = 20;

/** What delivering needs. */
export type DeliverDeps = {
  db: Db;
  sealer: Sealer;
  webhooks: Webhooks;
  stepLane: StepLane;
  pace: Pace;
  activity: Activity;
  config: Pick<Config, 'OUTBOUND_CONCURRENCY'>;
  /** Attempts whose job has ended but whose response may still arrive. */
  late: Set<Promise<unknown>>;
  log: Pick<Logger, 'warn'>;
};

/**
 * Sends the deliveries of one lane, one after another, until none is due or its turn ends. Each delivery takes one
 * statement, which records one attempt and claims the next delivery.
 */
export async function deliverLane(lane: Lane, deps: DeliverDeps): Promise<void> {
  await noteOwner(deps.db, lane.endpoint_id);
  deps.activity.lanes += 1;
  await deliverInTurn(lane, deps).finally(() => {
    deps.activity.lanes -= 1;
  });
}

async function deliverInTurn(lane: Lane, deps: DeliverDeps): Promise<void> {
  const endsAt = performance.now() + TURN_MS;
  let step = await deps.stepLane(lane);
  for (;;) {
    if (step.verdict === 'again') {
      await sleep(RECHECK_MS);
      step = await deps.stepLane(lane);
    } else if (step.held) {
      await deps.pace.next();
      const sending = attempt(step.held, deps);
      const said = await within(sending, patienceMs(deps));
      if (said === null) return detach(lane, sending, deps);
      step = await deps.stepLane({ ...lane, said, parting: performance.now() > endsAt });
    } else return;
  }
}

const patienceMs = ({ activity, config }: DeliverDeps): number =>
  2 * activity.lanes > config.OUTBOUND_CONCURRENCY ? CROWDED_PATIENCE_MS : PATIENCE_MS;

/** Sends one delivery, signed with every active secret, and returns the attempt's result. */
async function attempt(held: HeldDelivery, { sealer, webhooks }: DeliverDeps): Promise<Attempt> {
  const sent = await webhooks.send({
    deliveryId: held.delivery_id,
    eventType: held.event_type,
    url: held.url,
    body: held.body,
    secrets: held.secrets.map((secret) => openSecret(sealer, secret)),
  });
  const claim = { delivery_id: held.delivery_id, fence: held.fence, duration_ms: sent.durationMs, url: held.url };
  if (sent.kind === 'fault') {
    return { ...claim, error: sent.fault, ...endingOf({ status: null, retryAfterS: null }, held.retry_step) };
  }
  const ending = endingOf(sent, held.retry_step);
  const error = ending.ending === 'delivered' ? {} : { error: 'status' };
  return { ...claim, status: sent.status, response: sent.text, ...error, ...ending };
}

/**
 * Frees the slot of an attempt without a response. The lane stays claimed: its next job runs after the response, or
 * `TAKEOVER_S` later.
 */
async function detach(lane: Lane, sending: Promise<Attempt>, { db, stepLane, late, log }: DeliverDeps): Promise<void> {
  const watched = watchLane(db, lane, TAKEOVER_S);
  const recorded = Promise.all([sending, watched])
    .then(([said]) => stepLane({ ...lane, said, parting: true }))
    .catch((err) => log.warn({ err, ...lane }, 'attempt not recorded; it will be repeated'))
    .finally(() => late.delete(recorded));
  late.add(recorded);
  await watched;
}

/** How long after the last intent executed in this process deliveries keep to their pace. */
const MAKE_ROOM_MS = 10_000;

/** What a process does: when it last executed an intent, by `performance.now()`, and how many lanes of deliveries hold a job. */
type Activity = { lastIntentMs: number; lanes: number };

/** The pace of deliveries, which share the process and the machine with intents. */
type Pace = {
  /** Resolves when the next delivery may be sent: at once if no intents were executed recently. */
  next(): Promise<void>;
};

/**
 * Opens a pace. While intents are executed in this process, deliveries are evenly spaced, at most `perS` a second;
 * otherwise they are not limited.
 */
export function openPace(perS: number, activity: Pick<Activity, 'lastIntentMs'>): Pace {
  let free = 0;
  return {
    async next() {
      const now = performance.now();
      if (now > activity.lastIntentMs + MAKE_ROOM_MS) return;
      const due = Math.max(free, now);
      free = due + 1_000 / perS;
      if (due > now) await sleep(due - now);
    },
  };
}
