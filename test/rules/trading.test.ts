import { expect } from 'chai';
import { positionOf } from '../../src/capabilities/streams/rules.ts';
import { changesOf, nextReconcileMs } from '../../src/capabilities/trading/watch/rules.ts';
import type { components } from '../../src/contract/types.ts';

const position = (more: Partial<components['schemas']['Position']> = {}): components['schemas']['Position'] => ({
  symbol: 'BTC-USDC',
  side: 'long',
  position_type: 'LONG',
  size: '1',
  position_value: '100',
  entry_price: '100',
  mark_price: '100',
  liquidation_price: null,
  unrealized_pnl: '0',
  take_profit: null,
  stop_loss: null,
  open_time: null,
  position_uuid: 'p1',
  trade_pair: 'BTCUSDC',
  current_return: null,
  net_leverage: '0.1',
  fees: '0',
  ...more,
});
const priced = position({ mark_price: '101', unrealized_pnl: '1', position_value: '101', net_leverage: '0.101' });

describe('changesOf', () => {
  it('emits everything to a new reader', () => {
    expect(changesOf(null, [position()], false)).to.deep.equal([
      { change: 'opened', position_uuid: 'p1', position: position() },
    ]);
  });

  it('emits nothing unchanged, whatever the order of its members', () => {
    const kept = Object.fromEntries(Object.entries(position()).reverse()) as ReturnType<typeof position>; // as: the same members

    expect(changesOf([kept], [position()], true)).to.deep.equal([]);
  });

  it('emits mere price changes only when they are due', () => {
    expect(changesOf([position()], [priced], false)).to.deep.equal([]);
    expect(changesOf([position()], [priced], true)).to.have.nested.property('[0].change', 'changed');
  });

  for (const [what, now] of [
    ['size', position({ size: '2' })],
    ['exits', position({ stop_loss: '90' })],
    ['side', position({ side: 'short' })],
  ] as const) {
    it(`emits a changed ${what} at once`, () => {
      expect(changesOf([position()], [now], false)).to.deep.equal([
        { change: 'changed', position_uuid: 'p1', position: now },
      ]);
    });
  }

  it('emits a closed position while another opened', () => {
    const other = position({ position_uuid: 'p2' });

    expect(changesOf([position()], [other], false)).to.deep.equal([
      { change: 'opened', position_uuid: 'p2', position: other },
      { change: 'closed', position_uuid: 'p1', position: null },
    ]);
  });
});

describe('nextReconcileMs', () => {
  it('is shortest with a reader and an open position or order, and long when nothing is open', () => {
    const plan = (isListened: boolean, isOpen: boolean, rests: boolean) =>
      nextReconcileMs(100, { isListened, isOpen, rests });

    expect([plan(true, true, false), plan(true, false, true)]).to.deep.equal([100, 100]);
    expect([plan(false, true, true), plan(false, false, true)]).to.deep.equal([500, 500]);
    expect(plan(true, false, false)).to.equal(1_500);
  });
});

describe('positionOf', () => {
  for (const [id, place] of [
    ['prop_a:12', 12],
    ['prop_b:12', null],
    ['prop_a:', null],
    ['prop_a:-1', null],
    ['prop_a:9999999999999999', null],
    ['prop_a:1;drop', null],
    ['', null],
    [undefined, null],
  ] as const) {
    it(`reads ${id} as ${place}`, () => {
      expect(positionOf('prop_a', id)).to.equal(place);
    });
  }
});
