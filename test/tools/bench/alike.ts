import { type AlikeOperation, alike, askAlike, unknownAddress, verifiedUsers } from '../../support/alike.ts';
import { startIdentity, type TestApp } from '../../support/identity.ts';
import { type Extent, type Figures, type Row, reported, within } from './figures.ts';

const WITHIN = 0.05;
const ROUNDS = 3; // a difference caused by the service appears in every round; one caused by machine load does not
const CRITICAL_Z = 3.29; // two-sided, 1 in 1,000

type Round = { known: number; unknown: number; ratio: number; z: number };

/** ALIKE: whether response times reveal that an address is known. */
export async function measureAlike({ small }: Extent): Promise<Figures> {
  const samples = small ? 20 : 300;
  const service = await startIdentity({ THROTTLE_SCALE: '10000' }, false);
  const app = await service.app();
  const known = await verifiedUsers(service, app, 20);
  const rows: Row[] = [];
  for (const operation of Object.keys(alike) as AlikeOperation[]) {
    for (let n = 0; n < 20; n += 1) await askAlike(app, operation, unknownAddress()); // warm-up
    const rounds: Round[] = [];
    do rounds.push(await compare(app, operation, known, samples));
    while (rounds.length < ROUNDS && !rounds.some(isAlike));
    rows.push(...rowsOf(operation, rounds));
  }
  await service.stop();
  return { name: 'ALIKE', title: `responses for known addresses, against unknown ones; ${samples} of each`, rows };
}

/** Sends requests for known and unknown addresses in random order, and compares the durations. */
async function compare(app: TestApp, operation: AlikeOperation, addresses: string[], samples: number): Promise<Round> {
  const sides = { known: [] as number[], unknown: [] as number[] };
  for (let n = 0; n < samples; n += 1) {
    const order = Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    for (const side of order) {
      const email = side === 'known' ? (addresses[n % addresses.length] ?? '') : unknownAddress();
      sides[side].push((await askAlike(app, operation, email)).ms);
    }
  }
  const [known, unknown] = [median(sides.known), median(sides.unknown)];
  return { known, unknown, ratio: known / unknown, z: rankZ(sides.known, sides.unknown) };
}

/** The rows of the round with the smallest difference. */
function rowsOf(operation: AlikeOperation, rounds: Round[]): Row[] {
  const best = rounds.find(isAlike) ?? rounds.at(-1);
  if (!best) return [];
  const { known, unknown, ratio, z } = best;
  return [
    reported({ what: `${operation}, median`, figure: known, reference: unknown, ratio, unit: 'ms' }),
    within(WITHIN * 100, {
      what: `${operation}, difference of the medians`,
      figure: Math.abs(ratio - 1) * 100,
      unit: '%',
    }),
    within(CRITICAL_Z, { what: `${operation}, rank test`, figure: Math.abs(z), unit: 'z' }),
  ];
}

const isAlike = ({ ratio, z }: Round) => Math.abs(ratio - 1) < WITHIN && Math.abs(z) < CRITICAL_Z;

const median = (samples: number[]) => [...samples].sort((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0;

/**
 * The rank test of Mann and Whitney: the standard score of one side's rank sum under the hypothesis that both sides are
 * alike.
 */
function rankZ(a: number[], b: number[]): number {
  const ranked = [...a.map((ms) => ({ ms, isFirst: true })), ...b.map((ms) => ({ ms, isFirst: false }))].sort(
    (x, y) => x.ms - y.ms,
  );
  const sum = ranked.reduce((total, { isFirst }, index) => total + (isFirst ? index + 1 : 0), 0);
  const u = sum - (a.length * (a.length + 1)) / 2;
  const mean = (a.length * b.length) / 2;
  return (u - mean) / Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12);
}
