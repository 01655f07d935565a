import { expect } from 'chai';
import { expectUnreadable, move } from '../support/portfolio.ts';
import { type Relay, relayTo } from '../support/relay.ts';
import { startService, type TestService } from '../support/service.ts';

type Sections = Record<string, Record<string, unknown>>;

/** A section of a dashboard is missing where what it is read from failed inside the validator. */
describe('an account of which the network does not show the bucket', () => {
  let relay: Relay;
  let service: TestService;
  before(async () => {
    relay = await relayTo();
    service = await startService({ settings: { NETVENUE_VALIDATOR_URL: relay.url } });
    relay.target = service.miner.validatorUrl;
  });
  after(async () => {
    await service.stop();
    await relay.close();
  });

  /** A funded account whose dashboard comes so from now on. */
  async function funded(changed: (sections: Sections) => void) {
    const trader = await service.trader();
    await move(service, trader.traderId, { bucket: 'SUBACCOUNT_FUNDED', closes: { last: 0.94, highest: 1 } });
    relay.handle = async ({ name, forward }) => {
      const reply = await forward();
      if (reply === 'lost' || !name.includes('/v2/entity/subaccount/')) return reply;
      const body = JSON.parse(String(reply.body));
      changed(body.dashboard ?? body);
      const { 'content-length': _, ...headers } = reply.headers;
      return { ...reply, headers, body: JSON.stringify(body) };
    };
    return trader;
  }
  const withoutBucket = (sections: Sections) => delete sections.challenge_period;
  const targets = (rules: { rule_id: string }[]) => rules.filter(({ rule_id }) => rule_id.startsWith('challenge.'));

  it('is not reported as in its challenge', async () => {
    const trader = await funded(withoutBucket);

    expectUnreadable(await trader.get('/v1/balance'));
  });

  it('has no profit target, because it may have passed its challenge', async () => {
    const trader = await funded(withoutBucket);

    expectUnreadable(await trader.get('/v1/rules'));
  });

  for (const asset_class of [undefined, 'stamps'])
    it(`has no pairs of all classes, and not none, where its class is ${asset_class}`, async () => {
      const trader = await funded(({ subaccount_info }) => Object.assign(subaccount_info ?? {}, { asset_class }));

      expectUnreadable(await trader.get('/v1/rules'));
      expectUnreadable(await trader.get('/v1/rules/pairs'));
    });

  it('has no drawdown limit that may be lower than its real one', async () => {
    const trader = await funded((sections) => {
      withoutBucket(sections);
      delete sections.drawdown?.eod_drawdown_threshold;
    });

    expectUnreadable(await trader.get('/v1/balance'));
    expectUnreadable(
      await trader.post('/v1/rules/validate', { pair: 'BTC-USDC', side: 'long', size: '0.01', order_type: 'market' }),
    );
  });

  it('has the limits of a challenge before its first evaluation', async () => {
    relay.handle = ({ forward }) => forward();
    const trader = await funded((sections) => {
      withoutBucket(sections);
      delete sections.drawdown;
    });

    const { status, body } = await trader.get('/v1/balance');

    expect(status).to.equal(200);
    expect(body).to.include({ account_type: 'challenge', eod_drawdown: '0', eod_drawdown_limit: '5' });
  });

  it('is funded if it was eliminated as a funded one, and has no target any more', async () => {
    const trader = await funded((sections) => {
      sections.challenge_period = { bucket: 'ELIMINATED' };
      sections.elimination = { reason: 'FAILED_FUNDED_PERIOD_DRAWDOWN' };
    });

    const [account, rules] = [await trader.get('/v1/balance'), await trader.get('/v1/rules')];

    expect(account.body).to.include({ status: 'breached', account_type: 'funded' });
    expect([rules.status, targets(rules.body)]).to.deep.equal([200, []]);
  });

  it('has both where it is in its challenge', async () => {
    const trader = await funded((sections) => {
      sections.challenge_period = { bucket: 'PRO_CHALLENGE_DIRECT' };
    });

    const [account, rules] = [await trader.get('/v1/balance'), await trader.get('/v1/rules')];

    expect(account.body).to.include({ account_type: 'challenge', kyc_status: 'not_started' });
    expect(targets(rules.body)).to.have.length(1);
  });
});
