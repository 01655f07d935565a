import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerRuntime } from '../runtime.ts';
import { type HeldDelivery, type Lane, type Said, watchLane } from './outcomes.ts';
import { endingOf } from './rules.ts';
import { openSecret } from './secrets.ts';

/** A lane gives its place back after this long, so that no endpoint keeps another one waiting for a place. */
const TURN_MS = 1_000;
/** An attempt without an answer holds its place for this long only; it goes on beside the queue until its ten seconds are over. */
const PATIENCE_MS = 1_000;
/** After this long an attempt let go has long been recorded, or its worker is dead and another takes it over. */
const TAKEOVER_S = 12;
const LOOK_AGAIN_MS = 20;

type Deliverer = Pick<WorkerRuntime, 'db' | 'sealer' | 'webhooks' | 'stepLane' | 'pace' | 'late' | 'log'>;

/**
 * Takes deliveries of one lane, one after the other, until none is due or its turn is over. A turn is many deliveries and one
 * statement for each: recording one and taking the next share it.
 */
export async function takeTurn(lane: Lane, runtime: Deliverer): Promise<void> {
  const endsAt = performance.now() + TURN_MS;
  let step = await runtime.stepLane(lane);
  for (;;) {
    if (step.verdict === 'again') {
      await sleep(LOOK_AGAIN_MS);
      step = await runtime.stepLane(lane);
    } else if (step.held) {
      await runtime.pace.next();
      const attempting = attempt(step.held, runtime);
      const said = await withinPatience(attempting);
      if (said === 'silent') return letGo(lane, attempting, runtime);
      step = await runtime.stepLane({ ...lane, said, parting: performance.now() > endsAt });
    } else return;
  }
}

/** Sends one delivery, signed by every active secret, and judges the answer. */
async function attempt(held: HeldDelivery, { sealer, webhooks }: Deliverer): Promise<Said> {
  const sent = await webhooks.send({
    deliveryId: held.delivery_id,
    eventType: held.event_type,
    url: held.url,
    body: held.body,
    secrets: held.secrets.map((secret) => openSecret(sealer, secret)),
  });
  const claim = { delivery_id: held.delivery_id, fence: held.fence, duration_ms: sent.durationMs };
  if (sent.kind === 'fault') {
    return { ...claim, error: sent.fault, ...endingOf({ status: null, retryAfterS: null }, held.tries) };
  }
  const ending = endingOf(sent, held.tries);
  const error = ending.ending === 'delivered' ? {} : { error: 'status' };
  return { ...claim, status: sent.status, answer: sent.answer, ...error, ...ending };
}

async function withinPatience(attempting: Promise<Said>): Promise<Said | 'silent'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silent'>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, 'silent');
  });
  return Promise.race([attempting, silence]).finally(() => clearTimeout(timer));
}

/** Frees the place of a silent attempt. The lane stays taken: its next job comes with the answer, or when nobody brings one. */
async function letGo(lane: Lane, attempting: Promise<Said>, { db, stepLane, late, log }: Deliverer): Promise<void> {
  const watched = watchLane(db, lane, TAKEOVER_S);
  const recorded = Promise.all([attempting, watched])
    .then(([said]) => stepLane({ ...lane, said, parting: true }))
    .catch((err) => log.warn({ err, ...lane }, 'an attempt could not be recorded; it will be made again'))
    .finally(() => late.delete(recorded));
  late.add(recorded);
  await watched;
}
