import { randomUUID } from 'node:crypto';
import type { Style } from '../../../src/sandbox/network/world.ts';
import { scriptFaults } from '../faults.ts';
import { type Harm, type Harms, harm } from '../harms.ts';
import { underWay } from '../load.ts';
import { allSettled, openSite, openStage, type Site } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';
import { auditVerbs, type VerbAudit } from './verbs-audit.ts';
import { allCompared, CROSSED, PROTECTED } from './verbs-exits.ts';
import { type Crowd, gather, type Submit } from './verbs-traders.ts';

/** Every order verb by traders of every kind, at a miner that is slow with a share of the orders. */
export type VerbLoad = {
  seed: number;
  style: Style;
  crowd: Crowd;
  /** The pause before the next trader begins. */
  everyMs: number;
  threads: number;
  quickMs: readonly [number, number];
  slowMs: readonly [number, number];
  slowShare: number;
  /** The share of the miner's attempts whose acknowledgement is lost, and its pause before the next one. */
  lostShare: number;
  pauseMs: number;
  /** The network's pause between two orders of a trader in a pair. */
  cooldownMs: number;
  /** Workers as processes, and what is done to them; else one worker in this process, which nothing is done to. */
  processes?: { workers: number; harms: { sequence: readonly Harm[]; everyMs: number } };
  settings: Record<string, string>;
  settleWithinMs: number;
};

/** The result: the ledger beside what was reported, the most requests and look-ups at one miner, and what was done to the service. */
export type VerbRun = { audit: VerbAudit; mostRequests: number; mostLookUps: number; harms: Harms; tookMs: number };

/** Lets every trader place, protect, edit, cancel and close while responses are lost or late and workers are killed. */
export async function tradeWithEveryVerb(load: VerbLoad): Promise<VerbRun> {
  const { style, threads, processes } = load;
  const isSlow = () => Math.random() < load.slowShare;
  const { pauseMs, cooldownMs } = load;
  const options = {
    upstream: {
      ...{ style, threads, pauseMs, cooldownMs },
      processingMs: () => drawn(isSlow() ? load.slowMs : load.quickMs),
      isAcknowledgementLost: () => Math.random() < load.lostShare,
    },
    settings: { THROTTLE_SCALE: '1000', ...load.settings, NETVENUE_MINER_THREADS: String(threads) },
  };
  if (!processes) return trade(await openSite(options), load, async () => UNHARMED);
  const stage = await openStage({ ...options, workers: processes.workers });
  return trade(stage, load, (goOn) => harm(stage, { ...processes.harms, goOn }));
}

const COMPARED_WITHIN_MS = 300_000; // the time in flight, and two turns

const UNHARMED: Harms = { kill: 0, web: 0, cut: 0, crash: 0, msOfJobs: [] };

async function trade(stage: Site, load: VerbLoad, harmed: (goOn: () => boolean) => Promise<Harms>): Promise<VerbRun> {
  const { seed, crowd } = load;
  try {
    const traders = await gather(stage, crowd);
    scriptFaults(stage.upstream.faults, '/miner/api/submit-order', seed);
    const startedAt = performance.now();
    const lives = Promise.all(traders.map((submit, n) => live(submit, n, load)));
    const settled = lives.then(async (taken) => {
      await allSettled(stage, load.settleWithinMs);
      await allCompared(stage, COMPARED_WITHIN_MS);
      return taken.flat();
    });
    const harms = await harmed(underWay(lives));
    const taken = await settled;
    const tookMs = performance.now() - startedAt;
    const [mostRequests, mostLookUps] = [stage.upstream.mostRequests(), stage.upstream.mostLookUps()];
    return { audit: await auditVerbs(stage, taken), mostRequests, mostLookUps, harms, tookMs };
  } finally {
    await stage.close();
  }
}

const drawn = ([from, to]: readonly [number, number]) => from + (to - from) * Math.random();

type Pacing = Pick<VerbLoad, 'everyMs'> & Partial<Pick<VerbLoad, 'cooldownMs'>>;

/**
 * The verbs of one trader, submitted without waiting for their ends. Pairs are lanes of their own. Every other trader has
 * nothing else when it closes, so that FLAT_ALL meets the exits of another lane.
 */
export async function live(submit: Submit, n: number, { everyMs, cooldownMs = 0 }: Pacing): Promise<string[]> {
  await new Promise((resolve) => setTimeout(resolve, everyMs * n));
  const pairs =
    n % 2 === 0
      ? [inTurn('BTCUSDC', opened, protectedBy, closed), inTurn('ETHUSDC', rested, edited, cancelled)]
      : [inTurn('BTCUSDC', opened, closed)];
  const crossed = inTurn(CROSSED, openedWithExits, n % 3 === 0 ? after(3 * cooldownMs, crossedBy) : crossedBy);
  return (await Promise.all([...pairs, inTurn(PROTECTED, openedWithExits), crossed])).flat();

  /** Submits verbs of one pair one after the other; each gets the id of the first. */
  async function inTurn(pair: string, ...verbs: Verb[]): Promise<string[]> {
    const first = randomUUID();
    const ids: string[] = [];
    for (const verb of verbs) ids.push(await verb(submit, pair, first));
    return ids;
  }
}

type Verb = (submit: Submit, trade_pair: string, first: string) => Promise<string>;

const opened: Verb = (submit, trade_pair, order_uuid) =>
  submit('POST', '', { trade_pair, order_type: 'LONG', leverage: 0.01, order_uuid });
const openedWithExits: Verb = (submit, trade_pair, order_uuid) =>
  submit('POST', '', { trade_pair, order_type: 'LONG', leverage: 0.01, stop_loss: 1, order_uuid });
const protectedBy: Verb = (submit, trade_pair) => submit('POST', '/tp-sl', { trade_pair, stop_loss: 10 });
/** Exits at a price that was reached: within the cooldown the network cancels them and those before, else they close the position. */
const crossedBy: Verb = (submit, trade_pair) => submit('POST', '/tp-sl', { trade_pair, stop_loss: 1_000_000 });
const after =
  (ms: number, verb: Verb): Verb =>
  async (...call) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return verb(...call);
  };
const closed: Verb = (submit, trade_pair) => submit('POST', '/close', { trade_pair });
const rested: Verb = (submit, trade_pair, order_uuid) =>
  submit('POST', '', {
    ...{ trade_pair, order_type: 'LONG', execution_type: 'LIMIT' },
    ...{ limit_price: 100, quantity: 0.2, order_uuid },
  });
const edited: Verb = (submit, trade_pair, first) => submit('POST', `/${first}/edit`, { trade_pair, quantity: 0.25 });
const cancelled: Verb = (submit, trade_pair, first) => submit('DELETE', `/${first}?trade_pair=${trade_pair}`);

/** Whether nothing was lost, doubled or reported wrongly, and most verbs were executed. */
export function verbVerdict(
  { audit, mostRequests, mostLookUps, harms, tookMs }: VerbRun,
  { style, threads }: VerbLoad,
): Verdict {
  const { verbs, forgotten, lost, doubled, denied, strange, misreported, unprotected, offenders } = audit;
  const wrong = forgotten + lost + doubled + denied + strange + misreported + unprotected;
  const done = Object.entries(audit.states).filter(([name]) => name.endsWith('succeeded'));
  const succeeded = done.reduce((sum, [, count]) => sum + count, 0);
  return {
    promise: 'VERBS',
    text: `cancels, edits, closes and tp-sl beside orders, v1 and v2, network of ${style}`,
    figure:
      `${verbs} verbs ${JSON.stringify(audit.states)}: ${lost} lost, ${doubled} doubled, ${denied + forgotten + strange + misreported} reported wrongly, ` +
      `${unprotected} unprotected and not reported (${audit.told} reported), ${audit.repeated} filled again and told; at most ${mostRequests} requests and ${mostLookUps} look-ups at one miner, ${harms.kill} kills, ${harms.cut} cuts, in ${seconds(tookMs)}${offenders.map((offender) => `; ${offender}`).join('')}`,
    bound: `0 lost, 0 doubled, 0 reported wrongly, 0 unprotected and not reported; at most ${threads} requests, and a look-up, with one for each kill`,
    kept: wrong === 0 && verbs > 0 && succeeded > verbs / 2 && mostRequests <= threads && mostLookUps <= 1 + harms.kill,
  };
}
