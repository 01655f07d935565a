import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import type { Payment } from '../../src/sandbox/registrar/chain.ts';
import { type RegistrarUpstream, startRegistrarUpstream } from '../../src/sandbox/registrar/index.ts';
import type { Caller } from '../support/caller.ts';
import { until } from '../support/processes.ts';
import {
  type Buyer,
  purchaseBody,
  REGISTER,
  type RegistrationService,
  startRegistrationService,
} from '../support/registration.ts';
import { startService, type TestService } from '../support/service.ts';

describe('the money of registrations', () => {
  let service: RegistrationService;
  let partner: Caller;
  before(async () => {
    service = await startRegistrationService();
    partner = await service.partner();
  });
  after(() => service.stop());

  const sentRow = z.object({
    body: z.string(),
    header: z.string(),
    proofs: z.array(z.object({ wallet: z.string(), signature: z.string(), nonce: z.string() })),
  });

  /** The committed values from before the send. */
  const sentFor = (id: string) =>
    service.db.oneFirst(
      sql.type(z.object({ sent: sentRow }))`select sent_payload as sent from intents where id = ${id}`,
    );

  function paymentOf(header: string): Payment {
    const { payload } = JSON.parse(Buffer.from(header, 'base64').toString());
    const { value, validAfter, validBefore, ...addresses } = payload.authorization;
    const times = { validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) };
    return { ...addresses, ...times, value: BigInt(value), signature: payload.signature };
  }

  it('a replayed authorization is rejected by the token, and the first one is valid', async () => {
    const buyer = await service.buyer();
    const { body: bought } = await service.buy(partner, buyer);
    const sent = await sentFor(bought.registration_id);
    const [proof] = sent.proofs.slice(-1);

    const onChain = await service.chain.settle(paymentOf(sent.header));
    const atRegistrar = await fetch(`${service.registrar.url}/api/register`, {
      method: 'POST',
      headers: {
        'payment-signature': sent.header,
        'x-wallet': String(proof?.wallet),
        'x-signature': String(proof?.signature),
        'x-nonce': String(proof?.nonce),
      },
      body: sent.body,
    });
    const again = await service.buy(partner, buyer);
    const { body: status } = await partner.get(`${REGISTER}/status/${buyer.wallet}`);

    expect(onChain).to.deep.equal({ rejected: 'FiatTokenV2: authorization is used or canceled' });
    expect(atRegistrar.status).to.equal(409);
    expect(again.status).to.equal(409);
    expect(status).to.deep.equal(bought);
    expect((await service.paidBy(buyer)).map(({ txHash }) => txHash)).to.deep.equal([bought.tx_hash]);
  });

  it('the nonce depends on the intent, and the signature on the price and the token', async () => {
    const buyer = await service.buyer();
    const { body: bought } = await service.buy(partner, buyer);
    const other = await service.buyer();
    const { body: second } = await service.buy(partner, other);

    const payments = await Promise.all(
      [bought, second].map(async (one) => paymentOf((await sentFor(one.registration_id)).header)),
    );

    expect(payments[0]?.nonce).to.match(/^0x[0-9a-f]{64}$/);
    expect(payments[0]?.nonce).not.to.equal(payments[1]?.nonce);
    expect(await service.chain.isUsed(buyer.payer, String(payments[0]?.nonce))).to.equal(true);
    expect(payments.map(({ value }) => value)).to.deep.equal([119_000_000n, 119_000_000n]);
  });

  it('a registrar that settles a rejected payment is detected', async () => {
    const buyer = await service.buyer();
    const reply = await service.buy(partner, buyer, { email: 'refused@example.com' });
    const sent = await sentFor(reply.body.error.intent_id);
    const settled = await service.chain.settle(paymentOf(sent.header));

    const ended = await service.status(partner, buyer.wallet, ({ tx_hash }) => tx_hash !== null);
    const last = await service.status(partner, buyer.wallet);

    expect(reply.body.error).to.include({ code: 'V1_PAYMENT_REFUSED', effect: 'none' });
    const { body: intent } = await partner.get(`/v1/intents/${reply.body.error.intent_id}`);
    expect(intent).to.include({ state: 'failed', effect: 'done' });
    expect(ended.tx_hash).to.equal('txHash' in settled && settled.txHash);
    expect(last).to.include({ status: 'failed', tx_hash: ended.tx_hash });
    expect(JSON.stringify(service.log.lines)).to.include('a rejected payment was settled');
  });

  it('two partners who register one address at once pay at most once', async () => {
    const [others, buyer] = await Promise.all([Promise.all([1, 2, 3].map(() => service.partner())), service.buyer()]);
    service.registrar.faults.add({ kind: 'late', route: 'register/verify', delayMs: 300, times: 1 });

    const replies = await Promise.all(others.map((other) => service.buy(other, buyer)));

    expect(replies.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409]);
    expect(await service.paidBy(buyer)).to.have.length(1);
  });
});

describe('the chain key', () => {
  let service: RegistrationService;
  before(async () => {
    service = await startRegistrationService({}, { worker: false });
  });
  after(() => service.stop());

  const tables = () =>
    service.db.anyFirst(sql.type(z.object({ name: z.string() }))`
      select format('%I.%I', table_schema, table_name) as name
      from information_schema.tables
      where table_schema in ('public', 'graphile_worker') and table_type = 'BASE TABLE'`);

  /** Every row of every table as text, and every line of the log. */
  async function everything(): Promise<string> {
    const dumped = await Promise.all(
      (await tables()).map((name) =>
        service.db.anyFirst(sql.type(z.object({ row: z.string() }))`
          select t::text as row
          from ${sql.identifier(name.split('.').map((part) => part.replaceAll('"', '')))} t`),
      ),
    );
    return JSON.stringify([dumped, service.log.lines]).toLowerCase();
  }

  const spellings = ({ privateKey }: Buyer) => {
    const bytes = Buffer.from(privateKey.slice(2), 'hex');
    return [privateKey.slice(2), bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')].map((text) =>
      text.toLowerCase(),
    );
  };

  it('is never in plain text, whether waiting, paid, rejected or in doubt, and is sealed only while the registration waits', async () => {
    const partner = await service.partner();
    const buyers = await Promise.all([1, 2, 3].map(() => service.buyer()));
    const [paid, rejected, inDoubtIntent] = buyers as [Buyer, Buyer, Buyer];
    for (const buyer of buyers) await service.buy(partner, buyer, moreFor(buyer), { prefer: 'wait=0' });
    const waiting = { data: await everything(), keys: await service.keys() };
    service.registrar.faults.add({ kind: 'reset', route: 'register/settle', times: 1 });

    const worker = await service.startWorker();
    const statuses = await Promise.all(buyers.map(({ wallet }) => service.status(partner, wallet)));
    const ended = { data: await everything(), keys: await service.keys() };

    expect(worker).to.be.an('object');
    expect(statuses.map(({ status }) => status)).to.include.members(['failed']);
    expect([waiting.keys, ended.keys]).to.deep.equal([3, 0]);
    for (const { data } of [waiting, ended]) {
      expect(data).to.include(paid.wallet).and.include(inDoubtIntent.wallet);
      for (const spelling of buyers.flatMap(spellings)) expect(data).not.to.include(spelling);
    }

    function moreFor(buyer: Buyer): object {
      if (buyer === rejected) return { email: 'refused@example.com' };
      return buyer === inDoubtIntent ? { email: 'dropped@example.com' } : {};
    }
  });

  it('is in no error response', async () => {
    const partner = await service.partner();
    const buyer = await service.buyer();
    const body = { ...purchaseBody(buyer), account_size: 'many', unknown: buyer.privateKey };

    const replies = await Promise.all([
      partner.post(REGISTER, body),
      partner.post(REGISTER, undefined, { raw: `{"private_key":"${buyer.privateKey}"` }),
      partner.post(REGISTER, { ...purchaseBody(buyer), private_key: `${buyer.privateKey}ff` }),
    ]);

    expect(replies.map(({ status }) => status)).to.deep.equal([422, 422, 422]);
    const data = JSON.stringify([replies.map((reply) => reply.body), service.log.lines]).toLowerCase();
    for (const spelling of spellings(buyer)) expect(data).not.to.include(spelling);
  });
});

describe('registrations without a chain', () => {
  let registrar: RegistrarUpstream;
  let service: TestService;
  before(async () => {
    registrar = await startRegistrarUpstream();
    service = await startService({ settings: { ...registrar.settings, REGISTRATION_POLL_MS: '100' } });
  });
  after(async () => {
    await service.stop();
    await registrar.close();
  });

  for (const email of ['trader@example.com', 'dropped@example.com', 'pending@example.com']) {
    it(`are paid once in the book that replaces it: ${email}`, async () => {
      const partner = await service.partner();
      const privateKey = generatePrivateKey();
      const wallet = privateKeyToAddress(privateKey).toLowerCase();

      await partner.post(REGISTER, { ...purchaseBody({ wallet, payer: wallet, privateKey }), email });
      const ended = await until('the registration', async () => {
        const { body } = await partner.get(`${REGISTER}/status/${wallet}`);
        return body.is_terminal && body;
      });

      const moved = registrar.ledger
        .entries()
        .filter(({ kind, detail }) => kind === 'transfer' && String(detail.from).toLowerCase() === wallet);
      expect(ended).to.include({ is_success: true });
      expect(moved.map(({ detail }) => detail.tx_hash)).to.deep.equal([ended.tx_hash]);
    });
  }
});
