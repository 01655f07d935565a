import type { Finding, SentRequest } from '../../../intents/define.ts';
import { dexOf } from '../../../kernel/exchange-names.ts';
import { hasEnded } from '../../../kernel/exchange-order-state.ts';
import { accepted, rejected, type UpstreamResult, unknownEffect } from '../../../kernel/upstream-result.ts';
import type { ItemResult } from '../adapter/action-types.ts';
import type { Exvenue, OrderRecord } from '../adapter/types.ts';
import type { Signed } from '../signing/sign.ts';
import { burnBodies, type ExchangeDeps, hasExpired, LAGS_UNTIL_PROOF } from './calls.ts';
import { type CancelTarget, STILL_OPEN } from './cancel-result.ts';
import { listOpen } from './cancel-targets.ts';
import { ABSENT } from './evidence.ts';
import { repeat } from './repeat.ts';

/** With a used nonce it need not be proven that nothing was done: reads show what has ended, and what is open still. */
const LAGS_UNTIL_ENDED = { ...LAGS_UNTIL_PROOF, used: 1 };

type Payload = Signed & { targets: CancelTarget[] };
type Cancelled = { items: ItemResult[] };

/**
 * Finds the state of the targets in the venue's records of them. Reads may be behind, so an order that no list contains
 * may still be open: only a record of its end counts. Bodies whose targets have not all ended are sent again while the venue would execute
 * them: to cancel twice is harmless, and what they do then is known. Once they have expired, they are tried by their nonces. If
 * none of them can have acted, their targets are still open. If nothing has ended at all, the cancellation is `absent`; a follow-up,
 * which never fails, then succeeds with all its targets still open.
 */
export async function findCancelled(
  { intent, payload }: SentRequest<{ because_of?: string | undefined }, Payload>,
  deps: ExchangeDeps,
): Promise<Finding<Cancelled>> {
  const records = await readRecords(deps.exvenue, payload);
  if (!records) return unknownEffect('the past orders could not be read');
  const isExpired = hasExpired(intent, deps);
  const shown = payload.targets.map((target) => endOf(target, records));
  const ends = isExpired ? shown : await cancelAgain(payload, shown, deps);
  const posts = leftOf(payload, ends);
  if (posts.length === 0) return accepted({ items: ends.map((end) => end ?? GONE) });
  if (!isExpired) return unknownEffect('some orders have not ended');
  const { evidence, counts } = await burnBodies(intent, { ...payload, posts }, deps, LAGS_UNTIL_ENDED);
  if (!counts) return unknownEffect(`some orders have not ended, and a nonce is ${evidence}`);
  if (evidence === 'burnt' && ends.every((end) => end === null))
    return intent.request.because_of === undefined ? ABSENT : accepted({ items: ends.map(() => STILL_OPEN) });
  const open = evidence === 'burnt' ? 'all' : await listResting(deps.exvenue, payload);
  if (!open) return unknownEffect('the open orders could not be read');
  const isOpen = (target: CancelTarget) => open === 'all' || open.has(nameOf(target));
  return accepted({
    items: payload.targets.map((target, n) => ends[n] ?? (isOpen(target) ? STILL_OPEN : GONE)),
  });
}

const nameOf = ({ oid, cloid, isOurs }: CancelTarget): number | string => (isOurs ? null : oid) ?? String(cloid);

type Ends = readonly (ItemResult | null)[];

/** The bodies whose targets have not all ended. */
const leftOf = ({ posts }: Payload, ends: Ends) =>
  posts.filter((post) => ends.slice(...rangeOf(posts, post)).some((end) => end === null));

/** The places of a body's targets among all of them: from the first to before the last. */
function rangeOf(posts: Payload['posts'], post: Payload['posts'][number]): [number, number] {
  const first = posts.slice(0, posts.indexOf(post)).reduce((sum, { items }) => sum + items, 0);
  return [first, first + post.items];
}

/** The ends of the targets after the bodies that may not have arrived were sent again: of those that were executed now, all of them. */
async function cancelAgain(payload: Payload, ends: Ends, deps: ExchangeDeps): Promise<Ends> {
  const known = [...ends];
  for (const post of leftOf(payload, ends)) {
    const result = await repeat(deps, payload, post);
    const [from, to] = rangeOf(payload.posts, post);
    for (let n = from; n < to; n += 1) known[n] ??= endAfter(result, n - from);
  }
  return known;
}

/** What the repeat of a body says of its n-th target. */
function endAfter(result: UpstreamResult<Cancelled>, n: number): ItemResult | null {
  const item = result.kind === 'accepted' ? result.data.items[n] : result;
  return item?.kind === 'done' || (item?.kind === 'rejected' && item.slug === GONE.slug) ? item : null;
}

/** How many orders are cheaper to read one by one than in the history. */
const ONE_BY_ONE = 10;
const LIMITS = { priority: 'exit' } as const;

/** The venue's records of the targets, by their numbers and client order ids. Null if they cannot be read. */
async function readRecords(
  exvenue: Exvenue,
  { account, targets }: Payload,
): Promise<Map<number | string, OrderRecord> | null> {
  const records = new Map<number | string, OrderRecord>();
  const note = (record: OrderRecord) => {
    for (const name of [record.order.oid, record.order.cloid ?? record.order.oid]) {
      const known = records.get(name);
      if (!known || isNewer(record, known)) records.set(name, record);
    }
  };
  if (targets.length > ONE_BY_ONE) {
    const history = await exvenue.historicalOrders(account, LIMITS);
    if (history.kind !== 'found') return null;
    for (const record of history.data) note(record);
  }
  for (const target of targets.filter((candidate) => !records.has(nameOf(candidate)))) {
    const status = await exvenue.orderStatus(account, nameOf(target), LIMITS);
    if (status.kind === 'unreadable') return null;
    if (status.kind === 'found') note(status.data);
  }
  return records;
}

/**
 * Whether a record is newer than another one of its name: a history has one for each state of an order. At equal times an end is newer, then the
 * order that has replaced the other.
 */
const isNewer = (record: OrderRecord, than: OrderRecord): boolean => {
  if (record.statusMs !== than.statusMs) return record.statusMs > than.statusMs;
  if (record.order.oid !== than.order.oid) return record.order.oid > than.order.oid;
  return hasEnded(record) && !hasEnded(than);
};

/** How an order ended by its record; null if it has not, as far as is known. */
function endOf(target: CancelTarget, records: Map<number | string, OrderRecord>): ItemResult | null {
  const state = records.get(nameOf(target))?.state;
  if (state === 'cancelled') return { kind: 'done' };
  return state === 'filled' || state === 'rejected' ? GONE : null;
}

/** The names of the targets that rest. Null if the open orders cannot be read. */
async function listResting(
  exvenue: Exvenue,
  { account, targets }: Payload,
): Promise<Set<number | string | null> | null> {
  const dexes = targets.map(({ coin }) => dexOf(coin));
  const open = await listOpen(exvenue, account, dexes);
  if (open.kind !== 'found' || open.data.unreadDexes.length > 0) return null;
  return new Set(open.data.orders.flatMap(({ oid, cloid, children }) => [oid, cloid, ...children]));
}

const GONE = rejected('order_gone', 'The order had ended before it could be cancelled.');
