import nock from 'nock';
import { netvenue } from '../../src/adapters/netvenue/index.ts';
import type { DashboardPosition, Netvenue, Signal, SignalAccepted } from '../../src/adapters/netvenue/types.ts';
import { type NetvenueParty, type NetvenuePartyOptions, startNetvenueParty } from '../../src/sandbox/netvenue/index.ts';

const keys = { minerKey: 'miner-key', validatorKey: 'validator-key', entityHotkey: '5Entity' };

/** A running network party and the adapter that faces it over real HTTP. */
export type Network = { party: NetvenueParty; venue: Netvenue };

/** Opens a party without pauses or delays, with one active crypto subaccount (0) of 10,000 USD. */
export const openNetwork = async (options: Partial<NetvenuePartyOptions> = {}): Promise<Network> => {
  nock.restore(); // other tests load it, and it stands between real sockets from then on
  const party = await startNetvenueParty({ ...keys, cooldownMs: 0, ...options });
  party.addSubaccounts(1);
  const { minerUrl, validatorUrl } = party;
  return { party, venue: netvenue({ ...keys, minerUrl, validatorUrl }) };
};

/** Closes the party and gives nock its place back. */
export const closeNetwork = async ({ party }: Network): Promise<void> => {
  await party.close();
  nock.activate();
};

/** A market order for 0.1 of the balance in BTC under a new uuid, or whatever else is asked. */
export const order = (asked: Partial<Signal> = {}): Signal => ({
  order_uuid: crypto.randomUUID(),
  subaccount_id: 0,
  execution_type: 'MARKET',
  trade_pair: 'BTCUSDC',
  order_type: 'LONG',
  ...(asked.execution_type === 'BRACKET' || asked.order_type === 'FLAT' || asked.value ? {} : { leverage: 0.1 }),
  ...asked,
});

/** Submits an order that must be accepted. */
export const take = async ({ venue }: Network, signal: Signal): Promise<SignalAccepted> => {
  const answer = await venue.submit(signal);
  if (answer.kind !== 'accepted') throw new Error(JSON.stringify(answer));
  return answer.said;
};

/** The dashboard of a subaccount, which must be there. */
export const dashboardOf = async ({ venue }: Network, id = 0) => {
  const answer = await venue.dashboard(`5Entity_${id}`);
  if (answer.kind !== 'found') throw new Error(answer.kind);
  return answer.said;
};

/** The open positions of a subaccount. */
export const openPositions = async (network: Network, id = 0): Promise<DashboardPosition[]> =>
  (await dashboardOf(network, id)).positions.filter(({ closeMs }) => closeMs === null);

/** Kinds of effect in the ledger, subaccounts left out. */
export const effects = ({ party }: Network): string[] =>
  party.ledger
    .entries()
    .map(({ kind }) => kind)
    .filter((kind) => kind !== 'subaccount');

/** Sends a control command to the party. */
export const control = async ({ party }: Network, path: string, body: object, method = 'POST'): Promise<unknown> => {
  const reply = await fetch(`${party.controlUrl}/${path}`, { method, body: JSON.stringify(body) });
  return reply.json();
};
