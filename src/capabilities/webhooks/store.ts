import { LRUCache } from 'lru-cache';
import { sql } from 'slonik';
import { z } from 'zod';
import { batch, numbered } from '../../db/batch.ts';
import type { Db } from '../../db/pool.ts';
import { mostEntries } from '../../kernel/cache.ts';
import { noteWork } from '../../kernel/work.ts';
import type { Ending } from './rules.ts';

/** One of the four lanes of an endpoint. Each has at most one delivery in flight. */
export type Lane = { endpoint_id: string; lane: number };

const heldRow = z.object({
  delivery_id: z.string(),
  fence: z.number(),
  retry_step: z.number(),
  url: z.string(),
  event_type: z.string(),
  body: z.string(),
  secrets: z.array(z.object({ id: z.string(), sealed: z.string() })),
});

/** A claimed delivery, with everything needed to send it. */
export type HeldDelivery = z.infer<typeof heldRow>;

/** The result of one attempt at a claimed delivery. `url`: the address that it was sent to. */
export type Attempt = Pick<HeldDelivery, 'delivery_id' | 'fence'> &
  Ending & { duration_ms: number; status?: number; error?: string; response?: string; url: string };

/** A step of a lane. `said` is the attempt to record; `parting` leaves further deliveries to a new job. */
type LaneStep = Lane & { said?: Attempt; parting?: boolean };

const steppedRow = z.object({
  n: z.number(),
  verdict: z.enum(['send', 'idle', 'again', 'separated', 'lost']),
  held: heldRow.nullable(),
});

/**
 * What a lane does next: `send` the claimed delivery, step `again` shortly, or end. `lost`: another worker has the
 * lane.
 */
type Stepped = z.infer<typeof steppedRow>;

/** Moves a lane one step. */
export type StepLane = (step: LaneStep) => Promise<Stepped>;

/**
 * Creates the process's function that moves lanes one step. One statement records the last attempt, under its fence,
 * and claims the next delivery. Concurrent steps share a commit.
 */
export function laneStepper(db: Db): StepLane {
  return batch(async (steps: LaneStep[], lockMs) => {
    const rows = await db.any(sql.prepared('step_lanes', steppedRow)`
      select n, verdict, held
      from step_lanes(${numbered(steps, lockMs)})
      order by n`);
    return [...rows];
  });
}

const nothing = z.object({ done: z.unknown() });

/**
 * Schedules the lane's next job. If this worker dies before its attempt is recorded, that job takes the delivery over.
 */
export async function watchLane(db: Db, { endpoint_id, lane }: Lane, delayS: number): Promise<void> {
  await db.query(sql.prepared('watch_lane', nothing)`select watch_lane(${endpoint_id}, ${lane}, ${delayS}) done`);
}

const owners = new LRUCache<string, string>(mostEntries(10_000)); // by endpoint; it never changes

/** The present work is for the owner of an endpoint from here on: what waits for one owner's endpoints leaves connections to others. */
export async function noteOwner(db: Db, endpointId: string): Promise<void> {
  const owner =
    owners.get(endpointId) ??
    (await db.maybeOneFirst(sql.prepared('endpoint_owner', z.object({ owner: z.string() }))`
      select owner from webhook_endpoints where id = ${endpointId}`));
  if (owner === null) return;
  owners.set(endpointId, owner, { size: 1 });
  noteWork({ tenant: owner });
}

/** Queues jobs for the lanes of an endpoint in which a delivery is due. */
export async function dispatchEndpoint(db: Db, endpointId: string): Promise<void> {
  await noteOwner(db, endpointId);
  await db.query(sql.prepared('dispatch_due_deliveries', nothing)`select dispatch_due_deliveries(${endpointId}) done`);
}

/** Queues a job for lanes that lost theirs. Returns the number of endpoints affected; normally 0. */
export const requeueStrandedLanes = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select requeue_stranded_lanes() count`);

/** Cancels at most `most` deliveries that still wait for inactive endpoints. Returns their number. */
export const cancelUnreceived = (db: Db, most: number): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select cancel_unreceived(${most}) count`);
