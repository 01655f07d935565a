import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { registrar } from '../../src/adapters/registrar/index.ts';
import type { Payer, PaymentTerms } from '../../src/adapters/registrar/types.ts';
import { startExvenueUpstream } from '../../src/sandbox/exchange/index.ts';
import { type Files, filesIn } from '../../src/sandbox/memory.ts';
import { startNetvenueUpstream } from '../../src/sandbox/network/index.ts';
import { startProcessorUpstream } from '../../src/sandbox/processor/index.ts';
import { startRegistrarUpstream } from '../../src/sandbox/registrar/index.ts';
import { asking, bearer } from '../support/identity.ts';
import { realSockets } from '../support/sockets.ts';

const KEYS = { minerKey: 'miner', validatorKey: 'validator', entityHotkey: 'entity' };
const WALLET = '0x00000000000000000000000000000000000000a1';

describe('sandbox upstreams with files', () => {
  let folder: string;
  let unmocked: () => void;
  before(async () => {
    unmocked = realSockets();
    folder = await mkdtemp(path.join(tmpdir(), `tps-test-${process.pid}-memory-`));
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    unmocked();
  });
  const files = (upstream: string): Files => filesIn(folder, upstream);

  it('the network keeps linked wallets, positions and resting orders of every entity, also after a kill', async () => {
    const network = async () => {
      const upstream = await startNetvenueUpstream({ ...KEYS, ...files('netvenue'), cooldownMs: 0 });
      const miner = (key: string) => asking(upstream.minerUrl, bearer(key));
      return { upstream, miner, validator: asking(upstream.validatorUrl, bearer(KEYS.validatorKey)) };
    };
    const first = await network();
    for (const key of ['miner', 'miner:tenant']) {
      const ask = first.miner(key);
      const made = { hl_address: WALLET.replace('a1', key === 'miner' ? 'a1' : 'b2'), account_size: 10_000 };
      await ask('POST', '/api/create-hl-subaccount', { json: made });
      for (const order of [{ leverage: 0.1 }, { execution_type: 'LIMIT', limit_price: 90_000, quantity: 0.01 }]) {
        const json = {
          trade_pair: 'BTCUSDC',
          order_type: 'LONG',
          subaccount_id: 0,
          order_uuid: crypto.randomUUID(),
          ...order,
        };
        expect((await ask('POST', '/api/submit-order', { json })).status).to.equal(200);
      }
    }

    const second = await network(); // the first was never stopped, as after a kill

    for (const hotkey of ['entity_0', 'tenant_0']) {
      const { body } = await second.validator('GET', `/orders/${hotkey}?status=unfilled,filled`);
      expect([body.unfilled.length, body.filled.length]).to.deep.equal([1, 1]);
    }
    expect((await second.validator('GET', `/hl-traders/${WALLET}`)).status).to.equal(200);
    expect(second.upstream.ledger.entries()).to.deep.equal(first.upstream.ledger.entries());
    second.upstream.setPrice('BTCUSDC', 89_000); // one price for all: both limit orders are reached
    for (const hotkey of ['entity_0', 'tenant_0'])
      expect((await second.validator('GET', `/orders/${hotkey}?status=filled`)).body.filled).to.have.length(2);
    await first.upstream.close();
    await second.upstream.close();
  });

  it('the exchange keeps the assets of a wallet', async () => {
    const first = await startExvenueUpstream(files('exvenue'));
    const question = { json: { type: 'clearinghouseState', user: WALLET } };
    first.fund(WALLET, '123');
    await first.close();

    const second = await startExvenueUpstream(files('exvenue'));
    const { body } = await asking(second.url)('POST', '/info', question);
    await second.close();

    expect(Number(body.marginSummary.accountValue)).to.equal(123);
  });

  it('the processor keeps its payments, and the responses it gave under a key', async () => {
    const keys = { secretKey: 'sk', notificationSecret: 'whsec' };
    const form = { amount: '100', currency: 'usd' };
    const headers = { 'Idempotency-Key': 'once' };
    const first = await startProcessorUpstream({ ...keys, ...files('processor') });
    const made = await asking(first.url, bearer('sk'))('POST', '/v1/payment_intents', { form, headers });
    await first.close();

    const second = await startProcessorUpstream({ ...keys, ...files('processor') });
    const ask = asking(second.url, bearer('sk'));
    const shown = await ask('GET', `/v1/payment_intents/${made.body.id}`);
    const again = await ask('POST', '/v1/payment_intents', { form, headers });
    await second.close();

    expect([shown.body, again.body]).to.deep.equal([made.body, made.body]);
  });

  it('the registrar keeps its registrations, and the book keeps the payments', async () => {
    const start = async () => {
      const upstream = await startRegistrarUpstream({ ...files('registrar'), wantsProof: false });
      const { REGISTRAR_URL: url = '', REGISTRAR_CHAIN_URL: chainUrl = '' } = upstream.settings;
      const { REGISTRAR_NETWORK: network = '', REGISTRAR_ASSET: asset = '' } = upstream.settings;
      return { ...upstream, client: registrar({ url, chainUrl, network, asset }) };
    };
    const first = await start();
    const payer = first.client.payerOf(`0x${'11'.repeat(32)}`) as Payer; // it is a key
    const request = {
      minerSlug: first.minerSlug,
      exAddress: WALLET,
      accountSize: 5_000,
      email: 'a@b.example',
      tierIndex: 0,
    };
    const body = first.client.bodyOf(request);
    const quoted = await first.client.quote(body);
    if (quoted.kind !== 'accepted') throw new Error(quoted.kind);
    const [terms] = quoted.data.accepts;
    const nonce = `0x${'ab'.repeat(32)}` as const;
    const validBeforeS = Math.floor(Date.now() / 1000) + 60;
    const payment = await payer.authorize(quoted.data, terms as PaymentTerms, { nonce, validBeforeS });
    const paid = await first.client.pay(body, payment, { firstSend: true, proof: null });
    const before_ = [await first.client.status(WALLET), await first.client.balanceOf(payer.address)];
    await first.close();

    const second = await start();
    const after_ = [await second.client.status(WALLET), await second.client.balanceOf(payer.address)];
    const found = await second.client.payment(payment.authorization, 0);
    await second.close();

    expect(paid.kind).to.equal('accepted');
    expect(after_).to.deep.equal(before_);
    expect(found).to.have.nested.property('data.used', true);
  });
});
