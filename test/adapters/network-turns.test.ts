import { expect } from 'chai';
import nock from 'nock';
import { atOnce } from '../../src/kernel/at-once.ts';
import { workingOn } from '../../src/kernel/work.ts';
import { netvenue } from '../../src/venues/network/adapter/index.ts';
import { alone } from '../support/alone.ts';
import { signal, yes } from '../support/miner.ts';

describe('the turns of requests to the miners of all tenants', () => {
  alone();

  it('end for a request that hangs once no job waits for it, so that exits of others are sent', async () => {
    const turn = atOnce(1, { heldMs: 300 });
    const minerOf = (tenant: string) => {
      const venue = netvenue({
        ...{
          minerUrl: `http://miner-${tenant}.test`,
          minerKey: 'key',
          validatorUrl: 'http://validator.test',
          validatorKey: 'key',
        },
        entityHotkey: tenant,
        turns: { miners: { exit: turn, entry: turn }, validator: turn },
      });
      return { submit: () => workingOn({ tenant, isExit: true }, () => venue.submit(signal)) };
    };
    nock('http://miner-a.test').post('/api/submit-order').delay(2_000).reply(200, yes(null));
    nock('http://miner-b.test').post('/api/submit-order').reply(200, yes(null));
    const order: string[] = [];

    await Promise.all(
      ['a', 'b'].map(async (tenant) => order.push(`${tenant} ${(await minerOf(tenant).submit()).kind}`)),
    );

    expect(order).to.deep.equal(['b accepted', 'a accepted']);
  });
});
