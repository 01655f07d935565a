import got, { type Method } from 'got';
import type { Entry } from '../../src/sandbox/ledger.ts';
import type { Service } from './service.ts';

/** A step that did not come out right; its message is the reason the tour ends with. */
export class Astray extends Error {}

type Request = { method: Method; path: string; body?: object; headers?: Record<string, string>; expect: number };

// Answers have the shape of their operation; the tour reads a few members of each and checks what it reads.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Answer = { status: number; headers: Record<string, unknown>; body: any };

/** An effect as a chapter expects it in the ledger: the kind, and what else it wants to be sure of. */
export type Expected = { kind: string } & Partial<Pick<Entry, 'key' | 'pair' | 'subaccount_id'>>;

/** Walks through the service: shows every request and answer, and holds each against the sandbox's ledger. */
export type Guide = {
  say(line: string): void;
  /** Sends a request, shows it with its answer, and goes astray on any other status than the expected one. */
  ask(request: Request): Promise<Answer>;
  /** Asks the `Location` of a 202 until the work has ended. */
  poll(answer: Answer, headers?: Record<string, string>): Promise<Answer>;
  check(what: string, right: boolean): void;
  /** The ledgers of all parties gain exactly these effects after the last look, in any order; late ones are waited for. */
  gained(...expected: Expected[]): Promise<Entry[]>;
};

/** A part of the tour. `told` hands values on from chapter to chapter. */
export type Chapter = { title: string; walk(guide: Guide, told: Map<string, string>): Promise<void> };

const POLLS = 100;
const POLL_EVERY_MS = 200;
const OPEN = ['pending', 'unknown', 'queued', 'running', 'in_doubt'];

/** A guide through a running service. Nothing of an earlier visit to its ledger counts. */
export async function openGuide({ url, key, ledgers }: Service, say: (line: string) => void): Promise<Guide> {
  const gainedSince = await openLedgers(ledgers);

  const ask: Guide['ask'] = async ({ method, path, body, headers = {}, expect }) => {
    say(`  ${method} ${path}${shownHeaders(headers)}`);
    if (body) say(`      ${JSON.stringify(body, withoutSecrets)}`);
    const answer = await send(url, { method, path, body, headers: { Authorization: `Bearer ${key}`, ...headers } });
    say(`  ${answer.status}  ${JSON.stringify(answer.body)}${shownHeaders(pick(answer.headers))}`);
    if (answer.status !== expect) throw new Astray(`${method} ${path} answered ${answer.status} instead of ${expect}`);
    return answer;
  };

  const check: Guide['check'] = (what, right) => {
    if (!right) throw new Astray(what);
    say(`  ✓   ${what}`);
  };

  return {
    say,
    ask,
    check,
    async poll(answer, headers = {}) {
      const path = String(answer.headers.location);
      for (let polls = 0; polls < POLLS; polls++) {
        const { status, body } = await send(url, {
          method: 'GET',
          path,
          headers: { Authorization: `Bearer ${key}`, ...headers },
        });
        if (status !== 200 || OPEN.includes(body.status ?? body.state)) await pause(POLL_EVERY_MS);
        else return ask({ method: 'GET', path, headers, expect: 200 });
      }
      throw new Astray(`${path} did not come to an end`);
    },
    async gained(...expected) {
      const entries = await gainedSince();
      for (let looks = 0; entries.length < expected.length && looks < POLLS; looks++) {
        await pause(POLL_EVERY_MS);
        entries.push(...(await gainedSince()));
      }
      const found = entries.map(shownEffect).join('; ') || 'nothing';
      const right =
        entries.length === expected.length && expected.every((effect) => entries.some((entry) => fits(entry, effect)));
      check(
        right
          ? `ledger: ${found}`
          : `The ledger gained ${found}, not ${expected.map(shownEffect).join('; ') || 'nothing'}`,
        right,
      );
      return entries;
    },
  };
}

type Sent = { method: Method; path: string; body?: object | undefined; headers: Record<string, string> };

async function send(url: string, { method, path, body, headers }: Sent): Promise<Answer> {
  const response = await got(url + path, {
    method,
    headers,
    ...(body && { json: body }),
    throwHttpErrors: false,
    retry: { limit: 0 },
  });
  return {
    status: response.statusCode,
    headers: response.headers,
    body: response.body === '' ? undefined : JSON.parse(response.body),
  };
}

/** Answers what all the ledgers together have gained since the last look; this one counts as the first. */
async function openLedgers(addresses: string[]): Promise<() => Promise<Entry[]>> {
  const seen = new Map<string, number>();
  const look = async (address: string): Promise<Entry[]> => {
    const after = seen.get(address) ?? 0;
    const entries = await got(address, { searchParams: { after } }).json<Entry[]>();
    seen.set(address, after + entries.length);
    return entries;
  };
  const lookAtAll = async () => (await Promise.all(addresses.map(look))).flat();
  await lookAtAll();
  return lookAtAll;
}

const withoutSecrets = (name: string, value: unknown) => (name === 'private_key' ? '(not shown)' : value);

const fits = (entry: Entry, effect: Expected) =>
  Object.entries(effect).every(([name, value]) => entry[name as keyof Expected] === value); // the names are Expected's own

const shownEffect = ({ kind, pair, key }: Expected) => [kind, pair, key].filter(Boolean).join(' ');

const shownHeaders = (headers: Record<string, unknown>) =>
  Object.entries(headers)
    .map(([name, value]) => `   ${name}: ${value}`)
    .join('');

const SHOWN = ['location', 'retry-after', 'preference-applied', 'idempotent-replayed', 'www-authenticate'];
const pick = (headers: Record<string, unknown>) =>
  Object.fromEntries(SHOWN.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
