import got, { type Method } from 'got';
import type { Entry } from '../../src/sandbox/ledger.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import type { Service } from './service.ts';

/** A step that did not come out right; its message is the reason the tour ends with. */
export class Astray extends Error {}

/** `body` goes out as JSON with the partner key, unless headers say otherwise; a `form` brings its own credentials. */
type Request = { method: Method; path: string; headers?: Record<string, string>; expect: number } & Partial<{
  body: object;
  form: Record<string, string>;
}>;

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
  /** Repeats a request, quietly, until its answer's body is so; then sends and shows it once more. */
  until(request: Request, isSo: (body: Answer['body']) => boolean): Promise<Answer>;
  check(what: string, right: boolean): void;
  /** The ledgers of all parties gain exactly these effects after the last look, in any order; late ones are waited for. */
  gained(...expected: Expected[]): Promise<Entry[]>;
  /** The outside parties, to be moved by hand and looked at. */
  sandbox: Sandbox;
  /** The credentials of the tenant app. */
  app: Service['app'];
};

/** A part of the tour. `told` hands values on from chapter to chapter. */
export type Chapter = { title: string; walk(guide: Guide, told: Map<string, string>): Promise<void> };

const POLLS = 100;
const POLL_EVERY_MS = 200;
const OPEN = ['pending', 'unknown', 'queued', 'running', 'in_doubt'];

/** A guide through a running service. Nothing of an earlier visit to its ledger counts. */
export async function openGuide(service: Service, say: (line: string) => void): Promise<Guide> {
  const { url, key, ledgers, app } = service;
  const gainedSince = await openLedgers(ledgers);
  const partner = { Authorization: `Bearer ${key}` };
  const asPartner = (request: Request) =>
    send(url, { ...request, headers: { ...(!request.form && partner), ...request.headers } });

  const ask: Guide['ask'] = async (request) => {
    const { method, path, body, form, headers = {}, expect } = request;
    say(`  ${method} ${path}${shownHeaders(headers)}`);
    if (body ?? form) say(`      ${JSON.stringify(body ?? form, withoutSecrets)}`);
    const answer = await asPartner(request);
    say(`  ${answer.status}  ${JSON.stringify(answer.body, withoutSecrets)}${shownHeaders(pick(answer.headers))}`);
    if (answer.status !== expect) throw new Astray(`${method} ${path} answered ${answer.status} instead of ${expect}`);
    return answer;
  };

  const until: Guide['until'] = async (request, isSo) => {
    for (let asked = 0; asked < POLLS; asked++) {
      const { status, body } = await asPartner(request);
      if (status === request.expect && isSo(body)) return ask(request);
      await pause(POLL_EVERY_MS);
    }
    throw new Astray(`${request.path} did not come to the expected end`);
  };

  const check: Guide['check'] = (what, right) => {
    if (!right) throw new Astray(what);
    say(`  ✓   ${what}`);
  };

  return {
    say,
    ask,
    check,
    sandbox: openSandbox(service, say),
    app,
    until,
    poll: ({ headers: { location } }, headers = {}) =>
      until(
        { method: 'GET', path: String(location), headers, expect: 200 },
        ({ status, state }) => !OPEN.includes(status ?? state),
      ),
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

async function send(url: string, { method, path, body, form, headers }: Request): Promise<Answer> {
  const response = await got(url + path, {
    method,
    ...(headers && { headers }),
    ...(body && { json: body }),
    ...(form && { form }),
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

const SECRETS = ['private_key', 'client_secret', 'password', 'access_token', 'session_token', 'secret'];
const SECRET_HEADERS = ['Authorization', 'X-Session-Token'];
const NOT_SHOWN = '(not shown)';

const withoutSecrets = (name: string, value: unknown) => (value && SECRETS.includes(name) ? NOT_SHOWN : value);

const fits = (entry: Entry, effect: Expected) =>
  Object.entries(effect).every(([name, value]) => entry[name as keyof Expected] === value); // the names are Expected's own

const shownEffect = ({ kind, pair, key }: Expected) => [kind, pair, key].filter(Boolean).join(' ');

const shownHeaders = (headers: Record<string, unknown>) =>
  Object.entries(headers)
    .map(([name, value]) => `   ${name}: ${SECRET_HEADERS.includes(name) ? NOT_SHOWN : value}`)
    .join('');

const SHOWN = ['location', 'retry-after', 'preference-applied', 'idempotent-replayed', 'www-authenticate'];
const pick = (headers: Record<string, unknown>) =>
  Object.fromEntries(SHOWN.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
