import { expect } from 'chai';
import type { z } from 'zod';
import { provisionResult } from '../../src/capabilities/accounts/provision.ts';
import { sessionResult } from '../../src/capabilities/kyc/session.ts';
import { linkResult } from '../../src/capabilities/payouts/link.ts';
import { resultOf, shownIntent, shownMembers } from '../../src/intents/follow.ts';
import { type Intent, intentRow, type Problem } from '../../src/intents/intent.ts';
import { ApiError } from '../../src/kernel/errors.ts';
import { cancellationResult, exitsResult, orderResult } from '../../src/venues/exchange/orders/results.ts';
import { orderResultMembers } from '../../src/venues/network/orders/calls.ts';

/** A recorded result of each verb whose response reads members of it. */
const RECORDED: Record<string, [schema: z.ZodObject, recorded: Record<string, unknown>]> = {
  'a network order': [
    orderResultMembers,
    {
      order_uuid: 'u',
      processing_time: 1.5,
      message: null,
      executed: { order_type: 'LONG', quantity: 1, value: 2, leverage: null, price: 3 },
      lifecycle: 'filled',
      success: true,
      protection: 'placed',
      protection_error: null,
    },
  ],
  'an exchange order': [
    orderResult,
    {
      ...{ ex_order_id: '1', order_id: 'o', client_order_id: 'o', pair: 'BTC-USDC', side: 'long', order_type: 'limit' },
      ...{ size: '1', filled_size: '0', status: 'open', fill_price: null, limit_price: '2', take_profit: '3' },
      ...{ stop_loss: null, tp_order_id: null, sl_order_id: null, trigger_status: 'pending_parent_fill' },
      ...{ trigger_error: null, created_at: '2026-01-01T00:00:00Z' },
    },
  ],
  'exits at the exchange': [
    exitsResult,
    {
      ...{ pair: 'BTC-USDC', tp_order_id: '1', sl_order_id: null, trigger_status: 'placed', trigger_error: null },
      ...{ take_profit: '3', stop_loss: null },
    },
  ],
  'a cancellation at the exchange': [
    cancellationResult,
    {
      ...{ status: 'ok', message: 'm', total_open_orders: 1, cancelled_count: 1, failed_count: 0 },
      results: [
        ...[
          {
            order_id: null,
            ex_order_id: '1',
            pair: 'BTC-USDC',
            status: 'cancelled',
            message: 'm',
            exits_cancelled: ['2'],
          },
        ],
      ],
    },
  ],
  'a new subaccount': [
    provisionResult,
    { subaccount: { subaccount_id: 1, asset_class: 'crypto', account_size: 10_000 }, message: 'm' },
  ],
  'a verification session': [sessionResult, { session_id: 'vs_1', url: 'https://a.test', client_secret: 's' }],
  'an onboarding link': [linkResult, { onboarding_url: 'https://a.test' }],
};

const WRONG = [undefined, null, 0, 'x', [], {}, { order_type: 'SIDEWAYS' }];

const settled = (result: Record<string, unknown>): Intent =>
  intentRow.parse({
    ...{
      id: 'x',
      given_id: null,
      kind: 'network/place',
      owner: 'ptn_a',
      request_id: null,
      lane: null,
      request: {},
      sent_payload: {},
    },
    ...{ state: 'succeeded', outcome: { result }, fence: 1, attempts: 1, reconcile_attempts: 0, sent_ago_ms: 0 },
    ...{ created_at: '', deadline_at: '', sending_at: '', presumed_sent_at: null, settled_at: '2026-01-01T00:00:00Z' },
  });

describe('the recorded result of', () => {
  for (const [what, [schema, recorded]] of Object.entries(RECORDED)) {
    it(`${what} is returned as it was recorded`, () => {
      expect(resultOf(settled(recorded), schema)).to.deep.equal(recorded);
    });

    for (const name of Object.keys(recorded))
      it(`${what} is returned when its ${name} is missing or of a wrong type`, () => {
        for (const wrong of WRONG) {
          const shown = resultOf(settled({ ...recorded, [name]: wrong }), schema);

          expect(shown).to.have.all.keys(recorded);
          expect(shown).to.deep.include({ ...recorded, [name]: shown?.[name] });
          expect([wrong ?? null, null]).to.deep.include(shown?.[name]);
        }
      });
  }

  it('any verb is never an error, whatever the record holds', () => {
    for (const [schema] of Object.values(RECORDED)) expect(shownMembers({}, schema)).to.be.an('object');
  });

  it('a verb of unknown effect is an error that says not to send it again, and when to ask', () => {
    const problem: Problem = { code: 'VENUE_UNREACHABLE', effect: 'unknown', retry_after_s: 7 };
    const undecided: Intent = { ...settled({}), state: 'failed', outcome: { problem } };
    const told = { effect: 'unknown', retryable: false, retryAfterS: 7, intent_id: 'x' };

    expect(() => resultOf(undecided, linkResult))
      .to.throw(ApiError)
      .that.has.property('details')
      .that.includes(told);
    expect(shownIntent(undecided)).to.include({ effect: 'unknown', result: null });
    expect(shownIntent(undecided).problem).to.include({ code: problem.code, retryable: false, retry_after_s: 7 });
  });

  it('an intent has the effect that is known in its state', () => {
    const sent = { ...settled({}), settled_at: null, outcome: null };
    const effects = (['running', 'in_doubt', 'queued'] as const).map((state) => shownIntent({ ...sent, state }).effect);
    const unsent = shownIntent({ ...sent, state: 'running', sending_at: null });

    expect(effects).to.deep.equal(['unknown', 'unknown', 'none']);
    expect(unsent.effect).to.equal('none');
  });

  it('an intent that is tried again is none yet, and no error', () => {
    const outcome = { problem: { code: 'VENUE_UNREACHABLE' } }; // with which it would end at its deadline
    const open: Intent = { ...settled({}), state: 'queued', outcome, settled_at: null, sending_at: null };

    expect(resultOf(open, linkResult)).to.equal(null);
    expect(shownIntent(open)).to.include({ effect: 'none', result: null, problem: null });
  });
});
