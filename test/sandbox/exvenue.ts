import { randomBytes } from 'node:crypto';
import nock from 'nock';
import { exvenue } from '../../src/adapters/exvenue/index.ts';
import type {
  Action,
  Asset,
  Exvenue,
  ItemResult,
  OrderAsked,
  Posted,
  Signer,
} from '../../src/adapters/exvenue/types.ts';
import type { Answer, Lookup } from '../../src/kernel/answer.ts';
import { type ExvenueParty, type ExvenuePartyOptions, startExvenueParty } from '../../src/sandbox/exvenue/index.ts';

/** A running exchange, the adapter that faces it over real HTTP, and one funded wallet that signs for itself. */
export type Exchange = { party: ExvenueParty; venue: Exvenue; wallet: Signer };

/** Opens an exchange with a wallet of 100,000 USD. */
export const openExchange = async (options: ExvenuePartyOptions = {}): Promise<Exchange> => {
  nock.restore(); // other tests load it, and it stands between real sockets from then on
  const party = await startExvenueParty(options);
  const venue = exvenue({ url: party.url, network: 'testnet' });
  const wallet = newSigner(venue);
  party.fund(wallet.address, '100000');
  return { party, venue, wallet };
};

/** Closes the exchange and gives nock its place back. */
export const closeExchange = async ({ party }: Exchange): Promise<void> => {
  await party.close();
  if (!nock.isActive()) nock.activate();
};

/** A key nobody has seen before. */
export const newSigner = (venue: Exvenue): Signer => {
  const signer = venue.signerOf(randomBytes(32).toString('hex'));
  if (!signer) throw new Error('no key');
  return signer;
};

export const newCloid = (): string => `0x${randomBytes(16).toString('hex')}`;

let lastNonce = 0;
/** Numbers that never come twice. */
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
export const act = async (exchange: Exchange, action: Action, terms: Terms = {}): Promise<Answer<Posted>> => {
  const { signer = exchange.wallet, nonce = nextNonce(), expiresAfterMs, firstSend = true, timeoutMs = 2_000 } = terms;
  const body = await signer.sign(action, { nonce, ...(expiresAfterMs !== undefined && { expiresAfterMs }) });
  return exchange.venue.post(body, { firstSend, timeoutMs });
};

/** Orders without grouping; each of BTC (1), for 0.01 at 100,000, good till cancelled, unless asked otherwise. */
export const place = (exchange: Exchange, ...orders: Asked[]): Promise<Answer<Posted>> =>
  act(exchange, { kind: 'place', orders: orders.map(order), grouping: 'none' });

export type Asked = Partial<Omit<OrderAsked, 'timeInForce' | 'trigger'>> & {
  timeInForce?: 'gtc' | 'ioc' | 'alo';
  trigger?: { price: string; kind: 'tp' | 'sl'; isMarket: boolean };
};

export const order = ({ timeInForce = 'gtc', trigger, ...asked }: Asked = {}): OrderAsked => ({
  asset: 1,
  side: 'buy',
  price: '100000',
  size: '0.01',
  reduceOnly: false,
  ...asked,
  ...(trigger ? { trigger } : { timeInForce }),
});

/** What became of the items of an action that must be accepted. */
export const itemsOf = (answer: Answer<Posted>): ItemResult[] => {
  if (answer.kind !== 'accepted') throw new Error(JSON.stringify(answer));
  return answer.said.items;
};

/** What was found, which must be there. */
export const foundOf = <T>(lookup: Lookup<T>): T => {
  if (lookup.kind !== 'found') throw new Error(JSON.stringify(lookup));
  return lookup.said;
};

export const assetOf = async ({ venue }: Exchange, coin: string): Promise<Asset> => foundOf(await venue.asset(coin));

/** The signed size the wallet holds of a coin, `0` for none. */
export const heldBy = async ({ venue, wallet }: Exchange, coin = 'BTC'): Promise<string> => {
  const { positions } = foundOf(await venue.account(wallet.address));
  return positions.find((position) => position.coin === coin)?.size ?? '0';
};

/** Kinds of effect in the ledger under one name, oldest first. */
export const effectsOf = ({ party }: Exchange, key: string): string[] =>
  party.ledger
    .entries()
    .filter((entry) => entry.key === key)
    .map(({ kind }) => kind);

/** Sends a control command to the party. */
export const control = async ({ party }: Exchange, path: string, body: object, method = 'POST'): Promise<unknown> => {
  const reply = await fetch(`${party.controlUrl}/${path}`, { method, body: JSON.stringify(body) });
  return reply.json();
};
