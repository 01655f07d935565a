import { expect } from 'chai';
import { newIntentId } from '../../src/kernel/ids.ts';
import { type NetvenueUpstream, startNetvenueUpstream } from '../../src/sandbox/network/index.ts';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import { type Backlog, backlogOf } from '../support/backlog.ts';
import { until } from '../support/processes.ts';
import { KEYS } from '../support/service.ts';
import { realSockets } from '../support/sockets.ts';

describe('a miner that is slow to accept connections', () => {
  let miner: NetvenueUpstream;
  let backlog: Backlog;
  let unmocked: () => void;
  before(async () => {
    unmocked = realSockets();
    miner = await startNetvenueUpstream({ ...KEYS, cooldownMs: 0, activationMs: 0 });
    backlog = await backlogOf(Number(new URL(miner.minerUrl).port));
  });
  after(async () => {
    await backlog.close();
    await miner.close();
    unmocked();
  });

  it('responds to a look-up only after it has taken what was sent before it', async () => {
    const minerUrl = `http://127.0.0.1:${backlog.port}/miner`;
    const venue = netvenue({ ...KEYS, minerUrl, validatorUrl: miner.validatorUrl });
    const [subaccount_id] = miner.addSubaccounts(1, { active: true });
    const signal = (order_uuid: string) =>
      ({
        order_uuid,
        subaccount_id,
        execution_type: 'MARKET',
        trade_pair: 'BTCUSDC',
        order_type: 'LONG',
        leverage: 0.1,
      }) as const;
    const [first, second] = [newIntentId(), newIntentId()];
    backlog.responding(false);
    const served = venue.submit(signal(first) as Parameters<typeof venue.submit>[0]);
    await until('a connection that is served', () => backlog.counts().accepted === 1);

    backlog.accepting(false);
    const waiting = venue.submit(signal(second) as Parameters<typeof venue.submit>[0]);
    await until('an order whose connection waits', () => backlog.counts().waiting === 1);
    backlog.responding(true);
    await served;
    const asked = venue.orderStatus(second);
    const seen = await Promise.race([asked, until('a look-up behind it', () => backlog.counts().waiting === 2)]);
    backlog.accepting(true);

    expect(seen).to.equal(true);
    expect(await waiting).to.have.property('kind', 'accepted');
    expect((await asked).kind).to.be.oneOf(['found', 'absent']); // taken beside it, or before it was executed
  });
});
