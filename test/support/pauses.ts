import type { DbSession, IntentDatabase } from './intent-database.ts';

/** Pauses in a database of intents. */
export const pausesOf = (database: () => IntentDatabase) => ({
  pause: (subject: string, holdsExits = false) =>
    database().query(`select pause_work($1, $2, 'op', 'wrong prices')`, [subject, holdsExits]),
  /** Whether an intent that is about to be sent waits for the end of a pause. */
  async waits(id: string, fence: number, session: DbSession = database(), exits = false): Promise<boolean | undefined> {
    const [row] = await session.query<{ ok: boolean }>('select wait_for_pause($1, $2, $3, false) ok', [
      id,
      fence,
      exits,
    ]);
    return row?.ok;
  },
});
