import { randomUUID } from 'node:crypto';
import type { Receipt } from '../../../src/capabilities/agreements/rules.ts';
import { openPool } from '../../../src/db/pool.ts';
import type { Caller } from '../../support/caller.ts';
import { type Ask, codeIn, makeAdmin, PASSWORD } from '../../support/identity.ts';
import { until } from '../../support/processes.ts';
import { type Buyer, MILLION, newBuyer, purchaseBody, REGISTER } from '../../support/registration.ts';
import type { Wallet } from '../callers.ts';
import { acknowledged } from '../load.ts';
import { loadExchange } from './exchange-load.ts';
import { live as liveByMoney } from './money.ts';
import { makeTraders, type Trader } from './money-people.ts';
import type { Rollout } from './rollout-stage.ts';
import { live as liveByVerbs } from './verbs.ts';
import { gather, type Submit } from './verbs-traders.ts';

const EACH_MS = 800; // between traders
const DONE_WITHIN_MS = 120_000;
const LATER = { prefer: 'wait=0' };

/** Callers of every kind. Each half lives in one part of the roll-out. */
export type Crowd = {
  rollout: Rollout;
  submits: Submit[];
  buyers: Trader[];
  registering: Buyer[];
  /** Traders of one partner, whose events are delivered, as are those of the buyers' app. */
  watched: Caller[];
  /** One that reads at the exchange. */
  wallet: Wallet;
  /** The secrets of their endpoints, by the path of the receiver. */
  secrets: Record<string, string>;
  operator: Ask;
};

const HALVES = 2;

/** Makes callers of every kind. */
export async function openCrowd(rollout: Rollout): Promise<Crowd> {
  const { stage, chain, receiver } = rollout;
  const submits = await gather(stage, { partners: 4, users: 2, tenants: 2 });
  const buyers = await makeTraders(rollout, 8);
  const registering: Buyer[] = [];
  for (let n = 0; n < 2 * HALVES; n += 1) registering.push(await newBuyer(chain, MILLION));
  const watched = await stage.traders(2 * HALVES);
  const wallet = first(await stage.wallets(1));
  const to = (path: string) => ({ url: `${receiver.url}${path}`, events: ['*'] });
  const ofPartner = await first(watched).post('/v1/webhook-endpoints', to('/partner'));
  const ofApp = await first(buyers).ask('POST', '/v2/webhook-endpoints', { json: to('/app') });
  const db = await openPool(rollout.databaseUrl, 1, () => {});
  const { ask: operator } = await makeAdmin({ db, url: stage.web.url }).finally(() => db.end());
  const secrets = { '/partner': String(ofPartner.body.secret), '/app': String(ofApp.body.secret) };
  return { rollout, submits, buyers, registering, watched, wallet, secrets, operator };
}

/** The first of several. */
export const first = <T>(of: readonly T[]): T => of[0] as T; // as: there is at least one

/** Lets a half of the callers write whatever they can. */
export async function live(crowd: Crowd, half: number): Promise<Taken> {
  const { rollout } = crowd;
  const own = <T>(of: readonly T[]) => of.filter((_, n) => n % HALVES === half);
  const pace = { perSecond: 5, goOn: (count: number) => count < 50 };
  const [network, exchange, receipts] = await Promise.all([
    Promise.all(own(crowd.submits).map((submit, n) => liveByVerbs(submit, n, { everyMs: EACH_MS }))),
    loadExchange(rollout.stage, 5, pace),
    Promise.all(own(crowd.buyers).map(sign)),
    ...own(crowd.buyers).map((buyer) => liveByMoney(rollout, buyer, () => true)),
    ...own(crowd.buyers).map((buyer) => notify(buyer)),
    ...own(crowd.registering).map((buyer) => register(first(crowd.watched), buyer)),
    ...own(crowd.watched).map((trader) => trade(trader)),
    buy(crowd.wallet),
    signUp(rollout, first(crowd.buyers), half),
    operate(crowd, half),
  ] as const);
  return { network: network.flat(), exchange, receipts };
}

/** The ids of acknowledged intents by their venue, and the receipts of signatures. */
export type Taken = { network: string[]; exchange: string[]; receipts: Receipt[] };

/** Orders, each sent twice under one key, and a subaccount. */
async function trade(trader: Caller): Promise<void> {
  const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.01 };
  for (let n = 0; n < 8; n += 1) {
    const key = randomUUID();
    const place = () => acknowledged(() => trader.post('/v1/orders/netvenue', order, { ...LATER, key }));
    const ids = [await place(), await place()];
    if (ids[0] !== ids[1]) throw new Error(`One key, two intents: ${ids}`);
  }
  const key = randomUUID();
  const account = { asset_class: 'crypto', account_size: 10_000 };
  await acknowledged(() => trader.post('/v1/register/netvenue', account, { ...LATER, key }));
}

/** A signature that is sent twice under one key. */
async function sign({ ask }: Trader): Promise<Receipt> {
  const headers = { 'Idempotency-Key': randomUUID() };
  const json = { agreement_version: '1', signature_name: 'Jane Doe' };
  const receipts: Receipt[] = [];
  await repeated('a signature, twice', async () => {
    const { status, body } = await ask('POST', '/v2/agreements/sign', { json, headers });
    if (status === 200) receipts.push(body.receipt);
    return receipts.length === 2;
  });
  if (receipts[0]?.id !== receipts[1]?.id) throw new Error(`One key, two signatures: ${JSON.stringify(receipts)}`);
  return first(receipts);
}

/** An order at the exchange. */
function buy(wallet: Wallet): Promise<string> {
  const order = { pair: 'BTC', side: 'long', size: '0.002', order_type: 'market', client_order_id: randomUUID() };
  return acknowledged(() => wallet.post('/v1/orders/exvenue', order, LATER));
}

async function register(partner: Caller, buyer: Buyer): Promise<void> {
  const key = randomUUID();
  await acknowledged(() => partner.post(REGISTER, purchaseBody(buyer), { ...LATER, key }));
}

/** A mail to a user. */
const notify = ({ ask, userId }: Trader) =>
  repeated('a notification', async () => {
    const json = { email: `${userId}@example.com`, subject: 'Welcome', html: '<p>Hello</p>' };
    const { status } = await ask('POST', '/v2/notifications/send', { json, headers: { Prefer: 'wait=0' } });
    return status === 200;
  });

/** A user who signs up, and verifies the address by the code in the mail. */
async function signUp({ mailbox }: Rollout, { ask }: Trader, half: number): Promise<void> {
  const email = `new-${half}-${randomUUID()}@example.com`;
  const json = { email, password: PASSWORD };
  await repeated('a sign-up', async () => (await ask('POST', '/v2/auth/signup', { json })).status === 200);
  const mail = await until('the mail of a sign-up', () => mailbox.mails(email)[0], DONE_WITHIN_MS);
  const body = { email, code: codeIn(mail.text) };
  await repeated('a verification', async () => {
    const { status } = await ask('POST', '/v2/auth/verify-email', { json: body });
    return status === 200;
  });
}

/** What operators set, pause and note. */
async function operate({ operator, rollout: { stage } }: Crowd, half: number): Promise<void> {
  const reason = 'as an example';
  const done = (method: string, path: string, json: object) =>
    repeated(`${method} ${path}`, async () => {
      const { status } = await operator(method, path, { json });
      return status < 300 || status === 404; // that its pause has ended
    });
  const [partner] = await stage.rows<{ id: string }>('select id from partners limit 1');
  await done('PATCH', `/v2/admin/partners/${partner?.id}`, { requests_per_minute: 100_000 + half });
  for (const subject of ['netvenue', 'exvenue', 'processor', partner?.id]) {
    await done('POST', '/v2/admin/pauses', { subject, reason });
    await done('POST', `/v2/admin/pauses/${subject}/end`, { reason });
  }
  await stage.rows(`select ops.dismiss('tr_nothing', 'operator', 'seen')`);
}

/** Repeats a step until it says that it was done: connections may be lost. */
const repeated = (what: string, step: () => Promise<boolean>) =>
  until(what, () => step().catch(() => false), DONE_WITHIN_MS);
