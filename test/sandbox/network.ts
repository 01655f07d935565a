import nock from 'nock';
import {
  type NetvenueUpstream,
  type NetvenueUpstreamOptions,
  startNetvenueUpstream,
} from '../../src/sandbox/network/index.ts';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import type { Signal, SignalAccepted } from '../../src/venues/network/adapter/signal-types.ts';
import type { DashboardPosition, Netvenue } from '../../src/venues/network/adapter/types.ts';

const keys = { minerKey: 'miner-key', validatorKey: 'validator-key', entityHotkey: '5Entity' };

/** A running sandbox network and the adapter that calls it over real HTTP. */
export type Network = { upstream: NetvenueUpstream; venue: Netvenue };

/** Opens a network without pauses or delays, with one active crypto subaccount (0) of 10,000 USD. */
export const openNetwork = async (options: Partial<NetvenueUpstreamOptions> = {}): Promise<Network> => {
  nock.restore(); // other tests load nock, which intercepts real sockets from then on
  const upstream = await startNetvenueUpstream({ ...keys, cooldownMs: 0, ...options });
  upstream.addSubaccounts(1);
  const { minerUrl, validatorUrl } = upstream;
  return { upstream, venue: netvenue({ ...keys, minerUrl, validatorUrl }) };
};

/** Closes the network and restores nock. */
export const closeNetwork = async ({ upstream }: Network): Promise<void> => {
  await upstream.close();
  nock.activate();
};

/** A market order under a new uuid, by default for 0.1 of the balance in BTC. */
export const order = (overrides: Partial<Signal> = {}): Signal => ({
  order_uuid: crypto.randomUUID(),
  subaccount_id: 0,
  execution_type: 'MARKET',
  trade_pair: 'BTCUSDC',
  order_type: 'LONG',
  ...(overrides.execution_type === 'BRACKET' || overrides.order_type === 'FLAT' || overrides.value
    ? {}
    : { leverage: 0.1 }),
  ...overrides,
});

/** Submits an order that must be accepted. */
export const take = async ({ venue }: Network, signal: Signal): Promise<SignalAccepted> => {
  const response = await venue.submit(signal);
  if (response.kind !== 'accepted') throw new Error(JSON.stringify(response));
  return response.data;
};

/** The dashboard of a subaccount; throws when there is none. */
export const dashboardOf = async ({ venue }: Network, id = 0) => {
  const response = await venue.dashboard(`5Entity_${id}`);
  if (response.kind !== 'found') throw new Error(response.kind);
  return response.data;
};

/** The open positions of a subaccount. */
export const openPositions = async (network: Network, id = 0): Promise<DashboardPosition[]> =>
  (await dashboardOf(network, id)).positions.filter(({ closeMs }) => closeMs === null);

/** Kinds of effect in the ledger, without subaccounts. */
export const effects = ({ upstream }: Network): string[] =>
  upstream.ledger
    .entries()
    .map(({ kind }) => kind)
    .filter((kind) => kind !== 'subaccount');

/** Sends a control command to the network. */
export const control = async ({ upstream }: Network, path: string, body: object, method = 'POST'): Promise<unknown> => {
  const reply = await fetch(`${upstream.controlUrl}/${path}`, { method, body: JSON.stringify(body) });
  return reply.json();
};
