import { expect } from 'chai';
import { processor } from '../../src/adapters/processor/index.ts';
import type { Processor } from '../../src/adapters/processor/types.ts';
import { type ProcessorUpstream, startProcessorUpstream } from '../../src/sandbox/processor/index.ts';
import { realSockets } from '../support/sockets.ts';

const KEYS = { secretKey: 'sk_test_1', notificationSecret: 'whsec_1' };
const request = { paymentId: 'pay_1', userId: 'usr_1', appId: 'app_1', amountCents: 19_900, currency: 'usd' };

describe('the sandbox processor', () => {
  let upstream: ProcessorUpstream;
  let client: Processor;
  let unmocked: () => void;
  before(async () => {
    unmocked = realSockets();
    upstream = await startProcessorUpstream(KEYS);
    client = processor({ ...KEYS, url: upstream.url });
  });
  after(async () => {
    await upstream.close();
    unmocked();
  });

  const create = async (key: string) => {
    const response = await client.createPayment(request, key);
    if (response.kind !== 'accepted') throw new Error(response.kind);
    return response.data;
  };
  const page = (secret: string | null) => `${upstream.url}/sandbox/pay/${secret}`;

  it('returns the first response for a repeated key, and an error for a reused one', async () => {
    const first = await create('key-1');
    const again = await create('key-1');
    const other = await client.createPayment({ ...request, amountCents: 50 }, 'key-1');

    expect(again).to.deep.equal(first);
    expect(other.kind).to.equal('unknown');
    expect(upstream.ledger.entries().filter(({ key }) => key === 'key-1')).to.have.length(1);
  });

  it('rejects another key', async () => {
    const outsider = processor({ ...KEYS, secretKey: 'sk_other', url: upstream.url });

    expect(await outsider.createPayment(request, 'key-2')).to.include({ kind: 'rejected', slug: 'processor_auth' });
  });

  it('offers a payment page that loads nothing external and has no effect when viewed', async () => {
    const { processorId, clientSecret } = await create('key-3');

    const viewed = await fetch(page(clientSecret));
    const html = await viewed.text();
    expect(viewed.headers.get('content-type')).to.match(/^text\/html/);
    expect(html)
      .to.match(/<html lang="en">/)
      .and.match(/<title>Pay 199.00 USD/);
    expect(html)
      .to.match(/role="status"/)
      .and.not.match(/<script|src=|https?:/);
    expect(await client.findPayment(processorId)).to.have.nested.property('data.status', 'requires_payment_method');

    await fetch(page(clientSecret), { method: 'POST', body: new URLSearchParams({ do: 'decline' }) });
    expect(await client.findPayment(processorId)).to.have.nested.property('data.failure', 'generic_decline');
    await fetch(page(clientSecret), { method: 'POST', body: new URLSearchParams({ do: 'pay' }) });
    expect(await client.findPayment(processorId)).to.have.nested.property('data.status', 'succeeded');
    expect((await fetch(page(`${processorId}_secret_guessed`))).status).to.equal(404);
  });

  it('lists its events newest first, in pages', async () => {
    for (let n = 0; n < 120; n += 1) await create(`page-${n}`);

    const first = await client.listEvents(0, null);
    if (first.kind !== 'found') throw new Error(first.kind);
    const second = await client.listEvents(0, first.data.next);
    if (second.kind !== 'found') throw new Error(second.kind);

    const ids = [...first.data.events, ...second.data.events].map(({ id }) => id);
    expect(first.data.events).to.have.length(100);
    expect(ids).to.deep.equal(
      upstream.events
        .map(({ id }) => id)
        .reverse()
        .slice(0, ids.length),
    );
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('takes back by control calls only what was paid and transferred', async () => {
    const move = async (what: string, body: object) =>
      (await fetch(`${upstream.controlUrl}/${what}`, { method: 'POST', body: JSON.stringify(body) })).status;
    const { processorId: id } = await create('key-paid');
    const account = await client.createAccount({ userId: 'u', appId: 'a', country: 'US', isAbroad: false }, 'key-acct');
    if (account.kind !== 'accepted') throw new Error(account.kind);
    const { accountId } = account.data;
    await move('account', { id: accountId, to: 'ready' });
    const leg = { payoutId: 'po_1', accountId, amountCents: 500, currency: 'usd', transferId: null };
    const transfer = await client.transfer(leg, 'key-transfer');
    if (transfer.kind !== 'accepted') throw new Error(transfer.kind);

    const unpaid = [await move('payment', { id, to: 'refunded' }), await move('payment', { id, to: 'disputed' })];
    await move('payment', { id, to: 'succeeded' });
    const paid = [
      await move('payment', { id, to: 'refunded', amount: 19_901 }),
      await move('payment', { id, to: 'refunded' }),
      await move('payment', { id, to: 'refunded' }),
    ];
    const back = [
      await move('transfer', { id: transfer.data.id, amount: 300 }),
      await move('transfer', { id: transfer.data.id, amount: 300 }),
      await move('transfer', { id: transfer.data.id }),
      await move('transfer', { id: transfer.data.id }),
    ];

    expect(unpaid).to.deep.equal([400, 400]);
    expect(paid).to.deep.equal([400, 200, 400]);
    expect(back).to.deep.equal([200, 400, 200, 400]);
  });
});
