import { sql } from 'slonik';
import { z } from 'zod';
import { batched } from '../db/batched.ts';
import type { Db } from '../db/pool.ts';
import type { Ending } from './rules.ts';

/** One of the four ways to an endpoint; in each at most one delivery is in flight. */
export type Lane = { endpoint_id: string; lane: number };

const heldRow = z.object({
  delivery_id: z.string(),
  fence: z.number(),
  tries: z.number(),
  url: z.string(),
  event_type: z.string(),
  body: z.string(),
  secrets: z.array(z.object({ id: z.string(), sealed: z.string() })),
});

/** A delivery in a worker's hands, with all it takes to send it. */
export type HeldDelivery = z.infer<typeof heldRow>;

/** What came of an attempt at a delivery that was held. */
export type Said = Pick<HeldDelivery, 'delivery_id' | 'fence'> &
  Ending & { duration_ms: number; status?: number; error?: string; answer?: string };

/** What a lane has done and wants next: `parting` leaves the rest to a new job of the lane. */
type LaneStep = Lane & { said?: Said; parting?: boolean };

const steppedRow = z.object({
  n: z.number(),
  verdict: z.enum(['send', 'idle', 'again', 'parted', 'lost']),
  held: heldRow.nullable(),
});

/** What a lane does next: `send` what it holds, look `again` in a moment, or end. `lost`: another worker has it. */
type Stepped = z.infer<typeof steppedRow>;

export type StepLane = (step: LaneStep) => Promise<Stepped>;

/**
 * Makes the process's way to take lanes a step: records the attempt that was made, under its fence, and takes the next
 * delivery, in one statement. Lanes that come together share a commit.
 */
export function laneStepper(db: Db): StepLane {
  return batched(async (steps: LaneStep[]) => {
    const batch = JSON.stringify(steps.map((step, n) => ({ ...step, n })));
    const rows = await db.any(sql.prepared('step_lanes', steppedRow)`
      select n, verdict, held
      from step_lanes(${batch}::jsonb)
      order by n`);
    return [...rows];
  });
}

const nothing = z.object({ done: z.unknown() });

/** Plans the lane's next job. Should this worker die before its attempt is recorded, that job takes the delivery over. */
export async function watchLane(db: Db, { endpoint_id, lane }: Lane, delayS: number): Promise<void> {
  await db.query(sql.prepared('watch_lane', nothing)`select watch_lane(${endpoint_id}, ${lane}, ${delayS}) done`);
}

/** Starts lanes for what has come due at an endpoint. */
export async function rouseEndpoint(db: Db, endpointId: string): Promise<void> {
  await db.query(sql.prepared('rouse_endpoint', nothing)`select rouse_endpoint(${endpointId}) done`);
}

/** Gives lanes that lost their job a new one. Answers how many endpoints there were; normally 0. */
export const requeueStrandedLanes = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select requeue_stranded_lanes() count`);
