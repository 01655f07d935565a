import { expect } from 'chai';
import fc from 'fast-check';
import { webhooks } from '../../src/adapters/webhook/index.ts';
import { type Relay, relayTo } from '../support/relay.ts';
import { realSockets } from '../support/sockets.ts';
import { changed, changes, KINDS } from '../support/wire/broken.ts';
import { type Operation, recordOperations } from '../support/wire/operations.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 15);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const WRITES = ['accepted', 'rejected', 'unproven', 'unreachable', 'unknown'];
const READS = ['found', 'absent', 'unreadable'];
const STATUSES = [200, 201, 204, 301, 400, 401, 402, 403, 404, 409, 422, 429, 500, 502, 503, 504];
const TYPES = ['application/json', 'text/html', 'text/plain', ''];

const SMALL = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter((kind) => !kind.startsWith('large')); // as: its own keys

const replies = fc.record({
  status: fc.constantFrom(...STATUSES),
  type: fc.constantFrom(...TYPES),
  kind: fc.oneof(fc.constantFrom(...SMALL), fc.constant('whole' as const)),
  list: changes,
});
type Broken = typeof replies extends fc.Arbitrary<infer T> ? T : never;

/** Replies that have done harm, always tried. */
const SEEN: Broken[] = [
  { status: 503, type: 'application/json', kind: 'string', list: [] },
  { status: 503, type: 'application/json', kind: 'null', list: [] },
  { status: 503, type: 'application/json', kind: 'object', list: [] },
  { status: 503, type: 'application/json', kind: 'whole', list: [] },
  { status: 401, type: 'text/html', kind: 'html', list: [] },
  { status: 200, type: 'application/json', kind: 'object', list: [] },
  { status: 200, type: 'application/json', kind: 'large', list: [] },
  { status: 200, type: 'text/plain', kind: 'large_text', list: [] },
  { status: 503, type: 'text/plain', kind: 'large_text', list: [] },
];

describe('any reply on the wire', () => {
  let recorded: Awaited<ReturnType<typeof recordOperations>>;
  let receiver: Relay;
  let unmocked: () => void;
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  const receivers = webhooks({ allowLoopback: true });
  before(async () => {
    unmocked = realSockets();
    process.on('unhandledRejection', note);
    recorded = await recordOperations();
    receiver = await relayTo('');
  });
  after(async () => {
    receivers.close();
    await receiver.close();
    await recorded.close();
    process.off('unhandledRejection', note);
    unmocked();
  });

  /** Every request of the operation gets its recorded reply, broken in this way. */
  async function tried({ name, isWrite, relay, call, samples }: Operation, broken: Broken): Promise<string[]> {
    let n = 0;
    relay.handle = async () => {
      const sample = samples[Math.min(n++, samples.length - 1)];
      return reply(broken, sample && sample !== 'lost' ? sample.body.toString() : '');
    };
    const result = await Promise.race([call(), late()]).catch((error: Error) => error);
    const faults =
      result instanceof Error ? [String(result.stack)] : faultsOf(result, isWrite ? WRITES : READS, broken);
    return faults.map((fault) => `${name}: ${fault}`);
  }

  const tryAll = async (broken: Broken): Promise<string[]> => {
    const byRelay = Map.groupBy(recorded.operations, ({ relay }) => relay);
    const faults = await Promise.all(
      [...byRelay.values()].map(async (operations) => {
        const found: string[] = [];
        for (const operation of operations) found.push(...(await tried(operation, broken)));
        return found;
      }),
    );
    receiver.handle = async () => reply(broken, '{"ok":true}');
    const outgoing = { deliveryId: 'whd_1', eventType: 'a.b', url: receiver.url, body: '{}', secrets: ['whsec_AAAA'] };
    const delivered = await receivers.send(outgoing);
    return delivered.kind === 'response' ? faults.flat() : [...faults.flat(), `webhook: ${JSON.stringify(delivered)}`];
  };

  it('is one of its adapter’s results, and ends no process', async function () {
    this.timeout(RUNS * 8_000);
    for (const broken of [...SEEN, ...fc.sample(replies, { numRuns: RUNS, seed: SEED })])
      expect(await tryAll(broken), JSON.stringify(broken)).to.deep.equal([]);
    expect(unhandled).to.deep.equal([]);
  });
});

/** What is wrong with a result: its kind, members without a value, or a conclusion that the status does not allow. */
function faultsOf(result: { kind: string }, kinds: string[], { status, kind }: Broken): string[] {
  const faults = gapsIn(result).map((path) => `no value at ${path}`);
  if (!kinds.includes(result.kind)) faults.push(`the kind ${result.kind}`);
  const isWrite = kinds === WRITES;
  if (isWrite && status >= 500 && kind !== 'whole' && !/unknown|unreachable/.test(result.kind))
    faults.push(`${result.kind} by ${status}`);
  if (status >= 300 && result.kind === 'found') faults.push(`found by ${status}`);
  return faults;
}

const LATE_MS = 20_000; // a call that is still open then never ends
const late = () => new Promise<never>((_, reject) => setTimeout(() => reject(new Error('no result')), LATE_MS).unref());

const reply = ({ status, type, kind, list }: Broken, body: string) => ({
  status,
  headers: { ...(type && { 'content-type': type }) },
  body: status === 204 ? '' : KINDS[kind](changed(body, list)),
});

/** Where a result holds no value: a member that is undefined or not a number although its type says it is there. */
function gapsIn(value: unknown, path = ''): string[] {
  if (value === undefined || Number.isNaN(value) || value === 'undefined') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => gapsIn(member, `${path}.${name}`));
}
