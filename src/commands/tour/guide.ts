import got, { type Method } from 'got';
import { openSandbox, type Sandbox } from './sandbox.ts';
import type { Service } from './service.ts';

/** A step without the expected result. Its message is the reason with which the tour fails. */
export class StepFailed extends Error {}

/** `body` is sent as JSON with the partner key, unless `headers` differ. A `form` contains its own credentials. */
type Request = { method: Method; path: string; headers?: Record<string, string>; expect: number } & Partial<{
  body: object;
  form: Record<string, string>;
}>;

// Each response has the shape of its operation. The tour reads a few members of each and checks those.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type TourResponse = { status: number; headers: Record<string, unknown>; body: any };

/** One entry of a sandbox ledger, with the members that the tour reads. */
type Entry = {
  kind: string;
  key: string;
  pair?: string;
  subaccount_id?: number;
  detail: Record<string, unknown>;
};

/** An effect that a chapter expects in the ledger: its kind, and the members to compare. */
export type Expected = { kind: string } & Partial<Pick<Entry, 'key' | 'pair' | 'subaccount_id'>>;

/** Guides through the service: shows every request and response, and compares each step with the sandbox's ledgers. */
export type Guide = {
  say(line: string): void;
  /** Sends a request and shows it with its response. Throws unless the status is the expected one. */
  ask(request: Request): Promise<TourResponse>;
  /** Polls the `Location` of a 202 until the work has ended. */
  poll(response: TourResponse, headers?: Record<string, string>): Promise<TourResponse>;
  /** Repeats a request without output until `isDone` is true of the body, then sends and shows it once more. */
  until(request: Request, isDone: (body: TourResponse['body']) => boolean): Promise<TourResponse>;
  /** Shows a passed check. Throws if `right` is false. */
  check(what: string, right: boolean): void;
  /** Checks that the ledgers gained exactly these effects since the last check, in any order. Waits for late ones. */
  gained(...expected: Expected[]): Promise<Entry[]>;
  /** The sandbox's upstreams, to control and read. */
  sandbox: Sandbox;
  /** The credentials of the tenant app. */
  app: Service['app'];
  /** The service itself, for callers of its own kind. */
  service: Pick<Service, 'url' | 'key' | 'app'>;
};

/** The headers that say who a chapter calls as. */
export type As = Record<string, string>;

/** A part of the tour. `notes` passes values from chapter to chapter. */
export type Chapter = { title: string; walk(guide: Guide, notes: Map<string, string>): Promise<void> };

type TraderStep = (guide: Guide, as: As) => Promise<void>;

/** A chapter that walks its steps in their order, each as the network trader of the notes. */
export const traderChapter = (title: string, ...steps: TraderStep[]): Chapter => ({
  title,
  async walk(guide, notes) {
    const as = { 'Trader-ID': notes.get('trader') ?? '' };
    for (const step of steps) await step(guide, as);
  },
});

const POLLS = 100;
const POLL_EVERY_MS = 200;
const OPEN = ['pending', 'unknown', 'queued', 'running', 'in_doubt'];

/** Opens a guide through a running service. Earlier ledger entries do not count. */
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
    const response = await asPartner(request);
    say(
      `  ${response.status}  ${JSON.stringify(response.body, withoutSecrets)}${shownHeaders(pick(response.headers))}`,
    );
    if (response.status !== expect)
      throw new StepFailed(`${method} ${path} responded ${response.status} instead of ${expect}`);
    return response;
  };

  const until: Guide['until'] = async (request, isDone) => {
    for (let polls = 0; polls < POLLS; polls++) {
      const { status, body } = await asPartner(request);
      if (status === request.expect && isDone(body)) return ask(request);
      await pause(POLL_EVERY_MS);
    }
    throw new StepFailed(`${request.path} did not reach the expected state`);
  };

  const check: Guide['check'] = (what, right) => {
    if (!right) throw new StepFailed(what);
    say(`  ✓   ${what}`);
  };

  return {
    say,
    ask,
    check,
    sandbox: openSandbox(service, say),
    app,
    service,
    until,
    poll: ({ headers: { location } }, headers = {}) =>
      until(
        { method: 'GET', path: String(location), headers, expect: 200 },
        ({ status, state }) => !OPEN.includes(status ?? state),
      ),
    async gained(...expected) {
      const entries = await gainedSince();
      for (let polls = 0; entries.length < expected.length && polls < POLLS; polls++) {
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

async function send(url: string, { method, path, body, form, headers }: Request): Promise<TourResponse> {
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

/** Returns a function for the entries that all ledgers have gained since its last call. The first call happens here. */
async function openLedgers(addresses: string[]): Promise<() => Promise<Entry[]>> {
  const readUpTo = new Map<string, number>();
  const readNew = async (address: string): Promise<Entry[]> => {
    const after = readUpTo.get(address) ?? 0;
    const entries = await got(address, { searchParams: { after } }).json<Entry[]>();
    readUpTo.set(address, after + entries.length);
    return entries;
  };
  const readAll = async () => (await Promise.all(addresses.map(readNew))).flat();
  await readAll();
  return readAll;
}

const SECRETS = ['private_key', 'client_secret', 'password', 'access_token', 'session_token', 'secret'];
const SECRET_HEADERS = ['Authorization', 'X-Session-Token'];
const NOT_SHOWN = '(not shown)';

const withoutSecrets = (name: string, value: unknown) => (value && SECRETS.includes(name) ? NOT_SHOWN : value);

const fits = (entry: Entry, effect: Expected) =>
  Object.entries(effect).every(([name, value]) => entry[name as keyof Expected] === value); // the names are Expected's

const shownEffect = ({ kind, pair, key }: Expected) => [kind, pair, key].filter(Boolean).join(' ');

const shownHeaders = (headers: Record<string, unknown>) =>
  Object.entries(headers)
    .map(([name, value]) => `   ${name}: ${SECRET_HEADERS.includes(name) ? NOT_SHOWN : value}`)
    .join('');

const SHOWN = ['location', 'retry-after', 'preference-applied', 'idempotent-replayed', 'www-authenticate'];
const pick = (headers: Record<string, unknown>) =>
  Object.fromEntries(SHOWN.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
