import { expect } from 'chai';
import { processor } from '../../src/adapters/processor/index.ts';
import type { Processor } from '../../src/adapters/processor/types.ts';
import { type ProcessorParty, startProcessorParty } from '../../src/sandbox/processor/index.ts';
import { realSockets } from '../support/sockets.ts';

const KEYS = { secretKey: 'sk_test_1', notificationSecret: 'whsec_1' };
const asked = { paymentId: 'pay_1', userId: 'usr_1', appId: 'app_1', amountCents: 19_900, currency: 'usd' };

describe('the sandbox processor', () => {
  let party: ProcessorParty;
  let client: Processor;
  let unmocked: () => void;
  before(async () => {
    unmocked = realSockets();
    party = await startProcessorParty(KEYS);
    client = processor({ ...KEYS, url: party.url });
  });
  after(async () => {
    await party.close();
    unmocked();
  });

  const create = async (key: string) => {
    const answer = await client.createPayment(asked, key);
    if (answer.kind !== 'accepted') throw new Error(answer.kind);
    return answer.said;
  };
  const page = (secret: string | null) => `${party.url}/sandbox/pay/${secret}`;

  it('answers a repeated key as before, and a reused one with an error', async () => {
    const first = await create('key-1');
    const again = await create('key-1');
    const other = await client.createPayment({ ...asked, amountCents: 50 }, 'key-1');

    expect(again).to.deep.equal(first);
    expect(other.kind).to.equal('in_doubt');
    expect(party.ledger.entries().filter(({ key }) => key === 'key-1')).to.have.length(1);
  });

  it('refuses another key', async () => {
    const stranger = processor({ ...KEYS, secretKey: 'sk_other', url: party.url });

    expect(await stranger.createPayment(asked, 'key-2')).to.include({ kind: 'rejected', slug: 'processor_auth' });
  });

  it('pays by its page, which needs nothing from elsewhere and changes nothing by being looked at', async () => {
    const { processorId, clientSecret } = await create('key-3');

    const looked = await fetch(page(clientSecret));
    const html = await looked.text();
    expect(looked.headers.get('content-type')).to.match(/^text\/html/);
    expect(html)
      .to.match(/<html lang="en">/)
      .and.match(/<title>Pay 199.00 USD/);
    expect(html)
      .to.match(/role="status"/)
      .and.not.match(/<script|src=|https?:/);
    expect(await client.findPayment(processorId)).to.have.nested.property('said.status', 'requires_payment_method');

    await fetch(page(clientSecret), { method: 'POST', body: new URLSearchParams({ do: 'decline' }) });
    expect(await client.findPayment(processorId)).to.have.nested.property('said.failure', 'generic_decline');
    await fetch(page(clientSecret), { method: 'POST', body: new URLSearchParams({ do: 'pay' }) });
    expect(await client.findPayment(processorId)).to.have.nested.property('said.status', 'succeeded');
    expect((await fetch(page(`${processorId}_secret_guessed`))).status).to.equal(404);
  });

  it('lists its events newest first, in pages', async () => {
    for (let n = 0; n < 120; n += 1) await create(`page-${n}`);

    const first = await client.listEvents(0, null);
    if (first.kind !== 'found') throw new Error(first.kind);
    const second = await client.listEvents(0, first.said.next);
    if (second.kind !== 'found') throw new Error(second.kind);

    const ids = [...first.said.events, ...second.said.events].map(({ id }) => id);
    expect(first.said.events).to.have.length(100);
    expect(ids).to.deep.equal(
      party.events
        .map(({ id }) => id)
        .reverse()
        .slice(0, ids.length),
    );
    expect(new Set(ids).size).to.equal(ids.length);
  });
});
