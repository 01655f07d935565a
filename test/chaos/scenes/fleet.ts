import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../support/caller.ts';
import { startWebProcess, until } from '../../support/processes.ts';
import { type Audit, auditOrders } from '../audit.ts';
import { atPace } from '../load.ts';
import { allSettled, openStage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';

const SHOWN_WITHIN_MS = 20_000;
const SETTLED_WITHIN_MS = 120_000;
const OTHER_KEYS = `other:${Buffer.alloc(32, 'other').toString('base64')}`;

type Options = { orders: number; perSecond: number; settings: Record<string, string> };

/** Responses by status, what became of the orders, what shows the odd processes and after which time, and the odd web's readiness. */
export type Odd = {
  statuses: Record<string, number>;
  audit: Audit;
  shown: string[];
  shownMs: number;
  checks: string[];
};

/** Orders beside a worker with a wrong miner key and a web process with other sealing keys, on a role with other parameters. */
export async function tradeBesideOddOnes({ orders, perSecond, settings }: Options): Promise<Odd> {
  const stage = await openStage({ webs: 2, workers: 2, settings });
  try {
    await stage.rows(`do $$ begin execute format('alter database %I set datestyle = %L', current_database(), 'SQL, DMY');
      execute format('alter database %I set default_transaction_isolation = %L', current_database(), 'serializable'); end $$`);
    await stage.startWorker({ NETVENUE_MINER_KEY: 'wrong' });
    const startedAt = performance.now();
    const odd = await startWebProcess({ ...stage.settings, SEALING_KEYS: OTHER_KEYS });
    const traders = await stage.traders(30);
    const statuses: Record<string, number> = {};
    const place = async (n: number) => {
      const trader = traders[n % traders.length] as Caller;
      const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 };
      const { status } = await trader.post('/v1/orders/netvenue', order);
      statuses[status] = (statuses[status] ?? 0) + 1;
    };
    const trading = atPace({ perSecond, goOn: (n) => n < orders }, place);
    const shown = await until(
      'the odd ones to be shown',
      async () => {
        const rows = await stage.rows<{ name: string }>(
          'select name from ops.fleet_differences where is_odd order by 1',
        );
        return rows.length >= 2 ? rows.map(({ name }) => name) : null;
      },
      SHOWN_WITHIN_MS,
    );
    const shownMs = performance.now() - startedAt;
    await sleep(2_000);
    const ready = await fetch(`${odd.url}/readyz`);
    const { error } = (await ready.json()) as { error?: { checks: string[] } };
    await trading;
    odd.kill('SIGKILL');
    await allSettled(stage, SETTLED_WITHIN_MS);
    return { statuses, audit: await auditOrders(stage), shown, shownMs, checks: error?.checks ?? [] };
  } finally {
    await stage.close();
  }
}

/** Whether no order failed because of the odd ones, and both were shown. */
export function oddVerdict({ statuses, audit, shown, shownMs, checks }: Odd): Verdict {
  const { orders, lost, doubled, denied, strange } = audit;
  const others = Object.entries(statuses).filter(([status]) => status !== '200' && status !== '202');
  const figure = others.map(([status, count]) => `${count} × ${status}`).join(', ') || 'none failed';
  return {
    promise: 'FLEET',
    text: 'one of three workers with a wrong miner key, a web process with other sealing keys, a database with other parameters',
    figure: `of ${orders} orders ${figure}; ${lost} lost, ${doubled} doubled; ${shown.join(', ')} shown after ${seconds(shownMs)}; web not ready: ${checks.join(', ')}`,
    bound: 'no order fails, both are shown within 20 s, the web process receives no requests',
    kept:
      others.length === 0 &&
      orders > 0 &&
      lost + doubled + denied + strange === 0 &&
      shown.includes('NETVENUE_MINER_KEY') &&
      shown.includes('SEALING_KEYS') &&
      checks.includes('sealing'),
  };
}
