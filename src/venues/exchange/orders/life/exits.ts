import type { components } from '../../../../contract/types.ts';
import { minus } from '../../../../kernel/decimals.ts';
import { legCloid } from '../../../../kernel/exchange-names.ts';
import type { IntentId, WalletAddress } from '../../../../kernel/ids.ts';
import type { VenueReads } from '../../../reads.ts';
import type { OrderRecord, OrderView } from '../../adapter/types.ts';
import { EXIT_NAMES, type ExitPrices, type Leg, legsOf } from '../rules.ts';

type Exit = components['schemas']['OrderExit'];

/** An order whose exits are to be read. `isOpen`: it is not filled yet, so they wait for it. */
type Parent = { id: IntentId; wallet: WalletAddress; isOpen: boolean; prices: ExitPrices };

/** The exits that were sent with an order, each in its present state. One that no read shows yet is `pending`. */
export const readExits = (reads: Pick<VenueReads, 'exchangeOrder'>, parent: Parent): Promise<Exit[]> =>
  Promise.all(legsOf(parent.prices).map((leg) => readExit(reads, parent, leg)));

async function readExit(
  reads: Pick<VenueReads, 'exchangeOrder'>,
  { id, wallet, isOpen, prices }: Parent,
  leg: Leg,
): Promise<Exit> {
  const record = await reads.exchangeOrder(wallet, legCloid(id, leg));
  const asked = leg === 'tp' ? prices.take_profit : prices.stop_loss;
  if (record.kind !== 'found') return { ...unseen, exit: EXIT_NAMES[leg], trigger_price: asked ?? '0' };
  const { order, rejected } = record.data;
  return {
    ...shownExit(order, leg, { status: statusOf(record.data, isOpen), asked }),
    message: rejected?.message ?? null,
  };
}

const unseen = { ex_order_id: null, size: null, filled_size: null, status: 'pending', message: null } as const;

/** The exits that the exchange lists in an open order of other software: they wait for its fill. */
export const waitingExits = ({ children }: OrderView): Exit[] =>
  children.flatMap((child) =>
    child.exit === null ? [] : shownExit(child, child.exit, { status: 'waiting', asked: null }),
  );

const shownExit = (
  order: OrderView,
  leg: Leg,
  { status, asked }: { status: Exit['status']; asked: string | null },
): Exit => ({
  exit: EXIT_NAMES[leg],
  ex_order_id: String(order.oid),
  trigger_price: order.triggerPrice ?? asked ?? '0',
  size: order.originalSize,
  filled_size: minus(order.originalSize, order.size),
  status,
  message: null,
});

function statusOf({ state }: OrderRecord, isParentOpen: boolean): Exit['status'] {
  if (state === 'open' || state === 'unknown') return isParentOpen ? 'waiting' : 'open';
  return state;
}
