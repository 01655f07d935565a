import { expect } from 'chai';
import { sql } from 'slonik';
import { earner, payingApp } from '../../support/earning.ts';
import { accountIn, checkOut, eventually, type Money, startMoney } from '../../support/money.ts';
import { type Passing, type Relay, relayTo } from '../../support/relay.ts';
import { ENTITY } from '../../support/service.ts';

describe('what is stopped while an upstream is still read for it', () => {
  const relays: Relay[] = [];
  let service: Money;
  let processor: Relay;
  let validator: Relay;
  before(async () => {
    [processor, validator] = [await relayTo(), await relayTo()];
    relays.push(processor, validator);
    const settings = { PROCESSOR_URL: processor.url, NETVENUE_VALIDATOR_URL: validator.url };
    service = await startMoney({ settings });
    processor.target = service.processor.url;
    validator.target = service.miner.validatorUrl;
  });
  after(async () => {
    await service.stop();
    for (const relay of relays) await relay.close();
  });

  /** Holds the first response to a read that `isMeant` describes. `begun`: once the upstream has made it. */
  const holding = (relay: Relay, isMeant: (passing: Passing) => boolean) => {
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isHeld = false;
    relay.handle = async (passing) => {
      const reply = await passing.forward();
      if (isHeld || !isMeant(passing)) return reply;
      isHeld = true;
      begun.resolve();
      await released.promise;
      return reply;
    };
    return { begun: begun.promise, release: released.resolve };
  };

  it('a payout to the bank is not sent once its payout account was detached', async () => {
    const trader = await earner(service, await payingApp(service), 100);
    const admin = await service.admin();
    const payout = await trader.request(5_000);
    const read = holding(processor, ({ name }) => name.startsWith('GET /v1/charges/'));
    const submitting = trader.submit(payout);
    await read.begun;

    const path = `/v2/admin/payout-accounts/${trader.connected}/detach`;
    const detached = await admin.ask('POST', path, { json: { reason: 'the session was stolen' } });
    read.release();

    expect([detached.status, (await submitting).status]).to.deep.equal([200, 200]);
    expect(await trader.payoutIs(payout, 'failed')).to.have.property('failure_reason', 'v2_payout_account_not_ready');
    expect(service.processor.ledger.entries().filter(({ kind }) => kind === 'payout')).to.deep.equal([]);
  });

  it('a subaccount is not created once its payment was disputed', async () => {
    const user = await service.user(service.tenant);
    const { processor_payment_intent_id: id } = await checkOut(user.ask);
    const made = () => service.miner.ledger.entries().filter(({ kind }) => kind === 'subaccount').length;
    const before = made();
    const read = holding(validator, ({ name }) => name === `GET /entity/${ENTITY}`);
    await service.control('payment', { id, to: 'succeeded' });
    await read.begun;

    await service.control('payment', { id, to: 'disputed' });
    await accountIn(user.ask, 'eliminated');
    read.release();

    await eventually(async () => !(await service.db.exists(openCreations)));
    expect(made()).to.equal(before);
  });
});

const openCreations = sql.unsafe`select from intents i where i.kind = 'accounts/provision' and i.settled_at is null`;
