import { startPgbouncer } from '../../support/pgbouncer.ts';
import { freshDatabase } from '../../support/postgres.ts';
import type { Verdict } from '../verdicts.ts';
import { ledgerVerdicts, type Traded, type Trading, tradeUnderHarm } from './trading.ts';

type Options = Omit<Trading, 'stage'> & {
  connections: number;
  webs: number;
  workers: number;
  settings: Record<string, string>;
};

/** The same orders under harm, with every web process behind a pooler that has fewer connections than they have. */
export async function tradeThroughPooler(
  program: string,
  { connections, webs, workers, settings, ...trading }: Options,
): Promise<Traded & { pooler: string }> {
  const database = await freshDatabase();
  const pooler = await startPgbouncer(program, database, connections);
  try {
    const stage = { database, webs, workers, settings: { ...settings, ...pooler.settings } };
    return { ...(await tradeUnderHarm({ ...trading, stage })), pooler: pooler.version };
  } finally {
    await pooler.stop();
  }
}

/** The verdicts of the ledgers on such a run. */
export const poolerVerdicts = (traded: Traded & { pooler: string }): Verdict[] =>
  ledgerVerdicts(traded).map((verdict) => ({ ...verdict, text: `${verdict.text}, web behind ${traded.pooler}` }));
