import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'slonik';
import { usualCoins } from '../../../src/sandbox/exchange/coins.ts';
import { startExvenueUpstream } from '../../../src/sandbox/exchange/index.ts';
import { quantile } from '../../chaos/audit.ts';
import { caller } from '../../support/caller.ts';
import { startWebProcess } from '../../support/processes.ts';
import { startProxy } from '../../support/proxy.ts';
import { startService } from '../../support/service.ts';
import { below, type Extent, type Figures } from './figures.ts';
import { cpuMs } from './usage.ts';

const RESPONSE_WITHIN_MS = 3_000;
/** The venue listed eight builder dexes and about 230 perpetuals of its own in July 2026. */
const DEXES = ['flx', 'vntl', 'hyna', 'km', 'cash', 'para', 'io'];
const VENUE_TAKES_MS = 100;

const coin = (name: string) => ({ name, sizeDecimals: 2, mid: '40', maxLeverage: 10 });
const coins = [
  ...usualCoins,
  ...Array.from({ length: 220 }, (_, n) => coin(`C${n}`)),
  ...['xyz', ...DEXES].flatMap((dex) => Array.from({ length: 30 }, (_, n) => coin(`${dex}:C${n}`))),
];

/** COLD: pairs and positions from the start of a web process that knows nothing of the exchange yet. */
export async function measureCold({ small }: Extent): Promise<Figures> {
  const exchange = await startExvenueUpstream({ network: 'testnet', autoFund: '100000', coins });
  const proxy = await startProxy(async (_, forward) => {
    await wait(VENUE_TAKES_MS);
    return forward();
  });
  proxy.target = exchange.url;
  const settings = { EXVENUE_URL: proxy.url, VALIDATE_RESPONSES: 'false' };
  const service = await startService({ settings, worker: false });
  const { wallet, key } = await service.wallet();
  const cache = await mkdtemp(path.join(tmpdir(), `tps-bench-${process.pid}-cold-`)); // empty, as after an installation
  const [listening, responded, working]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n < (small ? 2 : 6); n += 1) {
    await service.db.query(sql.unsafe`delete from upstream_responses`);
    const startedAt = performance.now();
    const web = await startWebProcess({ ...service.settings, NODE_COMPILE_CACHE: cache });
    listening.push(performance.now() - startedAt);
    const cold = caller(web.url, key, { 'Trader-ID': wallet });
    const replies = await Promise.all(['/v1/rules/pairs', '/v1/positions/exvenue'].map((path) => cold.get(path)));
    responded.push(performance.now() - startedAt);
    working.push(await cpuMs(web.pid));
    web.kill('SIGTERM'); // a process keeps the compiled code as it ends
    await web.exited;
    for (const { status, body } of replies) if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  }
  await service.stop();
  await proxy.close();
  await exchange.close();
  await rm(cache, { recursive: true });
  const [first = 0, ...later] = responded;
  return {
    name: 'COLD',
    title: `pairs and positions of a new process, eight builder dexes, each response of the venue after ${VENUE_TAKES_MS} ms`,
    rows: [
      below(RESPONSE_WITHIN_MS, {
        what: 'start to listening, median',
        figure: quantile(listening.slice(1), 0.5),
        unit: 'ms',
      }),
      below(RESPONSE_WITHIN_MS, {
        what: 'start to both responses, median',
        figure: quantile(later, 0.5),
        unit: 'ms',
      }),
      below(RESPONSE_WITHIN_MS, { what: 'the slowest', figure: Math.max(...later), unit: 'ms' }),
      below(RESPONSE_WITHIN_MS, { what: 'the first after an installation', figure: first, unit: 'ms' }),
      below(RESPONSE_WITHIN_MS, {
        what: 'CPU time of the process, median',
        figure: quantile(working.slice(1), 0.5),
        unit: 'ms',
      }),
    ],
  };
}
