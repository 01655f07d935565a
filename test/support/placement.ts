import { type IntentDatabase, openIntentDatabase } from './intent-database.ts';

/** The intent of the placement, whose order a test writes. */
export const PLACEMENT = '00000000-0000-7000-8000-000000000001';

/** A database with a partner, `ptn_a`, and the intent of a placement at the exchange with this request. */
export async function openPlacement(request: object = {}): Promise<IntentDatabase> {
  const intentDb = await openIntentDatabase();
  await intentDb.query(`insert into partners (id, name) values ('ptn_a', 'Partner')`);
  await intentDb.query(
    `insert into intents (id, kind, owner, state, request, digest, deadline_at)
     values ($1, 'exchange/place', 'ptn_a', 'queued', $2, '', now())`,
    [PLACEMENT, request],
  );
  return intentDb;
}
