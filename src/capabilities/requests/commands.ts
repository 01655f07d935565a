import type { Logger } from 'pino';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import type { RequestRecord } from '../../kernel/request-records.ts';

const EVERY_MS = 1_000;
/** Requests of one caller that are listed in a second; the others are counted. Failures come first. */
const LISTED_PER_S = 20;

/** The requests of a process that are not stored yet: whoever responds to one appends it. */
export type RequestRecords = { records: RequestRecord[]; stop(): Promise<void> };

/**
 * Stores the requests of a process once a second, all in one statement. Where that fails they are lost, and requests go on:
 * this is a log.
 */
export function keepRequests(db: Db, log: Pick<Logger, 'warn'>): RequestRecords {
  const records: RequestRecord[] = [];
  const store = async () => {
    if (records.length === 0) return;
    const batch = records.splice(0);
    await db
      .query(
        sql.prepared(
          'record_requests',
          z.object({}),
        )`select record_requests(${JSON.stringify(batch)}::jsonb, ${LISTED_PER_S})`,
      )
      .catch((err) => log.warn({ err, lost: batch.length }, 'requests were not recorded'));
  };
  let storing = Promise.resolve();
  const timer = setInterval(() => {
    storing = storing.then(store);
  }, EVERY_MS).unref();
  return {
    records,
    async stop() {
      clearInterval(timer);
      await storing;
      await store();
    },
  };
}
