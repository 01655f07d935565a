import { expect } from 'chai';
import { fresh, type Identity, PASSWORD, startIdentity, type TestApp } from '../support/identity.ts';

const SAMPLES = 300; // a side
const WITHIN = 0.05;
const ROUNDS = 3; // a difference of the service's shows in every round, one of a busy machine does not
const CRITICAL_Z = 3.29; // two-sided, one in a thousand

describe('known and unknown addresses', function () {
  this.timeout(240_000);
  let service: Identity;
  let app: TestApp;
  let known: string[];
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '10000' }, false);
    app = await service.app();
    known = await verifiedUsers(20);
  });
  after(() => service.stop());

  /** Users made straight away: their mails are of no interest here. */
  async function verifiedUsers(count: number): Promise<string[]> {
    const emails = Array.from({ length: count }, () => `${fresh('known')}@example.com`);
    for (const email of emails) await app.ask('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
    const { sql } = await import('slonik');
    await service.db.query(sql.unsafe`update users set verified_at = now()`);
    return emails;
  }

  const operations = {
    login: (email: string) => ['/v2/auth/login', { email, password: 'wrong horse battery' }, 401],
    signup: (email: string) => ['/v2/auth/signup', { email, password: PASSWORD }, 200],
    resend: (email: string) => ['/v2/auth/resend-otp', { email }, 200],
    reset: (email: string) => ['/v2/auth/password-reset/request', { email }, 200],
  } as const satisfies Record<string, (email: string) => readonly [path: string, json: object, status: number]>;

  for (const [name, request] of Object.entries(operations)) {
    it(`are answered alike by ${name}: status, body, and time`, async () => {
      const ask = async (email: string) => {
        const [path, json, status] = request(email);
        const startedAt = performance.now();
        const reply = await app.ask('POST', path, { json });
        if (reply.status !== status) throw new Error(JSON.stringify(reply.body));
        return { ms: performance.now() - startedAt, said: shapeOf(reply.status, reply.body, email) };
      };
      for (let n = 0; n < 20; n += 1) await ask(`${fresh('warm')}@example.com`);

      const rounds: { ratio: number; z: number }[] = [];
      do rounds.push(await compare(name, ask));
      while (rounds.length < ROUNDS && !rounds.some(isAlike));

      expect(rounds.some(isAlike), JSON.stringify(rounds)).to.equal(true);
    });
  }

  /** Asks for known and unknown addresses in random order, and compares what came and how long it took. */
  async function compare(name: string, ask: (email: string) => Promise<{ ms: number; said: string }>) {
    const sides = { known: [] as number[], unknown: [] as number[] };
    const said = { known: new Set<string>(), unknown: new Set<string>() };
    for (let n = 0; n < SAMPLES; n += 1) {
      const order = Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
      for (const side of order) {
        const email = side === 'known' ? (known[n % known.length] ?? '') : `${fresh('stranger')}@example.com`;
        const sample = await ask(email);
        sides[side].push(sample.ms);
        said[side].add(sample.said);
      }
    }
    expect([...said.known]).to.deep.equal([...said.unknown]);
    expect([...said.known]).to.have.length(1);
    const [a, b] = [median(sides.known), median(sides.unknown)];
    const [ratio, z] = [a / b, rankZ(sides.known, sides.unknown)];
    console.log(
      `      ${name}: medians ${a.toFixed(2)} and ${b.toFixed(2)} ms, ratio ${ratio.toFixed(3)}, z ${z.toFixed(2)}`,
    );
    return { ratio, z };
  }
});

const isAlike = ({ ratio, z }: { ratio: number; z: number }) =>
  Math.abs(ratio - 1) < WITHIN && Math.abs(z) < CRITICAL_Z;

/** An answer without what is the caller's own: the address, ids, and the request's id. */
const shapeOf = (status: number, body: object, email: string) =>
  `${status} ${JSON.stringify(body)
    .replaceAll(email, '<email>')
    .replace(/usr_[\w-]+/g, '<id>')
    .replace(/"request_id":"[^"]+"/, '')}`;

const median = (samples: number[]) => [...samples].sort((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0;

/** The rank test of Mann and Whitney: the standard score of one side's rank sum under the hypothesis that both are alike. */
function rankZ(a: number[], b: number[]): number {
  const ranked = [...a.map((ms) => ({ ms, mine: true })), ...b.map((ms) => ({ ms, mine: false }))].sort(
    (x, y) => x.ms - y.ms,
  );
  const sum = ranked.reduce((total, { mine }, index) => total + (mine ? index + 1 : 0), 0);
  const u = sum - (a.length * (a.length + 1)) / 2;
  const mean = (a.length * b.length) / 2;
  return (u - mean) / Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12);
}
