import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { processor } from '../../src/adapters/processor/index.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type ProcessorUpstream, startProcessorUpstream } from '../../src/sandbox/processor/index.ts';
import { PROCESSOR } from '../support/processor-keys.ts';
import { realSockets } from '../support/sockets.ts';

type Thing = Record<string, unknown>;

/** One object of each type: `resources` of openapi/fixtures3.json in github.com/stripe/openapi, f6c2a48fbac2 (MIT). */
const PUBLISHED: Record<string, Thing> = JSON.parse(
  readFileSync(new URL('../fixtures/processor/published.json', import.meta.url), 'utf8'),
);

/** Where the sandbox keeps its own state in an object; and what only an event of a connected account has. No reader reads the former. */
const OWN = [
  ...['account.balances', 'account.isGone', 'payment_intent.charged', 'payout.account', 'event.account'],
  ...['charge.account', 'charge.isCredited', 'charge.refunds'],
];
const people = { userId: 'usr_1', appId: 'app_1' } as const;
const money = { payoutId: 'po_1', amountCents: 100, currency: 'usd' } as const;

describe('the objects of the sandbox processor, against those that the processor publishes', () => {
  let upstream: ProcessorUpstream;
  let unmocked: () => void;
  before(async () => {
    unmocked = realSockets();
    upstream = await startProcessorUpstream(PROCESSOR);
  });
  after(async () => {
    await upstream.close();
    unmocked();
  });

  const control = (what: string, body: object) =>
    fetch(`${upstream.controlUrl}/${what}`, { method: 'POST', body: JSON.stringify(body) });
  const get = async (path: string, account = ''): Promise<Thing> => {
    const headers = { authorization: `Bearer ${PROCESSOR.secretKey}`, ...(account && { 'stripe-account': account }) };
    return (await fetch(upstream.url + path, { headers })).json() as Promise<Thing>;
  };
  const made = <T>(result: { kind: string; data?: T }): T => {
    expect(result.kind).to.equal('accepted');
    return result.data as T; // as: it was accepted
  };

  /** Every object of a purchase, its losses, and a payout, as the sandbox serves or emits it. */
  async function served(): Promise<Thing[]> {
    const client = processor({ url: upstream.url, ...PROCESSOR });
    const wanted = { paymentId: 'pay_1', ...people, amountCents: 1_000, currency: 'usd' };
    const { processorId: id } = made(await client.createPayment(wanted, newIntentId()));
    const { accountId } = made(
      await client.createAccount({ ...people, country: 'US', isAbroad: false }, newIntentId()),
    );
    made(await client.createVerification({ ...people, withSelfie: true, returnUrl: null }, newIntentId()));
    await control('payment', { id, to: 'succeeded' });
    await control('payment', { id, to: 'refunded', amount: 100 });
    await control('payment', { id, to: 'disputed', amount: 100 });
    await control('account', { id: accountId });
    const transfer = made(await client.transfer({ ...money, accountId, amountCents: 1_000 }, newIntentId()));
    const payout = made(await client.payOut({ ...money, accountId }, newIntentId()));
    made(await client.reverse({ ...money, transferId: transfer.id, amountCents: 10 }, newIntentId()));
    await control('payout', { id: payout.id, to: 'paid' });
    const lists = await Promise.all([get('/v1/balance_transactions'), get(`/v1/transfers/${transfer.id}/reversals`)]);
    return [
      ...upstream.events.flatMap((event) => [event as Thing, event.data.object as Thing]),
      ...lists.flatMap(({ data }) => data as Thing[]),
      ...(await Promise.all([
        get('/v1/balance'),
        get(`/v1/transfers/${transfer.id}`),
        get(`/v1/accounts/${accountId}`),
        get(`/v1/payouts/${payout.id}`, accountId),
        get(`/v1/charges/${transfer.arrivalId}`, accountId),
      ])),
    ];
  }

  it('have only members that are published, of the same kinds', async () => {
    const objects = await served();

    const wrong = objects.flatMap((object) =>
      Object.entries(object)
        .filter(([member, value]) => !isAsPublished(PUBLISHED[String(object.object)]?.[member], value))
        .map(([member]) => `${object.object}.${member}`),
    );
    expect([...new Set(wrong)].filter((member) => !OWN.includes(member))).to.deep.equal([]);
    expect(new Set(objects.map(({ object }) => object))).to.include.all.keys(
      ...['payment_intent', 'charge', 'refund', 'dispute', 'account', 'transfer', 'transfer_reversal', 'payout'],
      ...['balance', 'balance_transaction', 'event', 'identity.verification_session'],
    );
  });

  it('are read by the same readers as those that are published', async () => {
    const server = createServer(async (call, response) => {
      const [, list, , below] = (call.url ?? '').split('?')[0]?.split('/').slice(1) ?? [];
      const object = PUBLISHED[OF_PATH[below ?? ''] ?? OF_PATH[list ?? ''] ?? ''];
      const isList = list === 'balance_transactions' || (list === 'events' && call.method === 'GET');
      response.setHeader('content-type', 'application/json');
      const made = call.method === 'POST' ? { ...object, ...sentIn(await text(call)) } : object;
      response.end(JSON.stringify(isList ? { object: 'list', has_more: false, data: [object] } : made));
    }).listen(0);
    const { port } = server.address() as AddressInfo; // as: it listens on TCP
    const client = processor({ url: `http://127.0.0.1:${port}`, ...PROCESSOR });
    const accountId = String(PUBLISHED.account?.id);
    const wanted = { paymentId: 'pay_1', ...people, amountCents: 1_000, currency: 'usd' };

    const kinds = {
      payment: await client.findPayment('pi_1'),
      verification: await client.findVerification('vs_1'),
      account: await client.findAccount(accountId),
      payout: await client.findPayout('po_1', accountId),
      balance: await client.findBalance(accountId),
      changes: await client.listBalanceChanges(0),
      events: await client.listEvents(0, null),
      created: await client.createPayment(wanted, newIntentId()),
      refunded: await client.refund({ processorId: 'pi_1', paymentId: 'pay_1' }, newIntentId()),
      transferred: await client.transfer({ ...money, accountId }, newIntentId()),
      paidOut: await client.payOut({ ...money, accountId }, newIntentId()),
      reversed: await client.reverse({ ...money, transferId: 'tr_1' }, newIntentId()),
    };
    server.close();

    expect(Object.entries(kinds).filter(([, { kind }]) => kind !== 'found' && kind !== 'accepted')).to.deep.equal([]);
  });
});

/** The terms and the metadata of a request: what it makes has them too. */
function sentIn(form: string) {
  const sent = [...new URLSearchParams(form)];
  const metadata = sent.flatMap(([name, value]) => {
    const [, key] = /^metadata\[(\w+)\]$/.exec(name) ?? [];
    return key ? [[key, value]] : [];
  });
  const terms = sent.flatMap(([name, value]) =>
    /^(amount|currency|destination)$/.test(name) ? [[name, name === 'amount' ? Number(value) : value]] : [],
  );
  return { ...Object.fromEntries(terms), metadata: Object.fromEntries(metadata) };
}

const OF_PATH: Record<string, string> = {
  payment_intents: 'payment_intent',
  identity: 'identity.verification_session',
  accounts: 'account',
  payouts: 'payout',
  balance: 'balance',
  balance_transactions: 'balance_transaction',
  events: 'event',
  refunds: 'refund',
  transfers: 'transfer',
  reversals: 'transfer_reversal',
};

const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);

/** Whether a member is published, with a value of this kind: either may be null, and a reference may be expanded. */
const isAsPublished = (published: unknown, value: unknown): boolean =>
  published !== undefined &&
  (published === null ||
    value === null ||
    kindOf(value) === kindOf(published) ||
    (typeof published === 'string' && kindOf(value) === 'object'));
