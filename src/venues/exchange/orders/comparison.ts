import { isCheaperOneByOne } from '../../../capacity/exchange.ts';
import { absolute, compare, isPositive, isZero } from '../../../kernel/decimals.ts';
import { coinOf, dexOf } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Compared, Exits, ProtectionReason, WantedEntry } from '../../exits.ts';
import type { WantedRow } from '../../queries.ts';
import type { Exvenue, OpenOrder, OrderRecord, PerpPosition } from '../adapter/types.ts';
import { closingSide, isProtecting, protectionOf } from '../protection.ts';
import { EXIT_NAMES } from './rules.ts';
import { type WantedLeg, wantedLegs } from './wanted.ts';

type Deps = { exvenue: Exvenue };

/** A wanted exit as the exchange's record shows it. `ended`: with its work done, or with its position. `gone`: otherwise. */
type SeenLeg = WantedLeg & { state: 'live' | 'ended' | 'gone' | 'unknown'; record: OrderRecord | null };

/** What the exchange shows of wanted exits, and the open orders, if they were listed. */
type Seen = { legs: SeenLeg[]; open: OpenOrder[] | null };

/**
 * Compares what is wanted in a pair with what the exchange shows. `behind`: the account that was read is older than what is
 * wanted, or than the end of an exit. Null: something could not be read.
 */
export async function compareExits(
  { exvenue }: Deps,
  wallet: WalletAddress,
  row: Pick<WantedRow, 'pair' | 'wanted' | 'wanted_ago_s'>,
): Promise<Compared | 'behind' | null> {
  const coin = coinOf(row.pair);
  const account = await exvenue.account(wallet, dexOf(coin));
  if (account.kind === 'unreadable') return null;
  const { positions, atMs } = account.kind === 'found' ? account.data : { positions: [], atMs: epochMs() };
  if (atMs < epochMs() - 1_000 * row.wanted_ago_s) return 'behind';
  const position = positions.find((one) => one.coin === coin && !isZero(one.size));
  if (!position) return closed(row.wanted);
  const seen = await readWanted(
    exvenue,
    { wallet, coin },
    row.wanted.filter(({ waits }) => !waits),
  );
  if (!seen) return null;
  const { legs } = seen;
  if (legs.some(({ state, record }) => state === 'gone' && record && record.statusMs > atMs)) return 'behind';
  const done = new Set(legs.filter(({ state }) => state === 'ended').map(({ entry }) => entry.order_uuid));
  const wanted = row.wanted.filter(({ order_uuid }) => !done.has(order_uuid));
  const lacking = legs.filter(({ state, entry }) => state !== 'live' && !done.has(entry.order_uuid));
  const open = lacking.length > 0 ? (seen.open ?? (await listOpen(exvenue, { wallet, coin }))) : [];
  if (!open) return null;
  const missing = lacking.filter((leg) => !isCovered(leg, position, open));
  const live = legs.filter(({ state }) => state === 'live').map(exitsOf);
  return resultOf({ position, wanted, missing, live });
}

const closed = (wanted: readonly WantedEntry[]): Compared => ({
  comparison: { state: 'closed', side: null, size: null, live: [], reason: 'position_closed', message: null },
  wanted: wanted.filter(({ waits }) => waits),
  missing: [],
  isCertain: false,
});

type Market = { wallet: WalletAddress; coin: string };

/** Reads wanted exits one by one if they are few, else those that the list of open orders lacks. Null if one cannot be read. */
async function readWanted(exvenue: Exvenue, market: Market, entries: readonly WantedEntry[]): Promise<Seen | null> {
  const wanted = wantedLegs(entries);
  const open = isCheaperOneByOne(wanted.length) ? null : await listOpen(exvenue, market);
  if (open === null && !isCheaperOneByOne(wanted.length)) return null;
  const listed = new Set(open?.map(({ cloid }) => cloid));
  const legs: SeenLeg[] = [];
  for (const leg of wanted) {
    const record = listed.has(leg.cloid) ? null : await exvenue.orderStatus(market.wallet, leg.cloid);
    if (record?.kind === 'unreadable') return null;
    legs.push({ ...leg, ...(record === null ? LISTED : record.kind === 'found' ? stateOf(record.data) : UNKNOWN) });
  }
  return { legs, open };
}

async function listOpen(exvenue: Exvenue, { wallet, coin }: Market): Promise<OpenOrder[] | null> {
  const open = await exvenue.openOrders(wallet, dexOf(coin));
  return open.kind === 'unreadable' ? null : open.kind === 'found' ? open.data : [];
}

const LISTED = { state: 'live', record: null } as const;
const UNKNOWN = { state: 'unknown', record: null } as const;

/** Ends of an exit that follow its fill, that of its sibling, or the end of the position. See venues/exchange.md#order-statuses. */
const WITH_POSITION = ['reduceOnlyCanceled', 'siblingFilledCanceled', 'liquidatedCanceled', 'delistedCanceled'];

function stateOf(record: OrderRecord): Pick<SeenLeg, 'state' | 'record'> {
  const { state, word } = record;
  if (state === 'filled' || WITH_POSITION.includes(word)) return { state: 'ended', record };
  return { state: state === 'cancelled' || state === 'rejected' ? 'gone' : 'live', record };
}

/** Whether other exits protect what a lacking one should: the whole position, or at the same price. */
function isCovered({ leg, price }: SeenLeg, position: PerpPosition, open: OpenOrder[]): boolean {
  const { coin, size } = position;
  const isSame = (order: OpenOrder) =>
    isProtecting(order, { coin, side: closingSide(size) }) &&
    order.exit === leg &&
    order.triggerPrice !== null &&
    compare(order.triggerPrice, price) === 0;
  return protectionOf(open, position, leg) !== null || open.some(isSame);
}

const exitsOf = ({ leg, price, entry: { size } }: WantedLeg): Exits => ({
  take_profit: leg === 'tp' ? price : null,
  stop_loss: leg === 'sl' ? price : null,
  trailing_stop: null,
  size,
});

type Position = { position: PerpPosition; wanted: WantedEntry[]; missing: SeenLeg[]; live: Exits[] };

function resultOf({ position, wanted, missing, live }: Position): Compared {
  const side = isPositive(position.size) ? ('long' as const) : ('short' as const);
  const about = { side, size: absolute(position.size), live };
  const [first] = missing;
  if (!first) {
    const reason = wanted.some(({ waits }) => !waits) ? ('exits_live' as const) : ('exits_withdrawn' as const);
    return {
      comparison: { ...about, state: 'protected', reason, message: null },
      wanted,
      missing: [],
      isCertain: false,
    };
  }
  return {
    comparison: { ...about, state: 'unprotected', ...whyMissing(first) },
    wanted,
    missing: lackingEntries(missing),
    isCertain: missing.every(({ state }) => state === 'gone'),
  };
}

/** The entries of missing exits, each with its missing legs only. */
const lackingEntries = (missing: SeenLeg[]): WantedEntry[] =>
  [...Map.groupBy(missing, ({ entry }) => entry)].map(([entry, legs]) => ({
    ...entry,
    take_profit: legs.some(({ leg }) => leg === 'tp') ? entry.take_profit : null,
    stop_loss: legs.some(({ leg }) => leg === 'sl') ? entry.stop_loss : null,
  }));

/** Why an exit does not live, by the exchange's record of it. */
function whyMissing({ record, leg }: SeenLeg): { reason: ProtectionReason; message: string } {
  const name = EXIT_NAMES[leg];
  if (!record) return { reason: 'exits_missing', message: `The exchange has no ${name} of the order.` };
  if (record.state !== 'rejected')
    return { reason: 'exits_cancelled', message: `The ${name} ended at the exchange: ${record.word}.` };
  const why = record.rejected?.message ?? record.word;
  return { reason: 'exits_rejected', message: `The exchange rejected the ${name}: ${why}` };
}
