import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { readSeries, type Steps } from './queries.ts';

const WINDOWS: Record<'hour' | 'day', Steps> = {
  hour: { stepSeconds: 60, count: 60 },
  day: { stepSeconds: 300, count: 288 },
};

/** Handles `GET /v2/admin/figures`: read the figures of the last hour or day. */
export const getFigures: Handler<'getFigures', { db: Db }> = async ({ query, deps }) => {
  const steps = WINDOWS[query.window ?? 'hour'];
  const shown = await readSeries(deps.db, steps);
  return { status: 200, body: { step_seconds: steps.stepSeconds, ...shown } };
};
