import { netvenue } from '../../../src/venues/network/adapter/index.ts';
import type { Dashboard, OrderBook } from '../../../src/venues/network/adapter/types.ts';
import { samePair } from '../../../src/venues/network/orders/rules.ts';
import { until } from '../../support/processes.ts';
import { KEYS } from '../../support/service.ts';
import type { Site } from '../stage.ts';

/** An order verb as the service has it. */
export type VerbRow = {
  id: string;
  owner: string;
  kind: string;
  state: string;
  request: {
    trader: string;
    subaccount_id: number;
    target?: string;
    trade_pair?: string;
    terms?: { trade_pair: string; stop_loss?: number };
    protection?: { trade_pair: string; stop_loss: number };
    changes?: { quantity?: number };
  };
  sent_payload: { signal?: { order_uuid: string; execution_type: string }; position_uuid?: string } | null;
  executed: { quantity: number | null } | null;
  outcome: { result?: { lifecycle?: string | null; protection?: string; message?: string | null } } | null;
};

/** The pair in which orders carry exits and nothing is closed. */
export const PROTECTED = 'SOLUSDC';
/** The pair in which orders carry exits that are then moved to a price that was reached. */
export const CROSSED = 'XRPUSDC';

/** What was told of exits, beside what the network has; see `VerbAudit`. */
type ExitAudit = { misreported: number; unprotected: number; told: number; offenders: string[] };

type VenueState = { dashboard: Dashboard; book: OrderBook };

/** Waits until every comparison that something calls for was made, and what is missing was told. */
export const allCompared = (stage: Site, withinMs: number): Promise<unknown> =>
  until(
    'every comparison of exits',
    async () => {
      const [row] = await stage.rows<{ open: string }>(
        `select count(*) as open
         from wanted_exits w
         where w.due_at is not null and (w.is_changed or w.missing_since is not null and w.told_at is null or exists (
           select
           from jsonb_array_elements(w.wanted) e
           join orders o on o.id = (e ->> 'order_uuid')::uuid and o.lifecycle = 'filled'
           where (e ->> 'waits')::boolean
         ))`,
      );
      return row?.open === '0' || null;
    },
    withinMs,
  );

/** Compares what was told of the exits in both pairs with the network itself, which is read after everything has ended. */
export async function auditExits(stage: Site, rows: readonly VerbRow[]): Promise<ExitAudit> {
  const told = await lastTold(stage);
  const shown = new Map<string, VenueState>();
  for (const trader of new Set(rows.map(({ request }) => request.trader)))
    shown.set(trader, await readAll(stage, trader));
  const audit: ExitAudit = { misreported: 0, unprotected: 0, told: told.size, offenders: [] };
  for (const pair of [PROTECTED, CROSSED])
    for (const [trader, state] of shown) {
      const verbs = rows.filter((row) => row.request.trader === trader && pairOf(row) === pair);
      const asked = verbs.filter(({ kind, state: ending }) => ending === 'succeeded' && kind !== 'network/close');
      const [verb] = verbs;
      if (!verb) continue;
      const isTold = told.has(`${verb.owner} ${verb.request.subaccount_id} ${pair}`);
      const isNaked = asked.length > 0 && isOpenIn(state, pair) && !hasExits(state, pair, stopOf(asked));
      const otherwise = verbs.filter((row) => isToldOtherwise(row, state)).length;
      if (isNaked && !isTold) audit.unprotected += 1;
      if (!isNaked && isTold) audit.misreported += 1;
      audit.misreported += otherwise;
      if (isNaked !== isTold || otherwise > 0)
        audit.offenders.push(`exits ${JSON.stringify({ trader, pair, isNaked, isTold, verbs, ...state })}`);
    }
  return audit;
}

const pairOf = ({ request: { terms, protection } }: VerbRow) => terms?.trade_pair ?? protection?.trade_pair;

/** Owner, trader and pair of the positions that were last told to be unprotected. */
async function lastTold(stage: Site): Promise<Set<string>> {
  const events = await stage.rows<{ owner: string; type: string; body: string }>(
    `select owner, type, event_body(events) as body from events where type like 'position.%' order by owner, position`,
  );
  const told = new Set<string>();
  for (const { owner, type, body } of events) {
    const { trader_id, pair } = (JSON.parse(body) as { data: { trader_id: string; pair: string } }).data; // as: written by the service
    if (type === 'position.unprotected') told.add(`${owner} ${trader_id} ${pair}`);
    else told.delete(`${owner} ${trader_id} ${pair}`);
  }
  return told;
}

async function readAll({ upstream }: Site, trader: string): Promise<VenueState> {
  const venue = netvenue({ ...KEYS, minerUrl: upstream.minerUrl, validatorUrl: upstream.validatorUrl });
  const limits = { timeoutMs: 60_000 }; // this process may be busy
  const [dashboard, book] = [await venue.dashboard(trader, limits), await venue.orders(trader, limits)];
  if (dashboard.kind !== 'found') throw new Error(`The dashboard of ${trader} is ${JSON.stringify(dashboard)}`);
  return {
    dashboard: dashboard.data,
    book: book.kind === 'found' ? book.data : { unfilled: [], filled: [], cancelled: [] },
  };
}

const isOpenIn = ({ dashboard }: VenueState, pair: string) =>
  dashboard.positions.some(
    ({ tradePair, closeMs, side }) => closeMs === null && side !== 'FLAT' && samePair(tradePair, pair),
  );

/** Whether the exits that were asked for last are there: an order that the network fills again brings its own ones back, in their place. */
const hasExits = ({ book }: VenueState, pair: string, stop: number | undefined) =>
  book.unfilled.some(
    ({ executionType, tradePair, stopLoss }) =>
      executionType === 'BRACKET' && tradePair !== null && samePair(tradePair, pair) && stopLoss === stop,
  );

/** The stop of the command about a pair's exits that was submitted last. */
function stopOf(asked: readonly VerbRow[]): number | undefined {
  const last = asked.find(({ kind }) => kind === 'network/protect') ?? asked[0];
  return last?.request.protection?.stop_loss ?? last?.request.terms?.stop_loss;
}

/** Whether a tp-sl of the crossed pair, the last command about its exits, was told to have ended otherwise than it did. */
function isToldOtherwise({ kind, state, request, sent_payload, outcome }: VerbRow, { book }: VenueState): boolean {
  if (kind !== 'network/protect' || state !== 'succeeded') return false;
  const uuid = sent_payload?.signal?.order_uuid;
  const among = (orders: OrderBook['filled']) => orders.filter((order) => order.uuid === uuid);
  const rests = among(book.unfilled).some(({ stopLoss }) => stopLoss === request.protection?.stop_loss);
  const is = among(book.filled).length > 0 ? 'filled' : rests ? 'resting' : 'cancelled';
  return outcome?.result?.lifecycle !== is;
}
