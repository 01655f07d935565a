import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { defineIntent, objectWith } from '../../../intents/define.ts';
import { type Hotkey, type IntentId, idSchema, nameOf } from '../../../kernel/ids.ts';
import { found, type ReadResult, type Rejected, type UpstreamResult } from '../../../kernel/upstream-result.ts';
import type { WantedEntry } from '../../exits.ts';
import { listWantedExits } from '../../queries.ts';
import type { ArchivedOrder, Signal, UnprovenRejection } from '../adapter/signal-types.ts';
import type { Dashboard, DashboardOrder } from '../adapter/types.ts';
import * as network from './calls.ts';
import { CLOSE_IN_FLIGHT } from './close-style.ts';
import { recordEndedOrders } from './commands.ts';
import { hasPrices } from './comparison.ts';
import { findEdited, resolveEdit } from './edited.ts';
import { subjectOf, withEffect } from './effects.ts';
import { findPlaced, resolveRejection } from './evidence.ts';
import type { AtMiner, Done } from './outcome.ts';
import { placementSignal } from './place.ts';
import { openQuantity, readOpenPosition, withoutPosition } from './positions.ts';
import { findOrderByHandle, getReadiness, listResting } from './queries.ts';
import { PLACED, sizeOf, type Terms } from './rules.ts';
import { recordProtection } from './store.ts';
import { liveExits } from './wanted.ts';

type Protection = components['schemas']['VantaTpSlRequest'];

/** A bracket is sent as FLAT but reported with the side it trades. So the order type proves no edit. */
const ANY_BRACKET = { order_type: 'FLAT' } as const;

/** Adds or replaces the protection of a position. The protecting order (`bracket`) is then a separate order. */
export const protect = defineIntent({
  kind: 'network/protect',
  retention: 'alone_or_with_order',
  isExit: true,
  claimed: 'to_send',
  request: z.object({
    ...network.traderMembers,
    protection: objectWith<Protection>({ trade_pair: z.string() }),
    repairs: z.object({ order_uuid: idSchema.order, version: z.number() }).optional(),
  }),
  payload: z.object({
    signal: network.signal,
    bracket: idSchema.order,
    name: idSchema.order.optional(),
    terms: network.terms,
    before: objectWith<Partial<Signal>>({}).optional(),
  }),
  timing: network.timing,
  slot: network.slotOfExit,

  async prepare({ id, request: { trader, protection, subaccount_id, repairs } }, { db, venues }: network.Deps) {
    const [held, { isClosing }] = await Promise.all([
      readOpenPosition(venues.netvenue, trader, protection.trade_pair),
      getReadiness(db, trader),
    ]);
    if (isClosing) return { wait: CLOSE_IN_FLIGHT };
    if (held === 'unreadable' || held.brackets === null) return { wait: { code: 'VENUE_UNREACHABLE' } };
    if (held.position === null) return withoutPosition(db, held, { trader, pair: protection.trade_pair });
    if (repairs && (await isSuperseded(db, trader, protection, repairs, held.brackets)))
      return { fail: { code: 'V1_ORDER_NOT_RESTING', message: SUPERSEDED } };
    const isPart = sizeOf(protection) !== undefined; // protection of a part is added to the existing protection
    if (!isPart) await noteFilled({ db, venues }, { trader, pair: protection.trade_pair, dashboard: held.dashboard });
    const replaced = { brackets: isPart ? [] : held.brackets, held: openQuantity(held.position) };
    const signal = protectionSignal(id, subaccount_id, protection, replaced);
    const bracket = (await findOrderByHandle(db, trader, signal.order_uuid)) ?? { id, given_id: null };
    const edited = replaced.brackets.find(({ uuid }) => uuid === signal.order_uuid);
    return {
      send: {
        signal,
        bracket: bracket.id,
        name: nameOf(bracket),
        terms: bracketTerms(protection),
        ...(edited && { before: termsShown(edited) }),
      },
    };
  },

  async send(sent, deps, limits): Promise<UpstreamResult<Done>> {
    const { signal } = sent.payload;
    const result = await network.sendSignal(sent, deps, limits, (at, refusal) =>
      resolveProtection(at, sent.payload, refusal),
    );
    if (result.kind !== 'accepted' || result.data.lifecycle) return result;
    return withEffect(await network.atMiner(sent.intent, deps), subjectOf(signal), result.data);
  },

  reconcile: (sent, deps) =>
    network.reconcileAt(sent, deps, (at, archived) => {
      const { signal } = sent.payload;
      return isNew(signal) ? findPlaced(at, signal, archived) : findEdited(at, editOf(sent.payload), saidOf(archived));
    }),

  async record({ intent, payload }, result, deps) {
    if (result.kind !== 'accepted') return network.recordOtherwise(deps, intent, result);
    const { lifecycle = 'resting' } = result.data;
    const { bracket, name = bracket } = payload;
    const shown = network.resultOf(name, { ...network.unlessWaiting(result.data), lifecycle }, PLACED);
    network.alertIfUnprotected(deps, intent, shown);
    return recordProtection(deps.db, intent, { ...shown, success: lifecycle !== 'cancelled' }, payload);
  },
});

const SUPERSEDED = 'These exits live again, or a later command has decided about them; nothing was sent.';

/** Whether exits need not be put back any more: they live, were executed, or a later command has decided about them. */
async function isSuperseded(
  db: Db,
  trader: Hotkey,
  { trade_pair }: Protection,
  repaired: Pick<WantedEntry, 'order_uuid' | 'version'>,
  brackets: readonly DashboardOrder[],
): Promise<boolean> {
  const entry = (await listWantedExits(db, 'netvenue', trader))
    .find(({ pair }) => pair === trade_pair)
    ?.wanted.find(({ order_uuid, version }) => order_uuid === repaired.order_uuid && version === repaired.version);
  return entry === undefined || brackets.some((bracket) => hasPrices(liveExits(bracket), entry));
}

/**
 * Notes which orders of the pair that rested were filled before their exits are replaced: a fill that is read after that would make these
 * wanted beside the new ones.
 */
async function noteFilled(
  { db, venues }: Pick<network.Deps, 'db' | 'venues'>,
  { trader, pair, dashboard }: { trader: Hotkey; pair: string; dashboard: Dashboard },
): Promise<void> {
  const resting = await listResting(db, trader);
  const entries = resting.filter(({ terms }) => terms.trade_pair === pair && terms.execution_type !== 'BRACKET');
  if (entries.length === 0) return;
  await recordEndedOrders(db, entries, { dashboard: found(dashboard), book: await venues.netvenue.orders(trader) });
}

const isNew = ({ execution_type }: Signal): boolean => execution_type === 'BRACKET';

/** A signal, and what the bracket that it edits was before. */
type BracketSignal = { signal: Signal; before?: Partial<Signal> | undefined };

const resolveProtection = (
  at: AtMiner,
  sent: BracketSignal,
  refusal: UnprovenRejection,
): Promise<UpstreamResult<Done>> =>
  isNew(sent.signal) ? resolveRejection(at, sent.signal, refusal) : resolveEdit(at, editOf(sent), refusal);

const editOf = ({ signal, before }: BracketSignal) => ({
  signal,
  before: { ...before, ...ANY_BRACKET },
  subject: subjectOf(signal),
});

/** The exits of a bracket, and the quantity that it covers, as the venue shows them. */
const termsShown = ({ stopLoss, takeProfit, trailingStop, quantity }: DashboardOrder): Partial<Signal> => ({
  ...(stopLoss !== null && { stop_loss: stopLoss }),
  ...(takeProfit !== null && { take_profit: takeProfit }),
  ...(trailingStop && { trailing_stop: trailingStop }),
  ...(quantity !== null && { quantity: Math.abs(quantity) }),
});

/** What the venue said of the last command under the order's uuid, if it rejected it. */
const saidOf = (archived: ReadResult<ArchivedOrder>): Rejected | null =>
  archived.kind === 'found' ? archived.data.said : null;

/** The terms of a protecting order in our records. */
const bracketTerms = (protection: Protection): Terms => ({
  ...protection,
  order_type: 'FLAT',
  execution_type: 'BRACKET',
});

/**
 * The signal that protects a position. If there are brackets already, the largest is edited in place and the others are
 * removed by the same signal, so that the position is never without protection. If the largest covers less than the
 * position, it is enlarged to it.
 */
function protectionSignal(
  intentId: IntentId,
  subaccountId: number,
  protection: Protection,
  replaced: { brackets: Pick<DashboardOrder, 'uuid' | 'quantity'>[]; held: number | null },
): Signal {
  const order = bracketTerms(protection);
  const [first, ...others] = [...replaced.brackets].sort((a, b) => covered(b) - covered(a));
  if (!first) return placementSignal(intentId, subaccountId, order);
  const { trailing_stop, ...prices } = order;
  const enlarged = replaced.held !== null && covered(first) < replaced.held && { quantity: replaced.held };
  const entry = { ...pick(prices, ['stop_loss', 'take_profit']), ...trailing_stop, ...enlarged };
  return {
    execution_type: 'LIMIT_EDIT',
    order_type: 'FLAT',
    trade_pair: order.trade_pair,
    order_uuid: first.uuid,
    subaccount_id: subaccountId,
    bracket_orders: [{ order_uuid: first.uuid, ...entry }, ...others.map(({ uuid }) => ({ order_uuid: uuid }))],
  };
}

/** The quantity that a bracket covers. A bracket without a reported quantity covers everything. */
const covered = ({ quantity }: Pick<DashboardOrder, 'quantity'>) =>
  quantity === null ? Number.POSITIVE_INFINITY : Math.abs(quantity);

const pick = <T extends object, K extends keyof T>(from: T, names: K[]) =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]])) as Partial<
    Pick<T, K>
  >; // as: its names are among `names`
