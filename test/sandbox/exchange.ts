import { randomBytes } from 'node:crypto';
import nock from 'nock';
import type { ReadResult, UpstreamResult } from '../../src/kernel/upstream-result.ts';
import {
  type ExvenueUpstream,
  type ExvenueUpstreamOptions,
  startExvenueUpstream,
} from '../../src/sandbox/exchange/index.ts';
import type { Action, ItemResult, OrderTerms, Posted, Signer } from '../../src/venues/exchange/adapter/action-types.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import type { Asset, Exvenue } from '../../src/venues/exchange/adapter/types.ts';

/** A running exchange, the adapter that calls it over real HTTP, and one funded wallet that signs for itself. */
export type Exchange = { upstream: ExvenueUpstream; venue: Exvenue; wallet: Signer };

/** Opens an exchange with a wallet of 100,000 USD. */
export const openExchange = async (options: ExvenueUpstreamOptions = {}): Promise<Exchange> => {
  nock.restore(); // other tests load nock, which intercepts real sockets from then on
  const upstream = await startExvenueUpstream(options);
  const venue = exvenue({ url: upstream.url, network: 'testnet' });
  const wallet = newSigner(venue);
  upstream.fund(wallet.address, '100000');
  return { upstream, venue, wallet };
};

/** Closes the exchange and restores nock. */
export const closeExchange = async ({ upstream }: Exchange): Promise<void> => {
  await upstream.close();
  if (!nock.isActive()) nock.activate();
};

/** A new private key. */
export const newSigner = (venue: Exvenue): Signer => {
  const signer = venue.signerOf(randomBytes(32).toString('hex'));
  if (!signer) throw new Error('no key');
  return signer;
};

/** A random client order id of 16 bytes. */
export const newCloid = (): string => `0x${randomBytes(16).toString('hex')}`;

let lastNonce = 0;
/** Unique numbers. */
export const nextNonce = (): number => {
  lastNonce = Math.max(lastNonce + 1, Date.now());
  return lastNonce;
};

export type Terms = {
  signer?: Signer;
  nonce?: number;
  expiresAfterMs?: number;
  firstSend?: boolean;
  timeoutMs?: number;
};

/** Signs and posts an action. */
export const act = async (exchange: Exchange, action: Action, terms: Terms = {}): Promise<UpstreamResult<Posted>> => {
  const { signer = exchange.wallet, nonce = nextNonce(), expiresAfterMs, firstSend = true, timeoutMs = 2_000 } = terms;
  const body = await signer.sign(action, { nonce, ...(expiresAfterMs !== undefined && { expiresAfterMs }) });
  return exchange.venue.post(body, { firstSend, timeoutMs });
};

/** Orders without grouping; by default each of BTC (1), for 0.01 at 100,000, good till cancelled. */
export const place = (exchange: Exchange, ...orders: Requested[]): Promise<UpstreamResult<Posted>> =>
  act(exchange, { kind: 'place', orders: orders.map(order), grouping: 'none' });

export type Requested = Partial<Omit<OrderTerms, 'timeInForce' | 'trigger'>> & {
  timeInForce?: 'gtc' | 'ioc' | 'alo';
  trigger?: { price: string; kind: 'tp' | 'sl'; isMarket: boolean };
};

/** The terms of one order; the defaults are those of `place`. */
export const order = ({ timeInForce = 'gtc', trigger, ...overrides }: Requested = {}): OrderTerms => ({
  asset: 1,
  side: 'buy',
  price: '100000',
  size: '0.01',
  reduceOnly: false,
  ...overrides,
  ...(trigger ? { trigger } : { timeInForce }),
});

/** The results of the items of an action that must be accepted. */
export const itemsOf = (response: UpstreamResult<Posted>): ItemResult[] => {
  if (response.kind !== 'accepted') throw new Error(JSON.stringify(response));
  return response.data.items;
};

/** The found value; throws when there is none. */
export const foundOf = <T>(lookup: ReadResult<T>): T => {
  if (lookup.kind !== 'found') throw new Error(JSON.stringify(lookup));
  return lookup.data;
};

/** The asset of a coin; throws when there is none. */
export const assetOf = async ({ venue }: Exchange, coin: string): Promise<Asset> => foundOf(await venue.asset(coin));

/** The signed size the wallet holds of a coin, `0` for none. */
export const heldBy = async ({ venue, wallet }: Exchange, coin = 'BTC'): Promise<string> => {
  const { positions } = foundOf(await venue.account(wallet.address));
  return positions.find((position) => position.coin === coin)?.size ?? '0';
};

/** Kinds of effect in the ledger under one name, oldest first. */
export const effectsOf = ({ upstream }: Exchange, key: string): string[] =>
  upstream.ledger
    .entries()
    .filter((entry) => entry.key === key)
    .map(({ kind }) => kind);

/** Sends a control command to the exchange. */
export const control = async (
  { upstream }: Exchange,
  path: string,
  body: object,
  method = 'POST',
): Promise<unknown> => {
  const reply = await fetch(`${upstream.controlUrl}/${path}`, { method, body: JSON.stringify(body) });
  return reply.json();
};
