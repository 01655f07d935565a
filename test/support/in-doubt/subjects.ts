import { provision } from '../../../src/capabilities/accounts/provision.ts';
import { session } from '../../../src/capabilities/kyc/session.ts';
import { checkout } from '../../../src/capabilities/payments/checkout.ts';
import { refund } from '../../../src/capabilities/payments/refund.ts';
import { account } from '../../../src/capabilities/payouts/account.ts';
import { link } from '../../../src/capabilities/payouts/link.ts';
import { pay } from '../../../src/capabilities/payouts/pay.ts';
import { reverse } from '../../../src/capabilities/payouts/reverse.ts';
import { submit } from '../../../src/capabilities/payouts/submit.ts';
import { purchase } from '../../../src/capabilities/registration/purchase.ts';
import { cancel as cancelAtExchange } from '../../../src/venues/exchange/orders/cancel.ts';
import { close as closeAtExchange } from '../../../src/venues/exchange/orders/close.ts';
import { place as placeAtExchange } from '../../../src/venues/exchange/orders/place.ts';
import { protect as protectAtExchange } from '../../../src/venues/exchange/orders/protect.ts';
import { cancel } from '../../../src/venues/network/orders/cancel.ts';
import { close } from '../../../src/venues/network/orders/close.ts';
import { edit } from '../../../src/venues/network/orders/edit.ts';
import { place } from '../../../src/venues/network/orders/place.ts';
import { protect } from '../../../src/venues/network/orders/protect.ts';
import type { Caller, Reply } from '../caller.ts';
import { limit, market } from '../orders.ts';
import type { AnyVerb, InDoubtStage } from './stage.ts';

/**
 * A kind of intent. `given` makes what it needs, with a worker, and returns what submits one without. `endsAs`: its state
 * once everything can be read again, if the upstream executed it and if it never received it.
 */
export type Subject = {
  verb: AnyVerb;
  given: (stage: InDoubtStage) => Promise<() => Promise<string>>;
  endsAs?: { done: string; never: string };
};

const byRecords = { done: 'succeeded', never: 'failed' };

const V1 = '/v1/orders/netvenue';
const EX = '/v1/orders/exvenue';
const later = { prefer: 'respond-async' };
const idIn = ({ headers, body }: Reply): string => {
  const id = headers['intent-id'];
  if (typeof id !== 'string') throw new Error(JSON.stringify(body));
  return id;
};

const accepted = (reply: Reply): Reply => {
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return reply;
};

/** A trader of the network with an open position and a resting order. */
const trader = async ({ service }: InDoubtStage) => {
  const caller = await service.trader();
  accepted(await caller.post(V1, market()));
  const { body } = accepted(await caller.post(V1, limit()));
  return { caller, uuid: String(body.order_uuid) };
};
const atNetwork = (verb: AnyVerb, act: (caller: Caller, uuid: string) => Promise<Reply>): Subject => ({
  verb,
  endsAs: byRecords,
  given: async (stage) => {
    const { caller, uuid } = await trader(stage);
    return async () => idIn(await act(caller, uuid));
  },
});

/** A wallet of the exchange with an open position and a resting order. */
const atExchange = (verb: AnyVerb, act: (caller: Caller, oid: string) => Promise<Reply>): Subject => ({
  verb,
  endsAs: byRecords,
  given: async ({ service }) => {
    const caller = await service.wallet();
    accepted(await caller.post(EX, { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' }));
    const order = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: '50000' };
    const { body } = accepted(await caller.post(EX, order));
    return async () => idIn(await act(caller, String(body.ex_order_id ?? body.order_id)));
  },
});

/** A verb at the processor, with the payload it would have prepared. */
const atProcessor = (verb: AnyVerb, payload: (stage: InDoubtStage) => object): Subject => ({
  verb,
  given: async (stage) => () => stage.insert(verb, payload(stage)),
});

const step = (accountId: string) => ({
  ...{ payoutId: 'po_1', accountId, amountCents: 100, currency: 'usd' },
  ...{ transferId: null, subaccountUuid: null },
});

/** Every kind of intent. */
export const SUBJECTS: Subject[] = [
  atNetwork(place, (caller) => caller.post(V1, market({ trade_pair: 'ETHUSDC' }), later)),
  atNetwork(cancel, (caller, uuid) => caller.delete(`${V1}/${uuid}?trade_pair=BTCUSDC`, later)),
  atNetwork(edit, (caller, uuid) =>
    caller.post(`${V1}/${uuid}/edit`, { trade_pair: 'BTCUSDC', limit_price: 91_000 }, later),
  ),
  atNetwork(protect, (caller) => caller.post(`${V1}/tp-sl`, { trade_pair: 'BTCUSDC', stop_loss: 90_000 }, later)),
  atNetwork(close, (caller) => caller.post(`${V1}/close`, { trade_pair: 'BTCUSDC' }, later)),
  atExchange(placeAtExchange, (caller) =>
    caller.post(EX, { pair: 'ETH', side: 'long', size: '0.1', order_type: 'market' }, later),
  ),
  {
    ...atExchange(cancelAtExchange, (caller, oid) => caller.delete(`${EX}/${oid}`, later)),
    endsAs: { done: 'succeeded', never: 'succeeded' }, // its nonce was used by an earlier look-up: its result is that the order is still open
  },
  atExchange(protectAtExchange, (caller) =>
    caller.post(`${EX}/tp-sl`, { pair: 'BTC', take_profit: 130_000, stop_loss: 50_000 }, later),
  ),
  atExchange(closeAtExchange, (caller) => caller.post(`${EX}/close`, { pair: 'BTC' }, later)),
  {
    verb: provision,
    endsAs: byRecords,
    given: async ({ service, newKey }) => {
      const partner = await service.partner();
      return async () => {
        const body = { ex_address: newKey().address, account_size: 10_000 };
        return idIn(await partner.post('/v1/register/netvenue', body, later));
      };
    },
  },
  {
    verb: purchase,
    endsAs: { done: 'succeeded', never: 'succeeded' }, // the same signed payment is posted again
    given: async ({ service, newKey }) => {
      const partner = await service.partner();
      return async () => {
        const { privateKey, address } = newKey();
        const body = {
          ...{ miner_slug: 'vanta', account_size: 25_000, email: 'trader@example.com' },
          ...{ ex_wallet: address, private_key: privateKey },
        };
        return idIn(await partner.post('/v1/register/exvenue', body, later));
      };
    },
  },
  atProcessor(checkout, () => ({
    payment: { paymentId: 'pay_x', userId: 'usr_1', appId: 'app_1', amountCents: 100, currency: 'usd' },
  })),
  atProcessor(refund, ({ paid }) => ({ paymentId: 'pay_1', processorId: paid })),
  atProcessor(session, () => ({
    verification: { userId: 'usr_1', appId: 'app_1', withSelfie: false, returnUrl: null },
  })),
  atProcessor(account, () => ({ account: { userId: 'usr_1', appId: 'app_1', country: 'US', isAbroad: false } })),
  atProcessor(link, ({ connected }) => ({
    link: { accountId: connected, returnUrl: 'https://a.test', refreshUrl: 'https://a.test' },
  })),
  atProcessor(submit, ({ connected }) => ({ transfer: step(connected) })),
  atProcessor(pay, ({ connected }) => ({ transfer: step(connected) })),
  atProcessor(reverse, ({ connected, transferred }) => ({
    reversal: { payoutId: 'po_1', accountId: connected, transferId: transferred, amountCents: 10, currency: 'usd' },
  })),
];
