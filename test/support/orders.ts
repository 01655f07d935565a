import type { Entry } from '../../src/sandbox/ledger.ts';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import type { DashboardOrder, Netvenue } from '../../src/venues/network/adapter/types.ts';
import { ENTITY, KEYS, type TestService } from './service.ts';

type Trader = { traderId: string };

/** A market order, by default for a tenth of the account in bitcoin. */
export const market = (more: object = {}) => ({
  trade_pair: 'BTCUSDC',
  order_type: 'LONG',
  ...(hasSize(more) ? {} : { leverage: 0.1 }),
  ...more,
});

/** An order that rests, by default 10 % below the market. */
export const limit = (more: object = {}) => ({
  trade_pair: 'BTCUSDC',
  order_type: 'LONG',
  execution_type: 'LIMIT',
  limit_price: 90_000,
  ...(hasSize(more) ? {} : { quantity: 0.01 }),
  ...more,
});

const hasSize = (order: object) => 'leverage' in order || 'value' in order || 'quantity' in order;

/** The route of the network's miner that every order operation uses, as faults name it. */
export const SUBMIT = '/miner/api/submit-order';

/** The entries of the network's ledger under one name. */
export const effectsUnder = ({ miner }: TestService, key: string): readonly Entry[] =>
  miner.ledger.entries().filter((entry) => entry.key === key);

/** Kinds of effect of a trader at the network, oldest first. */
export const effectsOf = ({ miner }: TestService, { traderId }: Trader): string[] =>
  miner.ledger
    .entries()
    .filter(({ subaccount_id, kind }) => subaccount_id === Number(traderId) && kind !== 'subaccount')
    .map(({ kind }) => kind);

/** The network as the service sees it, to read its actual state. */
export const venueOf = ({ miner: { minerUrl, validatorUrl } }: TestService): Netvenue =>
  netvenue({ ...KEYS, minerUrl, validatorUrl });

/** The orders of a trader that rest at the network. */
export async function restingOf(service: TestService, { traderId }: Trader): Promise<DashboardOrder[]> {
  const dashboard = await venueOf(service).dashboard(`${ENTITY}_${traderId}`);
  if (dashboard.kind !== 'found') throw new Error(dashboard.kind);
  return dashboard.data.openOrders;
}

/** The open positions of a trader at the network. */
export async function positionsOf(service: TestService, { traderId }: Trader) {
  const dashboard = await venueOf(service).dashboard(`${ENTITY}_${traderId}`);
  if (dashboard.kind !== 'found') throw new Error(dashboard.kind);
  return dashboard.data.positions.filter(({ closeMs }) => closeMs === null);
}

/** Sends a control command to the network. */
export async function control({ miner }: TestService, path: string, body: object): Promise<void> {
  const reply = await fetch(`${miner.controlUrl}/${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(await reply.text());
}
