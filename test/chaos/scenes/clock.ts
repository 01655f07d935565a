import { setTimeout as sleep } from 'node:timers/promises';
import { startMailUpstream } from '../../../src/sandbox/mail.ts';
import { type HostClock, hostClock } from '../../support/faketime.ts';
import { type Running, until } from '../../support/processes.ts';
import { readScrape } from '../../support/scrape.ts';
import { type Audit, auditOrders } from '../audit.ts';
import { auditExchange, type ExchangeAudit, isFlawlessExchange } from '../exchange-audit.ts';
import { allSettled, openStage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';
import { type Lifetimes, tryLifetimes } from './clock-people.ts';
import { loadExchange } from './exchange-load.ts';
import { loadKeyed, type Repeated } from './keyed-load.ts';
import { loadNetwork } from './network-load.ts';

/** How wrong the clocks are, in seconds, and how long a clock that jumps stays where it is. */
type Options = { library: string; perSecond: number; stayMs: number; settings: Record<string, string> };

/** A process by its clock: what it said of it, in its readiness, log and metric; `null` for one whose clock was right. */
type Reported = { process: string; aheadS: number; afterMs: number };

type Timed = {
  reported: Reported[];
  orders: Audit;
  exchange: ExchangeAudit;
  requested: number;
  repeated: Repeated;
  lifetimes: Lifetimes;
};

const MINUTE_S = 60;
const JUMPS_S = [400, -400, 0];
const REPORTED_WITHIN_MS = 30_000;
const NOTICED_WITHIN_MS = 15_000; // a reading each 5 s, a clock that is read once a second, and a busy machine
const SETTLED_WITHIN_MS = 240_000;

/**
 * Orders and cancellations at both venues, repeated requests and log-ins, while no process but one web and one worker has the
 * right time, and these two jump meanwhile.
 */
export async function tradeWithWrongClocks({ library, perSecond, stayMs, settings }: Options): Promise<Timed> {
  const mailbox = await startMailUpstream();
  const stage = await openStage({
    webs: 2,
    workers: 0,
    settings: { ...settings, SMTP_URL: mailbox.smtpUrl, METRICS_PORT: '0', LOG_LEVEL: 'info', THROTTLE_SCALE: '1000' },
  });
  const clocks: HostClock[] = [];
  const clock = async (aheadS: number) => {
    const made = await hostClock(library, aheadS);
    clocks.push(made);
    return made;
  };
  let isOver = false;
  try {
    const jumping = [await clock(0), await clock(0)] as const;
    await stage.replaceWeb(0, (await clock(-5 * MINUTE_S)).settings);
    await stage.replaceWeb(1, jumping[0].settings);
    const wrong: [string, number, Running][] = [
      ['web', -5 * MINUTE_S, stage.webs[0] as Running],
      ['worker', -10 * MINUTE_S, await stage.startWorker((await clock(-10 * MINUTE_S)).settings)],
      ['worker', 10 * MINUTE_S, await stage.startWorker((await clock(10 * MINUTE_S)).settings)],
    ];
    const jumpers: [string, Running][] = [
      ['jumping web', stage.webs[1] as Running],
      ['jumping worker', await stage.startWorker(jumping[1].settings)],
    ];
    const reported: Reported[] = [];
    for (const [name, aheadS, process] of wrong) reported.push(await report(name, process, aheadS));

    const pace = { perSecond: perSecond / 2, goOn: () => !isOver };
    const load = Promise.all([
      loadNetwork(stage, 30, pace),
      loadExchange(stage, 20, pace),
      loadKeyed(stage, () => isOver),
      tryLifetimes(stage, mailbox, () => isOver),
    ]);
    load.catch(() => {}); // reported below
    await sleep(stayMs / 2);
    for (const aheadS of JUMPS_S) {
      await Promise.all(jumping.map(({ set }) => set(aheadS)));
      for (const [name, process] of jumpers) reported.push(await report(name, process, aheadS));
      await sleep(stayMs);
    }
    isOver = true;
    const [network, exchange, repeated, lifetimes] = await load;
    await allSettled(stage, SETTLED_WITHIN_MS);
    return {
      reported,
      orders: await auditOrders(stage, [...network, ...repeated.intents]),
      exchange: await auditExchange(stage, exchange),
      requested: network.length + repeated.intents.length,
      repeated,
      lifetimes,
    };
  } finally {
    isOver = true;
    await stage.close();
    await mailbox.close();
    for (const { remove } of clocks) await remove();
  }
}

/** Waits until readiness, metric and log of a process say by how much its clock is off, or that it is right again. */
async function report(name: string, process: Running, aheadS: number): Promise<Reported> {
  const startedAt = performance.now();
  const { metrics_port: port } = JSON.parse(await process.waitForLine(/metrics server is listening/));
  const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).then((reply) => reply.text());
  const isNear = (seconds: number) => Math.abs(seconds - aheadS) < 3;
  await until(
    `${name} to say that its clock is ${aheadS} s ahead`,
    async () => {
      const [ready, metrics] = await Promise.all([at('/readyz'), at('/metrics')]);
      const line = process.lines.findLast((each) => each.includes('"ahead_ms"'));
      const isLogged = line ? isNear(JSON.parse(line).ahead_ms / 1000) : aheadS === 0;
      const isSaid = ready.includes('"clock"') === (aheadS !== 0);
      return isLogged && isSaid && isNear(readScrape(metrics).value('tps_clock_ahead_seconds') ?? Number.NaN);
    },
    REPORTED_WITHIN_MS,
  );
  return { process: name, aheadS, afterMs: performance.now() - startedAt };
}

/** Whether every wrong clock was reported, and nothing was lost, doubled, reported wrongly, rejected by the time, or lived otherwise. */
export function clockVerdicts({ reported, orders, exchange, requested, repeated, lifetimes }: Timed): Verdict[] {
  const { forgotten, lost, doubled, denied, strange, states } = orders;
  const unexecuted = Object.entries(exchange.verbs).filter(([verb]) => / (failed|expired)$/.test(verb));
  return [
    {
      promise: 'CLOCK',
      text: 'readiness, log and metric of a process whose clock is off',
      figure: reported.map((each) => `${each.process} ${each.aheadS} s: ${seconds(each.afterMs)}`).join(', '),
      bound: `each says so within ${seconds(NOTICED_WITHIN_MS)}`,
      kept: reported.every(({ afterMs }) => afterMs <= NOTICED_WITHIN_MS),
    },
    {
      promise: 'CLOCK',
      text: 'orders of both venues meanwhile',
      figure: `network ${JSON.stringify(orders)}, exchange ${JSON.stringify(exchange)}; ${repeated.requests} requests under ${repeated.intents.length} keys, ${repeated.twice} under a key done twice`,
      bound: 'all executed; 0 lost, 0 doubled, 0 reported wrong',
      kept:
        orders.orders === requested &&
        states.succeeded === requested &&
        forgotten + lost + doubled + denied + strange + repeated.twice === 0 &&
        unexecuted.every(([verb]) => !verb.startsWith('place')) &&
        isFlawlessExchange(exchange),
    },
    {
      promise: 'CLOCK',
      text: 'mailed codes, authenticator codes, sessions and tokens',
      figure: `${lifetimes.users} users, ${lifetimes.tried} tries; ended early: ${lifetimes.early.join('; ') || 'none'}, lived longer: ${lifetimes.late.join('; ') || 'none'}`,
      bound: 'none ends early, none lives longer',
      kept: lifetimes.users > 0 && lifetimes.early.length + lifetimes.late.length === 0,
    },
  ];
}
