import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { newIntentId, orderIdOf } from '../../src/kernel/ids.ts';
import { effectsOf, effectsUnder, limit, market, SUBMIT } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('intents', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const slowly = (delayMs: number) => service.miner.faults.add({ kind: 'late', route: SUBMIT, times: 1, delayMs });

  describe('Prefer', () => {
    for (const [prefer, applied] of [
      ['wait=0', 'wait=0'],
      ['respond-async', 'respond-async'],
      ['respond-async, wait=20', 'respond-async'],
      ['handling=lenient; x=1, Wait="0"', 'wait=0'],
    ] as const) {
      it(`"${prefer}" gets 202 with everything a poll needs`, async () => {
        const trader = await service.trader();
        slowly(150);

        const reply = await trader.post(ORDERS, market(), { prefer });
        const order = await trader.poll(reply);

        const { order_uuid } = reply.body;
        expect(reply.status).to.equal(202);
        expect(reply.body).to.include({ success: true, status: 'pending', message: null, executed: null });
        expect(reply.headers).to.include({
          'retry-after': '1',
          'preference-applied': applied,
          'intent-id': order_uuid,
        });
        expect(reply.headers.location).to.equal(`${ORDERS}/${order_uuid}`);
        expect(order).to.include({ order_uuid, status: 'completed' });
      });
    }

    it('wait=1 waits 1 s, and no longer', async () => {
      const trader = await service.trader();
      slowly(1_700);
      const startedAt = performance.now();

      const reply = await trader.post(ORDERS, market(), { prefer: 'wait=1' });
      const tookMs = performance.now() - startedAt;

      expect(reply.status).to.equal(202);
      expect(reply.headers['preference-applied']).to.equal('wait=1');
      expect(tookMs).to.be.within(950, 1_650);
      expect(await trader.poll(reply)).to.include({ status: 'completed' });
    });

    it('wait=25 ends as soon as the intent does', async () => {
      const trader = await service.trader();

      const reply = await trader.post(ORDERS, market(), { prefer: 'wait=600' });

      expect(reply.status).to.equal(200);
      expect(reply.headers['preference-applied']).to.equal('wait=25');
    });
  });

  describe('Idempotency-Key', () => {
    it('returns the first response to the same request', async () => {
      const trader = await service.trader();
      const key = randomUUID();

      const first = await trader.post(ORDERS, market(), { key });
      const again = await trader.post(ORDERS, { ...market(), execution_type: 'MARKET' }, { key });

      expect([first.status, again.status]).to.deep.equal([200, 200]);
      expect(again.body).to.deep.equal(first.body);
      expect(first.headers).not.to.have.property('idempotent-replayed');
      expect(again.headers).to.include({ 'idempotent-replayed': 'true', 'intent-id': first.headers['intent-id'] });
      expect(effectsOf(service, trader)).to.deep.equal(['market']);
    });

    it('also returns an error response again', async () => {
      const trader = await service.trader();
      const key = randomUUID();

      const first = await trader.post(ORDERS, market({ leverage: 0.0404 }), { key });
      const again = await trader.post(ORDERS, market({ leverage: 0.0404 }), { key });

      for (const reply of [first, again]) expectProblem(reply, 'VENUE_REJECTED', { reason: 'no_live_prices' });
      expect(again.headers['intent-id']).to.equal(first.headers['intent-id']);
    });

    it('is rejected for another body, operation or trader', async () => {
      const trader = await service.trader();
      const sibling = await trader.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 5_000 });
      const key = randomUUID();
      await trader.post(ORDERS, market(), { key });

      const replies = await Promise.all([
        trader.post(ORDERS, market({ leverage: 0.2 }), { key }),
        trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' }, { key }),
        trader.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 5_000 }, { key }),
        trader.post(ORDERS, market(), {
          key,
          headers: { 'Trader-ID': String(sibling.body.subaccount.subaccount_id) },
        }),
      ]);

      for (const reply of replies) expectProblem(reply, 'IDEMPOTENCY_KEY_REUSED', { effect: 'none', retryable: false });
      expect(effectsOf(service, trader)).to.deep.equal(['market']);
    });

    it('is rejected for a write without an intent, and the key of such a write for an intent', async () => {
      const trader = await service.trader();
      const [placed, enrolled] = [randomUUID(), randomUUID()];
      const private_key = generatePrivateKey();
      const enroll = (key: string) =>
        trader.post('/v1/sessions', { ex_wallet: privateKeyToAddress(private_key), private_key }, { key });
      await trader.post(ORDERS, market(), { key: placed });

      const notEnrolled = await enroll(placed);
      const first = await enroll(enrolled);
      const notPlaced = await trader.post(ORDERS, market(), { key: enrolled });

      for (const reply of [notEnrolled, notPlaced])
        expectProblem(reply, 'IDEMPOTENCY_KEY_REUSED', { effect: 'none', retryable: false });
      expect([first.status, (await enroll(enrolled)).headers['idempotent-replayed']]).to.deep.equal([200, 'true']);
      expect(effectsOf(service, trader)).to.deep.equal(['market']);
    });

    it('belongs to its caller: another partner may use the same', async () => {
      const [trader, other] = await Promise.all([service.trader(), service.trader()]);
      const key = randomUUID();

      const replies = await Promise.all([trader, other].map((one) => one.post(ORDERS, market(), { key })));

      for (const reply of replies) expect(reply.headers).not.to.have.property('idempotent-replayed');
      expect(new Set(replies.map(({ body }) => body.order_uuid))).to.have.property('size', 2);
    });

    it('gives 20 concurrent requests one effect and one response', async () => {
      const trader = await service.trader();
      const key = randomUUID();
      slowly(200);

      const replies = await Promise.all(Array.from({ length: 20 }, () => trader.post(ORDERS, market(), { key })));

      const [first] = replies;
      for (const reply of replies) expect(reply.body).to.deep.equal(first?.body);
      expect(replies.filter(({ headers }) => headers['idempotent-replayed'])).to.have.length(19);
      expect(effectsOf(service, trader)).to.deep.equal(['market']);
    });

    it('works for a cancellation and a registration', async () => {
      const trader = await service.trader();
      const placed = await trader.post(ORDERS, limit());
      const cancel = `${ORDERS}/${placed.body.order_uuid}?trade_pair=BTCUSDC`;
      const account = { asset_class: 'crypto', account_size: 7_777 };

      const cancels = [await trader.delete(cancel, { key: 'c' }), await trader.delete(cancel, { key: 'c' })];
      const registered = [1, 2].map(() => trader.post('/v1/register/netvenue', account, { key: 'r' }));

      const [one, two] = await Promise.all(registered);
      expect(cancels.map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(effectsOf(service, trader)).to.deep.equal(['limit', 'cancel']);
      expect(two?.body).to.deep.equal(one?.body);
    });

    it('is not stored for a request that was rejected before acceptance', async () => {
      const trader = await service.trader();
      const key = randomUUID();
      await trader.post(ORDERS, market({ leverage: -1 }), { key });
      await trader.post(ORDERS, market(), { key, headers: { 'Trader-ID': '999999999' } });

      const reply = await trader.post(ORDERS, market(), { key });

      expect(reply.status).to.equal(200);
      expect(reply.headers).not.to.have.property('idempotent-replayed');
    });
  });

  describe('a caller’s order_uuid', () => {
    it('replays the same request and rejects another', async () => {
      const trader = await service.trader();
      const order_uuid = newIntentId();
      const order = market({ order_uuid });

      const first = await trader.post(ORDERS, order);
      const again = await trader.post(ORDERS, order);
      const other = await trader.post(ORDERS, { ...order, leverage: 0.2 });

      expect(again.body).to.deep.equal(first.body);
      expect(again.headers['idempotent-replayed']).to.equal('true');
      expectProblem(other, 'V1_ORDER_UUID_REUSED', { effect: 'none' });
      expect(first.body.order_uuid).to.equal(order_uuid);
      expect(effectsUnder(service, orderIdOf(trader.owner, order_uuid))).to.have.length(1);
    });

    it('of another partner is free', async () => {
      const [trader, other] = await Promise.all([service.trader(), service.trader()]);
      const order = market({ order_uuid: newIntentId() });
      await trader.post(ORDERS, order);

      const reply = await other.post(ORDERS, order, { key: 'k' });

      expect(reply.status).to.equal(200);
      expect(reply.headers).not.to.have.property('idempotent-replayed');
    });
  });

  describe('getPartnerIntent', () => {
    it('shows an intent of the caller with the result from the upstream', async () => {
      const trader = await service.trader();
      const placed = await trader.post(ORDERS, market());

      const { status, headers, body } = await trader.get(`/v1/intents/${placed.body.order_uuid.toUpperCase()}`);

      expect(status).to.equal(200);
      expect(headers['intent-id']).to.equal(placed.body.order_uuid);
      expect(body).to.include({ kind: 'network/place', state: 'succeeded', effect: 'done', problem: null });
      expect(body.result.executed).to.deep.equal(placed.body.executed);
      expect(Date.parse(body.sending_at)).to.be.within(Date.parse(body.created_at), Date.parse(body.settled_at));
    });

    it('returns 404 for the intent of another partner', async () => {
      const [trader, other] = await Promise.all([service.trader(), service.trader()]);
      const placed = await trader.post(ORDERS, market());

      const foreign = await other.get(`/v1/intents/${placed.body.order_uuid}`);
      const unknown = await other.get(`/v1/intents/${newIntentId()}`);

      for (const reply of [foreign, unknown]) expectProblem(reply, 'INTENT_UNKNOWN');
    });
  });
});
