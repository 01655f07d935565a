import { type Client, type Credentials, connect, ServiceError } from '../../client/index.ts';
import { type LedgerEntry, openLedgers } from './ledgers.ts';
import { showing } from './print.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';
import type { Service } from './service.ts';

/** A step without the expected result. Its message is the reason with which the tour fails. */
export class StepFailed extends Error {}

/** An effect that a chapter expects in the ledger: its kind, and the members to compare. */
export type Expected = { kind: string } & Partial<Pick<LedgerEntry, 'key' | 'pair' | 'subaccount_id'>>;

/** Guides through the service: its clients show every request and response, and each step is compared with the ledgers. */
export type Guide = {
  say(line: string): void;
  /** A caller with other credentials or headers. */
  as(credentials: Credentials, headers?: Record<string, string>): Client;
  /** The partner. */
  partner: Client;
  /** The tenant app. */
  app: Client;
  /** A user of the app. */
  user(session: string): Client;
  /** Checks that a call is rejected with this code; returns the error. */
  rejected(code: string, call: Promise<unknown>): Promise<ServiceError>;
  /** Repeats a read until `isDone` is true of what it finds. */
  until<Found>(read: () => Promise<Found>, isDone: (found: Found) => boolean): Promise<Found>;
  /** Shows a passed check. Throws if `right` is false. */
  check(what: string, right: boolean): void;
  /** Checks that the ledgers gained exactly these effects since the last check, in any order. Waits for late ones. */
  gained(...expected: Expected[]): Promise<LedgerEntry[]>;
  /** The sandbox's upstreams, to control and read. */
  sandbox: Sandbox;
};

/** A part of the tour. `notes` passes values from chapter to chapter. */
export type Chapter = { title: string; walk(guide: Guide, notes: Map<string, string>): Promise<void> };

/** The header that says whom a chapter trades for. */
export type Trader = { 'Trader-ID': string };

/** A chapter that walks its steps in their order, each as the network trader of the notes. */
export const traderChapter = (title: string, ...steps: ((guide: Guide, as: Trader) => Promise<void>)[]): Chapter => ({
  title,
  async walk(guide, notes) {
    for (const step of steps) await step(guide, { 'Trader-ID': notes.get('trader') ?? '' });
  },
});

const POLLS = 100;
const POLL_EVERY_MS = 200;

/** Opens a guide through a running service. Earlier ledger entries do not count. */
export async function openGuide(service: Service, say: (line: string) => void): Promise<Guide> {
  const { url: baseUrl, key: partnerKey, ledgers } = service;
  const asApp = { clientId: service.app.client_id, clientSecret: service.app.client_secret };
  const gainedSince = await openLedgers(ledgers);
  const fetch = showing(say);
  const as: Guide['as'] = (credentials, headers = {}) => connect({ baseUrl, credentials, headers, fetch });

  const check: Guide['check'] = (what, right) => {
    if (!right) throw new StepFailed(what);
    say(`  ✓   ${what}`);
  };

  return {
    say,
    as,
    check,
    partner: as({ partnerKey }),
    app: as(asApp),
    user: (session) => as(asApp, { 'X-Session-Token': session }),
    sandbox: openSandbox(service, say),
    async rejected(code, call) {
      const error = await call.catch((reason) => reason);
      if (!(error instanceof ServiceError)) throw new StepFailed(`It was not rejected with ${code}`);
      check(`rejected: ${code}, effect ${error.effect ?? 'none, as nothing was written'}`, error.code === code);
      return error;
    },
    async until(read, isDone) {
      for (let polls = 0; polls < POLLS; polls++) {
        const found = await read();
        if (isDone(found)) return found;
        await pause(POLL_EVERY_MS);
      }
      throw new StepFailed('It did not reach the expected state');
    },
    async gained(...expected) {
      const entries = await gainedSince();
      for (let polls = 0; entries.length < expected.length && polls < POLLS; polls++) {
        await pause(POLL_EVERY_MS);
        entries.push(...(await gainedSince()));
      }
      const found = shownEffects(entries);
      const right =
        entries.length === expected.length && expected.every((effect) => entries.some((entry) => fits(entry, effect)));
      check(right ? `ledger: ${found}` : `The ledger gained ${found}, not ${shownEffects(expected)}`, right);
      return entries;
    },
  };
}

const fits = (entry: LedgerEntry, effect: Expected) =>
  Object.entries(effect).every(([name, value]) => entry[name as keyof Expected] === value); // the names are Expected's

const shownEffects = (effects: Expected[]) =>
  effects.map(({ kind, pair, key }) => [kind, pair, key].filter(Boolean).join(' ')).join('; ') || 'nothing';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
