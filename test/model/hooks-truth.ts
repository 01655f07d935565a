import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import {
  type Detail,
  ENDPOINTS,
  type Listed,
  listDeliveries,
  type Request,
  type World,
  type WorldApp,
} from './hooks-world.ts';

/** An endpoint as its owner knows it: what it did to it, and when, by the clock of the model. */
export type OwnedEndpoint = {
  id: string;
  paths: string[];
  events: string[];
  active: boolean;
  createdAt: number;
  secrets: { secret: string; from: number; until: number }[];
  /** Times, in real milliseconds, in which it was silent: nothing may come from shortly after the first until the second. */
  silences: { fromMs: number; toMs: number }[];
  /** Attempts before a delivery was last queued again, by its id. */
  before: Map<string, number>;
  /** Deliveries as they were listed when they were last found right. */
  checked: Map<string, string>;
};

/** An event that was sent, and the endpoints that it was for. */
export type EmittedEvent = { id: string; type: string; n: number; at: number; to: OwnedEndpoint[]; isTest: boolean };

const H = 3_600;
/** Webhooks guide: 5 s, 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h and 36 h (± 20 %). */
const PLAN_S = [5, 60, 300, 1_800, 2 * H, 6 * H, 12 * H, 24 * H, 36 * H];
const CLOCK_S = 2; // between the receiver's clock and the database's, with what a step of the clock takes
const UNDER_WAY_MS = 700; // what had left before it was told to be silent

const matches = (known: OwnedEndpoint, type: string) => known.events.includes('*') || known.events.includes(type);

/** Whether an event of a type would be delivered to an endpoint now. */
export const receives = (known: OwnedEndpoint, type: string): boolean => known.active && matches(known, type);

/** How many deliveries a recovery since ever has to queue. */
export function missedBy(known: OwnedEndpoint, sent: EmittedEvent[], listed: Listed[]): number {
  const had = new Set(listed.map(({ event_id }) => event_id));
  const ended = listed.filter(({ status }) => status === 'failed' || status === 'cancelled').length;
  const never = sent.filter(
    (one) => !one.isTest && !had.has(one.id) && one.at >= known.createdAt && matches(known, one.type),
  );
  return ended + never.length;
}

/** Whether each request to an endpoint is right by itself: signed, whole, its own, and not while it was silent. */
export function checkRequests(known: OwnedEndpoint, ledger: Request[], sent: EmittedEvent[]): void {
  const mine = ledger.filter(({ path }) => known.paths.includes(path));
  const own = new Map(sent.map((one) => [one.id, one]));
  for (const request of mine) {
    const envelope = JSON.parse(request.body) as { id: string; type: string; data: { n?: number } };
    const event = own.get(envelope.id);
    expect(event, `an event of this owner: ${request.body}`).not.to.equal(undefined);
    expect(envelope.type).to.equal(event?.type);
    expect(request.headers['x-service-event']).to.equal(event?.type);
    if (!event?.isTest) expect(envelope.data.n, 'its data').to.equal(event?.n);
    checkSignature(known, request);
    for (const { fromMs, toMs } of known.silences)
      expect(request.realMs > fromMs + UNDER_WAY_MS && request.realMs < toMs, `silent: ${request.path}`).to.equal(
        false,
      );
  }
  expect(ledger.filter(({ path }) => path === '/stolen')).to.deep.equal([]);
}

/** Every secret that was valid for sure has signed, and none that was not. */
function checkSignature(known: OwnedEndpoint, { headers, body, at, realMs }: Request): void {
  const [time, ...given] = String(headers['x-service-signature']).split(',');
  const t = String(time).slice(2);
  expect(realMs / 1_000 - Number(t), 'signed as it was sent').to.be.within(-1, 3);
  const of = (secret: string) => `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`;
  const within = (byMs: number) =>
    known.secrets.filter(({ from, until }) => from < at - byMs && at + byMs < until).map(({ secret }) => of(secret));
  expect(given, 'the secrets that are valid sign').to.include.members(within(CLOCK_S * 1_000));
  expect(within(-CLOCK_S * 1_000), 'no other does').to.include.members(given);
}

/** Whether the deliveries of an endpoint are told as they were, and each event for it has one. */
export async function checkDeliveries(
  world: World,
  app: WorldApp,
  known: OwnedEndpoint,
  sent: EmittedEvent[],
  isOver: boolean,
): Promise<void> {
  const listed = await listDeliveries(app, known.id);
  const had = new Set(listed.map(({ event_id }) => event_id));
  for (const one of sent.filter(({ to }) => to.includes(known)))
    expect(had.has(one.id), `event ${one.n} is delivered or shown`).to.equal(true);
  expect(had.size, 'one delivery of an event').to.equal(listed.length);
  const now = await app.ask('GET', ENDPOINTS);
  const endpoint = now.body.find(({ id }: { id: string }) => id === known.id);
  for (const one of listed) {
    const { id } = one;
    if (!isOver && known.checked.get(id) === JSON.stringify(one)) continue;
    known.checked.set(id, JSON.stringify(one));
    const { body } = await app.ask('GET', `/v2/webhook-deliveries/${id}`);
    checkDelivery(body as Detail, known, world.receivers.ledger);
    if (isOver && endpoint.active) expect(body.status, `${id} at the end`).not.to.equal('pending');
  }
}

function checkDelivery(delivery: Detail, known: OwnedEndpoint, ledger: Request[]): void {
  const requests = ledger.filter(({ headers }) => headers['x-service-delivery'] === delivery.id);
  const what = `${delivery.id} ${delivery.status} ${JSON.stringify(delivery.attempt_log)} ${JSON.stringify(requests.map(({ status, isResent }) => [status, isResent]))}`;
  const paths = new Set(requests.map(({ path }) => path));
  expect(known.paths, what).to.include.members([...paths]);
  for (const { body } of requests) expect(JSON.parse(body), 'the same on every attempt').to.deep.equal(delivery.event);
  expect(new Set(requests.map(({ body }) => body)).size, 'byte for byte').to.be.at.most(1);
  if (delivery.status === 'delivered') expect(requests.some(isSuccess), what).to.equal(true);
  const isUnderWay = delivery.status === 'pending' && delivery.next_attempt_at === null;
  if (isUnderWay) return;
  expect(
    delivery.attempt_log.map(({ n }) => n),
    what,
  ).to.deep.equal(delivery.attempt_log.map((_, n) => n + 1));
  expect(delivery.attempts, what).to.equal(delivery.attempt_log.length);
  const seen = requests.filter(({ isResent }) => !isResent);
  if (delivery.attempt_log.some(({ error }) => error === 'lost'))
    expect(seen.length, what).to.be.at.most(delivery.attempts);
  else checkLog(delivery, seen, what);
  checkPace(delivery, known, requests, what);
}

function checkLog({ attempt_log }: Detail, seen: Request[], what: string): void {
  expect(
    attempt_log.map(({ response_status }) => response_status),
    what,
  ).to.deep.equal(seen.map(({ status }) => status));
  for (const { response_status, error, duration_ms } of attempt_log) {
    const isGood = response_status !== null && response_status < 300;
    expect(error, what).to.equal(isGood ? null : response_status === null ? 'reset' : 'status');
    expect(duration_ms, what).to.be.within(0, 10_500);
  }
}

/** The next attempt comes when the guide says. */
function checkPace(delivery: Detail, known: OwnedEndpoint, requests: Request[], what: string): void {
  const last = delivery.attempt_log.at(-1);
  const failures = delivery.attempt_log
    .slice(known.before.get(delivery.id) ?? 0)
    .filter(({ error }) => error !== 'lost').length;
  if (!last || last.error === 'lost' || requests.some(({ status }) => status === 410)) return;
  if (failures === 0) {
    expect(delivery.status, `sent again at once when it is requested: ${what}`).to.be.oneOf(['delivered', 'cancelled']);
    return;
  }
  if (delivery.status === 'failed') expect(failures, `given up after ten: ${what}`).to.be.at.least(PLAN_S.length + 1);
  if (delivery.status !== 'pending') return;
  const planned = PLAN_S[failures - 1] ?? Number.NaN;
  const endedAt = Date.parse(last.started_at) + last.duration_ms;
  const waits = (Date.parse(String(delivery.next_attempt_at)) - endedAt) / 1_000;
  const asked = Math.min(requests.at(-1)?.retryAfter ?? 0, 2 * planned);
  expect(waits, `${failures} failures: ${what}`).to.be.within(
    Math.max(planned * 0.8, asked) - CLOCK_S,
    Math.max(planned * 1.2, asked) + CLOCK_S,
  );
}

const isSuccess = ({ status }: Request) => status !== null && status >= 200 && status < 300;
