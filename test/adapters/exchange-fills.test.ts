import { expect } from 'chai';
import nock from 'nock';
import { exvenue } from '../../src/venues/exchange/adapter/index.ts';
import type { Exvenue } from '../../src/venues/exchange/adapter/types.ts';
import { alone } from '../support/alone.ts';

const VENUE = 'http://exchange.test';
const USER = `0x${'aB'.repeat(20)}`;

const open = (): Exvenue => exvenue({ url: VENUE, network: 'mainnet' });
const question = (body: object) => nock(VENUE).post('/info', { user: USER.toLowerCase(), ...body });

const fill = {
  coin: 'ETH',
  px: '1703.90',
  sz: '0.01',
  side: 'B',
  time: 1_700_000_000_000,
  startPosition: '-0.02',
  dir: 'Close Short',
  closedPnl: '1.0',
  hash: `0x${'0'.repeat(64)}`,
  oid: 5,
  crossed: true,
  fee: '-0.1',
  feeToken: 'USDC',
  tid: 9,
  twapId: null,
};

describe('reading the executions of the exchange', () => {
  alone();

  it('reads executions in full', async () => {
    question({ type: 'userFills' }).reply(200, [
      { ...fill, liquidation: { liquidatedUser: USER, method: 'market', markPx: '1' } },
      { ...fill, liquidation: { liquidatedUser: `0x${'1'.repeat(40)}`, method: 'market', markPx: '1' } },
    ]);

    const fills = await open().recentFills(USER);

    const [first, counterparty] = fills.kind === 'found' ? fills.data : [];
    expect(first).to.deep.equal({
      tradeId: 9,
      oid: 5,
      cloid: null,
      coin: 'ETH',
      side: 'buy',
      price: '1703.9',
      size: '0.01',
      timeMs: 1_700_000_000_000,
      startPosition: '-0.02',
      direction: 'Close Short',
      closedPnl: '1',
      fee: '-0.1',
      feeToken: 'USDC',
      isLiquidation: true,
    });
    expect(counterparty?.isLiquidation).to.equal(false);
  });

  for (const [name, values] of [
    ['tid', ['9', 2 ** 60, 1.5, '']],
    ['cloid', [5, 'none', '']],
  ] as const)
    it(`is unreadable with a ${name} of another form, and not without one, as of an older row`, async () => {
      for (const value of values) {
        question({ type: 'userFills' }).reply(200, [fill, { ...fill, tid: 10, [name]: value }]);

        expect(await open().recentFills(USER), String(value)).to.include({ kind: 'unreadable' });
      }
      for (const value of [undefined, null]) {
        question({ type: 'userFills' }).reply(200, [{ ...fill, [name]: value }]);

        expect(await open().recentFills(USER), String(value)).to.include({ kind: 'found' });
      }
    });

  for (const name of ['startPosition', 'closedPnl', 'fee']) {
    it(`is unreadable, and shows no 0, without ${name}`, async () => {
      for (const value of [undefined, null, '', 'NaN', 0.1]) {
        question({ type: 'userFills' }).reply(200, [fill, { ...fill, tid: 10, [name]: value }]);

        expect(await open().recentFills(USER), String(value)).to.include({ kind: 'unreadable' });
      }
    });
  }

  for (const [row, isLiquidation] of [
    [{ dir: 'Liquidated Isolated Short' }, true],
    [{ dir: 'Liquidated Cross Long', liquidation: { markPx: '1', method: 'backstop' } }, true],
    [{ dir: 'Close Short', liquidation: { markPx: '1', method: 'market' } }, false],
    [{ dir: 'Liquidated Cross Long', liquidation: { liquidatedUser: `0x${'1'.repeat(40)}`, markPx: '1' } }, false],
  ] as const) {
    it(`an execution ${JSON.stringify(row)} ${isLiquidation ? 'liquidated' : 'did not liquidate'} the user`, async () => {
      question({ type: 'userFills' }).reply(200, [{ ...fill, ...row }]);

      const fills = await open().recentFills(USER);

      expect(fills).to.have.nested.property('data[0].isLiquidation', isLiquidation);
    });
  }

  it('pages through a time span of executions, and counts the rows of a split millisecond once', async () => {
    const row = (tid: number) => ({ ...fill, tid, time: 1_000 + Math.floor(tid / 3) });
    const rows = (from: number, count: number) => Array.from({ length: count }, (_, at) => row(from + at));
    const last = row(1_999).time;
    question({ type: 'userFillsByTime', startTime: 1_000, endTime: 9_000 }).reply(200, rows(0, 2_000));
    question({ type: 'userFillsByTime', startTime: last, endTime: 9_000 }).reply(200, rows(1_998, 10));

    const fills = await open().fills(USER, { fromMs: 1_000, toMs: 9_000 });

    const ids = fills.kind === 'found' ? fills.data.map(({ tradeId }) => tradeId) : [];
    expect(ids).to.deep.equal(rows(0, 2_008).map(({ tid }) => tid));
  });

  it('keeps the venue’s order within a millisecond, also where a page splits it', async () => {
    const rows = Array.from({ length: 2_004 }, (_, at) => ({
      ...fill,
      tid: (at * 7_919) % 10_007,
      time: 1_000 + (at >> 2),
    }));
    question({ type: 'userFillsByTime', startTime: 0 }).reply(200, rows.slice(0, 2_000));
    question({ type: 'userFillsByTime', startTime: 1_499 }).reply(200, rows.slice(1_996));

    const fills = await open().fills(USER, { fromMs: 0 });

    const ids = fills.kind === 'found' ? fills.data.map(({ tradeId }) => tradeId) : [];
    expect(ids).to.deep.equal(rows.map(({ tid }) => tid));
  });

  it('returns no partial span when its second page cannot be read', async () => {
    const full = Array.from({ length: 2_000 }, (_, tid) => ({ ...fill, tid, time: 1_000 + tid }));
    question({ type: 'userFillsByTime', startTime: 0 }).reply(200, full);
    question({ type: 'userFillsByTime', startTime: 2_999 }).reply(502, '<html>');

    expect(await open().fills(USER, { fromMs: 0 })).to.deep.equal({ kind: 'unreadable', why: 'status 502' });
  });

  it('reads a long history once: from then on only its end, in any process', async () => {
    const rows = Array.from({ length: 2_500 }, (_, n) => ({ ...fill, tid: n, oid: n, time: 1_700_000_000_000 + n }));
    const kept = new Map<string, unknown>();
    const shared = {
      ledger: () => ({
        spend: async (asked: unknown[]) => ({ spent: [...asked.keys()], waitMs: 0 }),
        charge: nothing,
        halt: nothing,
        isHalted: async () => false,
      }),
      responses: {
        find: async (name: string) => (kept.has(name) ? { body: kept.get(name), ageMs: 0 } : null),
        keep: async (name: string, body: unknown) => void kept.set(name, body),
      },
    };
    const process = () => exvenue({ url: VENUE, network: 'mainnet', shared });
    const second = rows[1_999]?.time ?? 0;
    question({ type: 'userFillsByTime', startTime: 0 }).once().reply(200, rows.slice(0, 2_000));
    question({ type: 'userFillsByTime', startTime: second }).twice().reply(200, rows.slice(1_999));

    const first = await process().fills(USER, { fromMs: 0 });
    const again = await process().fills(USER, { fromMs: 0 });

    expect(first).to.have.nested.property('data').of.length(2_500);
    expect(again).to.deep.equal(first);
  });
});

const nothing = async () => {};
