import { expect } from 'chai';
import nock from 'nock';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import { userFunding } from '../fixtures/exchange/composed.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const USER = `0x${'ab'.repeat(20)}`;
const PAGE = 500; // see venues/exchange.md#rows
const PAGES = 20; // of one read

const [first] = userFunding;
const open = () => exvenue({ url: VENUE, network: 'mainnet', budgetPerMinute: 100_000 });
const page = (startTime: number) => nock(VENUE).post('/info', { type: 'userFunding', user: USER, startTime });

describe('reading the funding of the exchange', () => {
  alone();

  it('reads what was received and paid, for which position', async () => {
    page(1).reply(200, userFunding);

    expect(await open().funding(USER, 1)).to.deep.equal({
      kind: 'found',
      data: {
        payments: [
          { coin: 'ETH', timeMs: 1_788_489_600_041, amount_usd: '-3.625312', size: '49.1477', rate: '0.0000417' },
          { coin: 'xyz:TSLA', timeMs: 1_788_489_600_041, amount_usd: '0.5', size: '-2', rate: '0.0008' },
        ],
        toMs: null,
      },
    });
  });

  it('reads on from the last row of a full page, and has each payment once', async () => {
    const rows = Array.from({ length: PAGE }, (_, n) => ({ ...first, time: 1_000 + n }));
    page(1).reply(200, rows);
    page(1_000 + PAGE - 1).reply(200, [...rows.slice(-1), { ...first, time: 9_000 }]);

    const read = await open().funding(USER, 1);

    const times = read.kind === 'found' ? read.data.payments.map(({ timeMs }) => timeMs) : [];
    expect(times).to.have.length(PAGE + 1);
    expect(times.at(-1)).to.equal(9_000);
  });

  it('says up to when it goes, if there are more pages than it reads', async () => {
    const HOUR_MS = 3_600_000;
    const ofPage = (n: number) =>
      Array.from({ length: PAGE }, (_, at) => ({ ...first, time: (n * PAGE + at) * HOUR_MS }));
    for (let n = 0; n < PAGES; n++) page(n === 0 ? 0 : (n * PAGE - 1) * HOUR_MS).reply(200, ofPage(n));

    const read = await open().funding(USER, 0);

    expect(read).to.nested.include({ kind: 'found', 'data.toMs': (PAGES * PAGE - 1) * HOUR_MS });
  });

  it('is unreadable if one row or one page is', async () => {
    page(1).reply(200, [first, { ...first, delta: { coin: 'ETH' } }]);
    page(2).reply(
      200,
      Array.from({ length: PAGE }, () => ({ ...first, time: 5 })),
    );
    page(5).reply(502);

    expect((await open().funding(USER, 1)).kind).to.equal('unreadable');
    expect((await open().funding(USER, 2)).kind).to.equal('unreadable');
  });
});
