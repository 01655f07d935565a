import { expect } from 'chai';
import fc from 'fast-check';
import nock from 'nock';
import { canonical, plus } from '../../src/kernel/decimals.ts';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import type { Fill } from '../../src/venues/exchange/adapter/types.ts';
import { fillsOf } from '../../src/venues/exchange/portfolio/history.ts';
import { roundTrips } from '../../src/venues/exchange/portfolio/round-trips.ts';
import { alone } from '../support/alone.ts';
import { executions, EXECUTING_USER as USER } from '../support/exchange-executions.ts';

const VENUE = 'http://exchange.test';
const LOTS = new Map([
  ['BTC', 5],
  ['USUAL', 1],
  ['kPEPE', 0],
  ['xyz:TSLA', 3],
]);

/** Executions as the adapter reads them from the venue's response. */
async function fillsFrom(rows: object[]): Promise<Fill[]> {
  nock(VENUE).post('/info').reply(200, rows);
  const fills = await exvenue({ url: VENUE, network: 'mainnet' }).fills(USER, { fromMs: 0 });
  if (fills.kind !== 'found') throw new Error(JSON.stringify(fills));
  return fills.data;
}

const inOrder = (positions: { coin: string; side: string; size: string; gain: string }[]) =>
  positions.map(({ coin, side, size, gain }) => `${coin} ${side} ${canonical(size)} ${canonical(gain)}`).sort();

describe('closed positions of 500 executions', () => {
  alone();

  it('are those of an independent exchange, each with its gain, whatever the trade ids', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1 }), async (seed) => {
        const { rows, closed, gain } = executions(500, seed);

        const trips = await roundTrips(fillsOf(await fillsFrom(rows), undefined), LOTS);

        const derived = trips.map(({ realizedPnl, ...trip }) => ({ ...trip, gain: realizedPnl }));
        expect(inOrder(derived)).to.deep.equal(inOrder(closed));
        const open = gain - closed.reduce((sum, each) => sum + Number(each.gain), 0);
        const total = trips.reduce((sum, { realizedPnl }) => plus(sum, realizedPnl), '0');
        expect(Number(total)).to.be.closeTo(gain - open, 1e-5);
        expect(trips.some(({ isLiquidation }) => isLiquidation)).to.equal(false);
      }),
      { numRuns: 15 },
    );
  });

  it('are the same when the rows of a millisecond are shuffled: each follows the position it starts from', async () => {
    const { rows, closed } = executions(500, 17);
    const shuffled = [...rows].reverse();

    const trips = await roundTrips(fillsOf(await fillsFrom(shuffled), undefined), LOTS);

    expect(inOrder(trips.map(({ realizedPnl, ...trip }) => ({ ...trip, gain: realizedPnl })))).to.deep.equal(
      inOrder(closed),
    );
  });

  it('read rows of the oldest format, which have no trade id', async () => {
    const { rows, closed } = executions(500, 5);

    const trips = await roundTrips(
      fillsOf(await fillsFrom(rows.map((row) => ({ ...row, tid: undefined }))), undefined),
      LOTS,
    );

    expect(trips).to.have.length(closed.length);
  });
});
