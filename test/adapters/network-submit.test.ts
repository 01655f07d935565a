import { expect } from 'chai';
import nock from 'nock';
import { alone } from '../support/alone.ts';
import { MINER, miner, no, orderJson, signal, UUID, venue, yes } from '../support/miner.ts';

/** A filled order as Python prints it, with its price sources: objects of a dataclass (vali_objects/vali_dataclasses, order.py and price_source.py). */
const FILLED = `{'order_type': 'LONG', 'leverage': 0.1, 'quantity': 0.01, 'price': 100000.0, 'slippage': 1e-05, 'price_sources': [PriceSource(source='HL_ws', open=1.0,
 vwap=None, websocket=True, lag_ms=100, bid=99999.5), PriceSource(source="Tiingo (it's)", timespan_ms=0, open=None)], 'src': 0, 'limit_price': None}`;

describe('submitting a signal to the network', () => {
  alone();

  it('sends the key and the signal in the miner’s format, below the path of the base address', async () => {
    const sent = nock(MINER, { reqheaders: { authorization: 'Bearer miner-key' } })
      .post('/behind/a/path/api/submit-order', JSON.stringify(signal))
      .reply(200, yes(null));

    expect(await venue.submit(signal)).to.include({ kind: 'accepted' });
    sent.done();
  });

  it('reads what was executed, which may be less than requested', async () => {
    miner().reply(200, yes(orderJson({ leverage: 0.05, value: 500, quantity: 0.005, binding_cap: 'pair' })));

    expect(await venue.submit(signal)).to.deep.equal({
      kind: 'accepted',
      data: {
        executed: { order_type: 'LONG', leverage: 0.05, value: 500, quantity: 0.005, price: 100_000 },
        processingTimeS: 1.2,
        note: 'The venue made the order smaller to fit the limits of the account.',
        attempts: 'one',
      },
    });
  });

  for (const [build, order_json, executed] of [
    ['a resting order has no price', orderJson({ price: 0 }), { price: null }],
    [
      'sides are printed as members of an enumeration',
      orderJson({ order_type: 'OrderType.SHORT' }),
      { order_type: 'SHORT' },
    ],
    [
      'the order is a Python literal',
      "{'trade_pair': ['BTCUSDC', 'BTC/USDC', 0.0], 'order_type': 'LONG', 'quantity': 0.01, 'price': 1e5, 'stop_loss': None, 'is_hl': False, 'note': \"it's\", 'price_sources': [{'bid': 1, 'lag': (1, 2)}]}",
      { order_type: 'LONG', quantity: 0.01, price: 100_000, value: null },
    ],
    [
      'the order is printed with the objects that gave its price',
      FILLED,
      { quantity: 0.01, price: 100_000, leverage: 0.1 },
    ],
    ['the order is listed by validator', { '5Hot': "{'order_type': 'SHORT', 'quantity': -1}" }, { quantity: -1 }],
    ['the order is cut', "{'order_type': 'LONG', 'quanti", null],
    ['there is no order', null, null],
  ] as const) {
    it(`also accepts the response where ${build}`, async () => {
      miner().reply(200, yes(order_json));

      const response = await venue.submit(signal);

      const data = response.kind === 'accepted' ? response.data.executed : 'not accepted';
      if (executed === null) expect(data).to.equal(null);
      else expect(data).to.include(executed);
    });
  }

  for (const text of [
    'Market order filled successfully, but bracket order creation failed: invalid',
    `Invalid LONG bracket order [${UUID}-bracket-0]: stop_loss (5) must be < reference_price (4)`,
    `Could not fill limit order [5Entity_3] [BTCUSDC] [${UUID}]: Invalid LONG bracket order. Cancelling order`,
    `Limit order [${UUID}] filled successfully, but bracket order creation failed: Error creating bracket order`,
    'Bracket order must specify at least one of stop_loss',
    'stop_loss must be less than the fill price',
    'LONG orders must have a take_profit > reference_price',
    'Error: trailing_percent must be between 0 and 1',
  ]) {
    it(`neither believes nor dismisses a rejection about exits: ${text}`, async () => {
      miner().reply(400, no(text));

      expect(await venue.submit(signal)).to.nested.include({ kind: 'unproven', 'said.slug': 'bracket_invalid' });
    });
  }

  for (const text of [
    'Cannot create bracket order: no open position found for BTCUSDC',
    'Invalid bracket order: no open position or previous unfilled limit orders found for BTCUSDC',
  ]) {
    it(`looks an order up whose position is not open, and says so: ${text}`, async () => {
      miner().reply(400, no(text));

      expect(await venue.submit(signal)).to.nested.include({ kind: 'unproven', 'said.slug': 'no_position' });
    });
  }

  for (const [what, body] of [
    ['an exception', { error: "Internal error: 'NoneType' object has no attribute 'price', invalid order_type" }],
    ['nothing', { message: '' }],
  ] as const)
    it(`does not take the short format for the miner’s own check if it gives ${what} as the reason`, async () => {
      miner().reply(400, { success: false, ...body });

      expect(await venue.submit(signal)).to.include({ kind: 'unknown' });
    });

  it('looks an order up that was cancelled because it could not be filled', async () => {
    miner().reply(
      400,
      no(`Could not fill limit order [x] [BTCUSDC] [${UUID}]: No buying power remaining. Cancelling order`),
    );

    expect(await venue.submit(signal)).to.nested.include({ kind: 'unproven', 'said.slug': 'no_buying_power' });
  });

  it('passes the venue’s own words on for a reason that is not known, without names and markup', async () => {
    const key = 'A'.repeat(40);
    miner().reply(400, no(`The <b>moon</b> is full\n for [5Entity_3] ${UUID}-bracket-0 ${key}.`));

    const response = await venue.submit(signal);

    expect(response).to.nested.include({ kind: 'unproven', 'said.slug': 'rejected_by_venue' });
    expect(response).to.nested.include({ 'said.words': 'The moon is full for .' });
  });

  for (const [text, slug] of [
    ['market for EURUSD is currently closed', 'market_closed'],
    ['Order rejected: no live prices found', 'no_live_prices'],
    ['No buying power remaining for BTCUSDC (capped by pair)', 'no_buying_power'],
    ['Order would break the crypto exposure cap of the account', 'exposure_cap'],
    ['0 order size after clamping', 'size_clamped_to_zero'],
    ['Entity cross-margin is insufficient', 'entity_collateral'],
    ['Subaccount is eliminated', 'eliminated'],
    ['Subaccount 5Entity_3 is pending, not active', 'subaccount_not_ready'],
    ['Subaccount 3 not found', 'subaccount_unknown'],
    [
      'Synthetic hotkey 5Entity_3 is not active (status: pending). Please ensure your subaccount is properly registered.',
      'subaccount_not_ready',
    ],
    [
      'Synthetic hotkey 5Entity_3 not found. Please ensure your subaccount is properly registered.',
      'subaccount_unknown',
    ],
    ['Cannot edit order: not unfilled', 'cannot_edit'],
    ['Cannot edit order: trade pair mismatch', 'cannot_edit'],
    ['Cannot edit order: order not found', 'order_not_found'],
    ['Trade pair BTCUSD is not allowed', 'pair_not_allowed'],
    ['Order size is below the minimum', 'below_minimum'],
    ['Trade pair [XAUUSD] is no longer supported.', 'pair_discontinued'],
    ['Trade pair [BTCUSD] is being discontinued. Please close your position.', 'pair_close_only'],
    ['Miner account for hotkey [5Entity_3] is not yet initialized. Please try again shortly.', 'account_initializing'],
    ['This miner hotkey 5Entity_3 has been eliminated and cannot participate in this subnet.', 'eliminated'],
    ['Entity hotkey 5Entity cannot place orders directly.', 'subaccount_required'],
    ['No asset class selected for hotkey [5Entity_3].', 'asset_class_missing'],
    ['Selected asset class [forex] cannot submit orders for trade pair [BTC/USDC].', 'asset_class_mismatch'],
    ['miner has too many unfilled limit orders [100] >= [100]', 'too_many_resting_orders'],
    ['Your account is transitioning to a Pro Account. You cannot open new positions', 'account_transitioning'],
    ['Account cross-margin validation failed. Please contact an administrator.', 'entity_collateral'],
    ['The market for EURUSD is currently closed.', 'market_closed'],
    ['Order Rejected: no live prices being found for BTCUSDC. Please try again.', 'no_live_prices'],
    ['Error processing order: 0 order size after clamping', 'size_clamped_to_zero'],
    ['No unfilled limit orders found for 5Entity_3 (uuid=x)', 'order_not_found'],
    ['Cannot edit order x: order is no longer unfilled (race condition)', 'cannot_edit'],
    ['Exactly one of quantity, value, or leverage must be provided.', 'size_invalid'],
    ['LIMIT orders must have a valid limit_price > 0 (got None)', 'terms_invalid'],
    ['FLAT order is not supported for LIMIT orders', 'terms_invalid'],
    ['Invalid signal payload: 1 validation error', 'bad_request'],
    ['Validator is syncing positions. Please try again shortly.', 'venue_syncing'],
    ['Validator is restarting due to update. Please try again later.', 'venue_syncing'],
    ['Validator data needs to be synced with mainnet validators.', 'venue_syncing'],
    ['Trade pair [BTCUSDC] has been temporarily halted. Please try again later.', 'pair_halted'],
    ['Rate limited. Please wait 3.2 seconds before sending another signal.', 'venue_rate_limit'],
    ['This miner hotkey 5Entity_3 was previously de-registered and is not allowed to re-register.', 'eliminated'],
    ['Order value must be greater than 10, provided value is 5', 'below_minimum'],
    ["Exactly one of 'leverage', 'value', or 'quantity' must be set", 'size_invalid'],
    ["Exactly one of ['leverage', 'value', 'quantity'] must be provided, got ['leverage', 'value']", 'size_invalid'],
    ["Invalid size field: could not convert string to float: 'x'", 'size_invalid'],
    ['leverage must be positive for LONG orders.', 'size_invalid'],
    ['Limit price must be specified for LIMIT orders', 'terms_invalid'],
    ['Missing required field: order_type', 'bad_request'],
    ['Invalid execution_type: X is not an execution type', 'bad_request'],
    ['Invalid order_type: X is not an order type', 'bad_request'],
    ['miner [5Entity_3] sent signal for closed position [BTCUSDC]', 'position_closed'],
  ] as const) {
    it(`is rejected as ${slug}: ${text}`, async () => {
      miner().reply(400, no(text));

      const response = await venue.submit(signal);

      expect(response).to.include({ kind: 'rejected', slug });
      expect(response).to.have.property('message').that.does.not.contain(text);
    });
  }

  it('leaves open what an earlier attempt did, where the last one met a validator that starts again', async () => {
    for (const text of [
      'Validator is restarting due to update.',
      'Validator data needs to be synced.',
      'not yet initialized',
    ]) {
      miner().reply(400, { ...no(text), processing_time: 5.4 });

      expect(await venue.submit(signal), text).to.include({ kind: 'unknown', ended: true });
    }
  });

  it('reads the seconds to wait from the text, in the old and the new spelling', async () => {
    const text = 'Order for trade pair [BTCUSDC] was placed too soon after the previous order.';
    miner().reply(400, no(`${text} Please wait 3.2 seconds before placing another order.`));
    miner().reply(400, no(`${text}Please wait 0.4 seconds before placing another order.`));
    miner().reply(400, no(text));

    const waits = [await venue.submit(signal), await venue.submit(signal), await venue.submit(signal)];

    expect(waits.map((response) => response.kind === 'rejected' && response.retryAfterS)).to.deep.equal([4, 1, 5]);
  });

  it('is rejected as bad_request by the validation of the miner', async () => {
    miner().reply(400, { success: false, error: 'Invalid request: must provide exactly one size' });

    expect(await venue.submit(signal)).to.include({ kind: 'rejected', slug: 'bad_request' });
  });

  it('reads the reasons of builds that return them as a list', async () => {
    miner().reply(400, {
      success: false,
      order_uuid: UUID,
      error_messages: ['no live prices'],
      message: 'Order failed',
    });

    expect(await venue.submit(signal)).to.include({ kind: 'rejected', slug: 'no_live_prices' });
  });

  for (const status of [401, 403]) {
    it(`is rejected as venue_auth on ${status} with a reason; a gateway, which may respond after the effect, leaves it in doubt`, async () => {
      miner().reply(status, { error: 'Unauthorized access' });
      miner().reply(status, '<html>');
      miner().reply(status, { message: 'Forbidden' });

      expect(await venue.submit(signal)).to.include({ kind: 'rejected', slug: 'venue_auth' });
      for (let n = 0; n < 2; n++) expect(await venue.submit(signal)).to.include({ kind: 'unknown' });
    });
  }

  it('reads the reason from the message if there is no other', async () => {
    miner().reply(400, { ...no(''), message: 'Order failed on Vanta Network: no live prices' });

    expect(await venue.submit(signal)).to.include({ kind: 'rejected', slug: 'no_live_prices' });
  });
});
