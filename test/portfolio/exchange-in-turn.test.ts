import { expect } from 'chai';
import nock from 'nock';
import type { BudgetLedger } from '../../src/kernel/shared-upstream.ts';
import { workingOn } from '../../src/kernel/work.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { venueReads } from '../../src/venues/reads.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';

describe('what a web process reads of the exchange for its callers', () => {
  alone();

  /** A budget of which nothing is left for one tenant, and which says what each call wants to leave. */
  function exhaustedFor(tenant: string) {
    const kept: number[] = [];
    const ledger: BudgetLedger = {
      spend: async (asked) => {
        kept.push(...asked.map(({ keep }) => keep));
        const spent = asked.flatMap((one, n) => (one.tenant === tenant ? [] : [n]));
        return { spent, waitMs: spent.length < asked.length ? 60_000 : 0 };
      },
      charge: async () => {},
      halt: async () => {},
      isHalted: async () => false,
    };
    const responses = { find: async () => null, keep: async () => {} };
    const venue = exvenue({ url: VENUE, network: 'mainnet', shared: { ledger: () => ledger, responses } });
    return { kept, reads: venueReads({} as never, venue, 1_000) }; // as: only the exchange is read
  }

  it('as prices waits for no turn of another tenant that requested them first, and does not come before orders', async () => {
    const { kept, reads } = exhaustedFor('ptn_many');
    nock(VENUE).post('/info', { type: 'allMids' }).reply(200, { BTC: '100000' });
    const flooding = workingOn({ tenant: 'ptn_many' }, () => reads.mids(''));

    const served = await workingOn({ tenant: 'ptn_few' }, () => reads.mids(''));

    for (const read of [served, await flooding]) expect(read).to.deep.equal({ kind: 'found', data: { BTC: '100000' } });
    expect(Math.min(...kept)).to.equal(150);
  });

  it('of a wallet waits for no turn of another tenant that reads the same', async () => {
    const { reads } = exhaustedFor('ptn_many');
    const wallet = `0x${'1'.repeat(40)}`;
    nock(VENUE).post('/info', { type: 'frontendOpenOrders', user: wallet }).reply(200, []);
    const flooding = workingOn({ tenant: 'ptn_many' }, () => reads.exchangeOrders(wallet));

    const served = await workingOn({ tenant: 'ptn_few' }, () => reads.exchangeOrders(wallet));

    expect(served).to.deep.equal({ kind: 'found', data: [] });
    expect((await flooding).kind).to.equal('unreadable');
  });
});
