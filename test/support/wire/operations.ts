import { processor } from '../../../src/adapters/processor/index.ts';
import { registrar } from '../../../src/adapters/registrar/index.ts';
import { newIntentId } from '../../../src/kernel/ids.ts';
import { startExvenueUpstream } from '../../../src/sandbox/exchange/index.ts';
import { startNetvenueUpstream } from '../../../src/sandbox/network/index.ts';
import { startProcessorUpstream } from '../../../src/sandbox/processor/index.ts';
import { startRegistrarUpstream } from '../../../src/sandbox/registrar/index.ts';
import { exvenue } from '../../../src/venues/exchange/adapter/index.ts';
import { netvenue } from '../../../src/venues/network/adapter/index.ts';
import { PROCESSOR } from '../money.ts';
import { type Relay, type Reply, relayTo } from '../relay.ts';
import { KEYS } from '../service.ts';

type Outcome = { kind: string };
type Call = () => Promise<Outcome>;

/** One operation of an adapter. `samples`: the upstream's replies to its requests when it works, in order. */
export type Operation = { name: string; isWrite: boolean; relay: Relay; call: Call; samples: Reply[] };

const KEY = '11'.repeat(32);
const quick = { timeoutMs: 10_000 };

/** Every operation of every adapter that speaks HTTP to one upstream, each recorded once against its sandbox. */
export async function recordOperations(): Promise<{ operations: Operation[]; close(): Promise<void> }> {
  const upstreams = [await atNetwork(), await atExchange(), await atProcessor(), await atRegistrar()];
  const operations: Operation[] = [];
  for (const { relay, writes, reads } of upstreams)
    for (const [calls, isWrite] of [[writes, true] as const, [reads, false] as const])
      for (const [name, call] of Object.entries(calls)) operations.push(await recorded(relay, { name, isWrite, call }));
  return {
    operations,
    async close() {
      for (const { relay, upstream } of upstreams) {
        await relay.close();
        await upstream.close();
      }
    },
  };
}

/** The sandbox settles nothing by itself; this shape is from venues/network-validator.md#payouts. */
const SETTLEMENTS: Reply = {
  status: 200,
  headers: {},
  body: JSON.stringify({
    status: 'success',
    data: { weekly_settlements: [{ start_ms: 0, end_ms: 604_800_000, payout: 12.5 }] },
  }),
};

async function recorded(relay: Relay, operation: Pick<Operation, 'name' | 'isWrite' | 'call'>): Promise<Operation> {
  const samples: Reply[] = [];
  relay.handle = async ({ forward }) => {
    const reply = await forward();
    samples.push(reply);
    return reply;
  };
  const { kind } = await operation.call();
  if (kind === 'absent') samples.splice(0, samples.length, SETTLEMENTS);
  else if (kind !== (operation.isWrite ? 'accepted' : 'found')) throw new Error(`${operation.name} is ${kind}`);
  return { ...operation, relay, samples };
}

async function atNetwork() {
  const upstream = await startNetvenueUpstream({ ...KEYS, cooldownMs: 0, activationMs: 0 });
  const relay = await relayTo(new URL(upstream.minerUrl).origin);
  const venue = netvenue({ ...KEYS, minerUrl: `${relay.url}/miner`, validatorUrl: `${relay.url}/validator` });
  const wallet = `0x${'ab'.repeat(20)}`;
  const [id = 0] = upstream.addSubaccounts(1, { active: true });
  const hotkey = `${KEYS.entityHotkey}_${id}`;
  await venue.createSubaccount({ exAddress: wallet, accountSize: 10_000 });
  const listed = await venue.listSubaccounts();
  const uuid = listed.kind === 'found' ? String(listed.data[0]?.subaccountUuid) : '';
  const signal = (more: object) => ({
    subaccount_id: id,
    trade_pair: 'BTCUSDC',
    order_type: 'LONG' as const,
    value: 100,
    ...more,
  });
  const market = () => ({ ...signal({}), execution_type: 'MARKET' as const, order_uuid: newIntentId() });
  const placed = market();
  await venue.submit(placed);
  await venue.submit({ ...market(), execution_type: 'LIMIT', limit_price: 10 });
  return {
    upstream,
    relay,
    writes: {
      'netvenue.submit': () => venue.submit(market(), quick),
      'netvenue.createSubaccount': () => venue.createSubaccount({ assetClass: 'crypto', accountSize: 10_000 }, quick),
    },
    reads: {
      'netvenue.orderStatus': () => venue.orderStatus(placed.order_uuid),
      'netvenue.dashboard': () => venue.dashboard(hotkey),
      'netvenue.orders': () => venue.orders(hotkey),
      'netvenue.walletDashboard': () => venue.walletDashboard(wallet),
      'netvenue.limits': () => venue.limits(hotkey),
      'netvenue.walletLimits': () => venue.walletLimits(wallet),
      'netvenue.settlements': () => venue.settlements({ uuid, hotkey }, Date.now()),
      'netvenue.tradePairs': () => venue.tradePairs(),
      'netvenue.listSubaccounts': () => venue.listSubaccounts(),
    },
  };
}

async function atExchange() {
  const upstream = await startExvenueUpstream({ network: 'testnet', autoFund: '100000' });
  const relay = await relayTo(upstream.url);
  const open = () => exvenue({ url: relay.url, network: 'testnet', budgetPerMinute: 1_000_000 }); // each call on its own: lists are cached, a 429 halts
  const signer = open().signerOf(KEY);
  const user = String(signer?.address);
  const order = { asset: 1, side: 'buy', size: '0.001', reduceOnly: false, cloid: `0x${'ab'.repeat(16)}` } as const;
  let nonce = Date.now();
  const place = async (price: string) => {
    const orders = [{ ...order, price, timeInForce: 'gtc' as const }];
    const body = await signer?.sign({ kind: 'place', orders, grouping: 'none' }, { nonce: ++nonce });
    return open().post(String(body), { firstSend: true, ...quick });
  };
  await place('50000');
  await place('200000');
  return {
    upstream,
    relay,
    writes: { 'exvenue.post': () => place('50000') },
    reads: {
      'exvenue.asset': () => open().asset('BTC'),
      'exvenue.assets': () => open().assets('spot'),
      'exvenue.dexes': () => open().dexes(),
      'exvenue.markets': () => open().markets(),
      'exvenue.mids': () => open().mids(),
      'exvenue.accounts': () => open().accounts(user),
      'exvenue.spotBalances': () => open().spotBalances(user),
      'exvenue.openOrders': () => open().openOrders(user),
      'exvenue.orderStatus': () => open().orderStatus(user, order.cloid),
      'exvenue.historicalOrders': () => open().historicalOrders(user),
      'exvenue.recentFills': () => open().recentFills(user),
      'exvenue.fills': () => open().fills(user, { fromMs: 0 }),
      'exvenue.agents': () => open().agents(user),
      'exvenue.actionBudget': () => open().actionBudget(user),
    },
  };
}

async function atProcessor() {
  const upstream = await startProcessorUpstream(PROCESSOR);
  const relay = await relayTo(upstream.url);
  const client = processor({ url: relay.url, ...PROCESSOR });
  const people = { userId: 'usr_1', appId: 'app_1' };
  const money = { amountCents: 100, currency: 'usd' };
  const verification = { ...people, withSelfie: true, returnUrl: null };
  const data = <T>(result: { kind: string; data?: T }): T => result.data as T; // as: the sandbox accepts it
  const payment = data(await client.createPayment({ paymentId: 'pay_1', ...people, ...money }, newIntentId()));
  const session = data(await client.createVerification(verification, newIntentId()));
  const { accountId } = data(await client.createAccount({ ...people, country: 'US', isAbroad: false }, newIntentId()));
  const control = (what: string, body: object) =>
    fetch(`${upstream.controlUrl}/${what}`, { method: 'POST', body: JSON.stringify(body) });
  await control('payment', { id: payment.processorId, to: 'succeeded' });
  await control('account', { id: accountId, payouts_enabled: true });
  const transfer = { payoutId: 'po_1', accountId, ...money };
  const { id: transferId } = data(await client.transfer({ ...transfer, amountCents: 1_000 }, newIntentId()));
  const { id: payoutId } = data(await client.payOut(transfer, newIntentId()));
  return {
    upstream,
    relay,
    writes: {
      'processor.createPayment': () => client.createPayment({ paymentId: 'p', ...people, ...money }, newIntentId()),
      'processor.refund': () => client.refund({ processorId: payment.processorId, paymentId: 'pay_1' }, newIntentId()),
      'processor.createVerification': () => client.createVerification(verification, newIntentId()),
      'processor.createAccount': () =>
        client.createAccount({ ...people, country: 'US', isAbroad: false }, newIntentId()),
      'processor.createLink': () =>
        client.createLink({ accountId, returnUrl: 'https://a.test', refreshUrl: 'https://a.test' }, newIntentId()),
      'processor.transfer': () => client.transfer(transfer, newIntentId()),
      'processor.reverse': () => client.reverse({ ...transfer, transferId, amountCents: 10 }, newIntentId()),
      'processor.payOut': () => client.payOut(transfer, newIntentId()),
    },
    reads: {
      'processor.findOwnAccount': () => client.findOwnAccount(),
      'processor.findPayment': () => client.findPayment(payment.processorId),
      'processor.findVerification': () => client.findVerification(session.sessionId),
      'processor.findAccount': () => client.findAccount(accountId),
      'processor.findPayout': () => client.findPayout(payoutId, accountId),
      'processor.findMovement': () =>
        client.findMovement({
          ...{ step: 'transfer', key: 'none', payoutId: 'po_1', accountId, transferId: null },
          ...{ amountCents: 100, currency: 'usd', sinceMs: Date.now() },
        }),
      'processor.findRefund': () => client.findRefund({ processorId: payment.processorId, key: 'none' }),
      'processor.findCheckout': () => client.findCheckout({ key: 'none', sinceMs: Date.now() }),
      'processor.listEvents': () => client.listEvents(0, null),
    },
  };
}

async function atRegistrar() {
  const upstream = await startRegistrarUpstream({ wantsProof: false });
  const relay = await relayTo(upstream.url);
  const { REGISTRAR_NETWORK: network = '', REGISTRAR_ASSET: asset = '' } = upstream.settings;
  const client = registrar({ url: relay.url, chainUrl: `${relay.url}/chain`, network, asset });
  const { minerSlug } = upstream;
  let wallets = 0;
  const paying = async () => {
    const payer = client.payerOf(String(++wallets).padStart(64, '1'));
    const exAddress = String(payer?.address);
    const body = client.bodyOf({ minerSlug, exAddress, accountSize: 5_000, email: 'a@b.example', tierIndex: 0 });
    const quote = await client.quote(body);
    const terms = quote.kind === 'accepted' ? quote.data.accepts[0] : undefined;
    if (quote.kind !== 'accepted' || !terms || !payer) throw new Error('no terms');
    const times = { nonce: `0x${'ab'.repeat(32)}`, validBeforeS: Math.floor(Date.now() / 1000) + 3_600 };
    return { exAddress, body, signed: await payer.authorize(quote.data, terms, times) };
  };
  const pay = async ({ body, signed }: Awaited<ReturnType<typeof paying>>) =>
    client.pay(body, signed, { firstSend: true, proof: null, ...quick });
  const paid = await paying();
  await pay(paid);
  const next = await paying();
  return {
    upstream,
    relay,
    writes: {
      'registrar.quote': () => client.quote(next.body, quick),
      'registrar.pay': () => pay(next),
    },
    reads: {
      'registrar.tiers': () => client.tiers(minerSlug),
      'registrar.status': () => client.status(paid.exAddress),
      'registrar.head': () => client.head(),
      'registrar.balanceOf': () => client.balanceOf(paid.exAddress),
      'registrar.payment': () => client.payment(paid.signed.authorization, 0),
    },
  };
}
