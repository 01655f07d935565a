import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { accountIn, type Money, startMoney, tierDemo } from '../../support/money.ts';
import { STALE_MS } from '../../support/portfolio.ts';
import { type Relay, type Reply, relayTo } from '../../support/relay.ts';

describe('the state of an account at the network', function () {
  this.timeout(60_000);
  let relay: Relay;
  let service: Money;
  before(async () => {
    relay = await relayTo();
    service = await startMoney({ settings: { NETVENUE_VALIDATOR_URL: relay.url } });
    relay.target = service.miner.validatorUrl;
  });
  after(async () => {
    await service.stop();
    await relay.close();
  });

  it('is not taken back by one that is older, as from a cache before the network, and the caller is told', async () => {
    const { ask } = service.buyer;
    await ask('POST', '/v2/payments/free', { json: tierDemo });
    const { id, subaccount_id } = await accountIn(ask, 'evaluation');
    const sync = async () => {
      await sleep(STALE_MS);
      const { status, synced } = (await ask('POST', `/v2/lifecycle/sync/${id}`)).body;
      return [status, synced];
    };
    let older: Reply | null = null;
    relay.handle = async ({ forward }) => {
      older = await forward();
      return older;
    };
    await sync();
    relay.handle = ({ forward }) => forward();
    await sync();
    relay.handle = async ({ forward }) => older ?? forward();
    const alike = await sync(); // as of two syncs at once, of which the one that read later is stored first
    relay.handle = ({ forward }) => forward();
    await service.network({ subaccount_id, bucket: 'SUBACCOUNT_FUNDED' });
    const funded = await sync();

    relay.handle = async ({ forward }) => older ?? forward();
    const afterwards = await sync();
    relay.handle = ({ forward }) => forward();
    await service.network({ subaccount_id, bucket: 'SUBACCOUNT_CHALLENGE' });

    expect([alike, funded, afterwards, await sync()]).to.deep.equal([
      ['evaluation', true],
      ['funded', true],
      ['funded', false],
      ['evaluation', true],
    ]);
  });
});
