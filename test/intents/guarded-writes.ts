import { recordSubaccount } from '../../src/capabilities/accounts/store.ts';
import { recordSession } from '../../src/capabilities/kyc/store.ts';
import { recordCheckout, recordRefund } from '../../src/capabilities/payments/store.ts';
import * as payouts from '../../src/capabilities/payouts/store.ts';
import { endPurchase } from '../../src/capabilities/registration/store.ts';
import type { DbPool } from '../../src/db/pool.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { fail, succeed, succeedAndSubmit } from '../../src/intents/settle.ts';
import { newIntentId } from '../../src/kernel/ids.ts';
import * as exchange from '../../src/venues/exchange/orders/store.ts';
import * as network from '../../src/venues/network/orders/store.ts';
import { type DbSession, item, type Row } from '../support/intent-database.ts';

type Any = never; // what a write takes beside its claim does not matter here: the claim is lost
const any = {} as Any;
const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';
const ACCOUNT = {
  ...{ accountId: 'acct_9', country: 'US', payoutsEnabled: false, transfersEnabled: false },
  ...{ chargesEnabled: false, detailsSubmitted: false },
} as Any;
const REFUND = { id: 're', kind: 'refund', cents: 1, currency: 'usd', status: null, madeAtMs: 1 } as Any;
const SUBACCOUNT = {
  ...{ subaccountId: 9, status: 'active', syntheticHotkey: 'e_9', assetClass: 'crypto', accountSize: 1, proof: null },
} as Any;
const sealer = { seal: () => Buffer.from('sealed'), open: () => Buffer.from('') } as Any;

/** One statement that ends a claim. False: it wrote nothing. */
type StatementWrite = { kind: string; write(db: DbPool, lost: Intent): Promise<boolean> };

const stepOf = (kind: string, step: 'transfer' | 'payout' | 'reversal'): StatementWrite => ({
  kind,
  write: (db, lost) =>
    payouts.recordStep(
      db,
      lost,
      { payoutId: 'po_1' as Any, step, deadlineMs: 1 },
      { id: 't', arrivalId: null, madeAtMs: null },
    ),
});

/** Every statement that ends a claim, by the name of its prepared statement. A test compares the names with the code. */
export const statementWrites: Record<string, StatementWrite> = {
  settle_intents: { kind: 'network/place', write: (db, lost) => succeed(db, lost, {}) },
  'settle_intents: failed': { kind: 'network/place', write: (db, lost) => fail(db, lost, { code: 'VENUE_REJECTED' }) },
  succeed_and_submit: {
    kind: 'exchange/cancel',
    write: (db, lost) =>
      succeedAndSubmit(db, lost, {}, {
        ...item({ id: newIntentId(), kind: 'exchange/cancel' }),
        deadline_s: 60,
      } as Any),
  },
  record_placements: {
    kind: 'network/place',
    write: (db, lost) =>
      network.recordPlacement(
        db,
        lost,
        {},
        { lifecycle: 'filled', executed: null, protection: { state: 'none', error: null } },
      ),
  },
  record_cancellation: {
    kind: 'network/cancel',
    write: (db, lost) =>
      network.recordCancellation(db, lost, UUID as Any, {
        result: { executed: null } as Any,
        lifecycle: 'cancelled',
        exits: [],
      }),
  },
  record_edit: {
    kind: 'network/edit',
    write: (db, lost) =>
      network.recordEdit(
        db,
        lost,
        { result: { executed: null } as Any, lifecycle: 'filled' },
        { target: UUID as Any, terms: any },
      ),
  },
  record_protection: {
    kind: 'network/protect',
    write: (db, lost) =>
      network.recordProtection(db, lost as Any, any, {
        bracket: newIntentId() as Any,
        signal: { order_uuid: newIntentId() } as Any,
        terms: { trade_pair: 'BTCUSDC' } as Any,
      }),
  },
  record_exchange_order: {
    kind: 'exchange/place',
    write: (db, lost) => exchange.recordPlacement(db, lost as Any, any, { status: 'open' } as Any, null),
  },
  record_exchange_cancels: {
    kind: 'exchange/cancel',
    write: (db, lost) => exchange.recordCancellation(db, lost as Any, { results: [] } as Any, []),
  },
  record_exchange_exits: {
    kind: 'exchange/protect',
    write: (db, lost) => exchange.recordExits(db, lost as Any, any, { take_profit: null, stop_loss: '1' }, null),
  },
  record_link: {
    kind: 'payouts/link',
    write: (db, lost) => payouts.recordLink({ db, sealer }, lost, { url: 'https://x.test' }),
  },
  record_connect_account: {
    kind: 'payouts/account',
    write: (db, lost) => payouts.recordAccount(db, lost, { user_id: 'usr_1' as Any, is_abroad: false }, ACCOUNT),
  },
  record_step: stepOf('payouts/submit', 'transfer'),
  'record_step: to the bank': stepOf('payouts/pay', 'payout'),
  'record_step: a reversal': stepOf('payouts/reverse', 'reversal'),
  record_checkout: {
    kind: 'payments/checkout',
    write: (db, lost) =>
      recordCheckout(
        { db, sealer },
        lost,
        'pay_1' as Any,
        { processorId: 'pi', clientSecret: null, status: 'requires_payment_method' } as Any,
      ),
  },
  record_refund: {
    kind: 'payments/refund',
    write: (db, lost) => recordRefund(db, lost, 'pay_1' as Any, REFUND),
  },
  record_subaccount: {
    kind: 'accounts/provision',
    write: (db, lost) => recordSubaccount(db, lost, any, 'e' as Any, SUBACCOUNT),
  },
  record_verification_session: {
    kind: 'kyc/session',
    write: (db, lost) => recordSession({ db, sealer }, lost, { sessionId: 's', url: 'u', clientSecret: 'c' } as Any),
  },
  end_purchase: {
    kind: 'registration/purchase',
    write: (db, lost) => endPurchase(db, lost, 'failed', { problem: { code: 'VENUE_REJECTED' } }, null),
  },
};

/** One write of a function with a guard of its own: brings about the lost claim, then its call. */
type FunctionWrite = { prepare(session: DbSession): Promise<unknown[]>; write: string };

const PROBLEM = '{"problem":{"code":"VENUE_UNREACHABLE"}}';

/** An intent with two claims. `before` runs under the first one. Resolves to its id and the first fence. */
async function claimedTwice(
  session: DbSession,
  between: (id: string, fence: number) => Promise<unknown> = async () => {},
) {
  const one = item();
  await session.accept(one);
  const { fence } = (await session.claim(one.id)) as Row; // as: it was queued
  await between(one.id, fence);
  const again = (await session.claim(one.id)) as Row;
  return { id: one.id, fence, newer: again.fence };
}

const argumentsOf = ({ id, fence }: { id: string; fence: number }): unknown[] => [id, fence];
const asArguments = async (session: DbSession) => argumentsOf(await claimedTwice(session));
/** The same of one that its first worker has begun to send. */
const asSent = async (session: DbSession) =>
  argumentsOf(await claimedTwice(session, (id, fence) => session.beginSending(id, fence)));

/** Every function with a guard of its own. A test compares the names with the definitions. */
export const functionWrites: Record<string, FunctionWrite> = {
  'intents/retry_intent': { prepare: asArguments, write: `select retry_intent($1, $2, 0, '${PROBLEM}') ok` },
  'intents/begin_sending': { prepare: asArguments, write: `select begin_sending($1, $2, '{}') ok` },
  'intents/begin_sending_within': {
    prepare: asArguments,
    write: `select begin_sending_within($1, $2, '{}', 'some upstream', 2, 60) ok`,
  },
  'intents/mark_in_doubt': { prepare: asSent, write: 'select mark_in_doubt($1, $2, 0) ok' },
  'intents/note_left': { prepare: asSent, write: 'select note_left($1, $2) ok' },
  'intents/presume_sent': {
    prepare: async (session) => {
      const { id, fence } = await claimedTwice(session);
      await session.query('update intents set presumed_sent_at = now() where id = $1', [id]);
      return [id, fence];
    },
    write: `select presume_sent($1, $2, '{}') ok`,
  },
  'intents/send_again': {
    prepare: async (session) => {
      const { id, fence, newer } = await claimedTwice(session, (id, fence) => session.beginSending(id, fence));
      await session.markInDoubt(id, newer);
      return [id, fence];
    },
    write: `select send_again($1, $2, '${PROBLEM}') ok`,
  },
  'pauses/wait_for_pause': {
    prepare: async (session) => {
      await session.query(
        `insert into pauses (subject, reason, paused_by) values ('ptn_a', 'a test', 'a test') on conflict do nothing`,
      );
      return asArguments(session);
    },
    write: 'select wait_for_pause($1, $2, false, false) ok',
  },
  'webhooks/end_attempts': {
    prepare: async (session) => {
      const n = newIntentId();
      await session.query(
        `insert into apps (id, slug, name, allowed_scopes) values ('app_${n}', 's-${n}', 'n', '{api}')`,
      );
      await session.query(
        `insert into webhook_endpoints (id, owner, url, events) values ('whe_${n}', 'app_${n}', 'https://x.test', '{*}')`,
      );
      await session.query(
        `insert into webhook_deliveries (id, owner, endpoint_id, event_id)
         select 'whd_${n}', 'app_${n}', 'whe_${n}', (record_event('app_${n}', 'x', '{}')).id`,
      );
      const step = { n: 0, endpoint_id: `whe_${n}`, lane: 0 };
      for (let taken = 0; taken < 2; taken += 1) await session.query('select step_lanes($1)', [JSON.stringify([step])]);
      const said = { delivery_id: `whd_${n}`, fence: 1, ending: 'delivered', duration_ms: 1, status: 200 };
      return [JSON.stringify([{ ...step, said }])];
    },
    write: `select end_attempts($1) <> '{}' as ok`,
  },
  'registrations/finish_poll': {
    prepare: async (session) => {
      const id = newIntentId();
      await session.query(
        `insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, polls) values ($1, 'ptn_a', $2, 'm', 1, '0x1', 2)`,
        [id, `0x${id}`],
      );
      return [id];
    },
    write: `select finish_poll($1, 1, '{"status":"active"}', 60) ok`,
  },
  'registrations/revive_registration': {
    prepare: async (session) => {
      const id = newIntentId();
      await session.query(
        `insert into registrations (id, owner, ex_address, miner_slug, account_size, payer, polls, status, tx_hash, paid_at)
         values ($1, 'ptn_a', $2, 'm', 1, '0x1', 2, 'failed', '0xabc', now())`,
        [id, `0x${id}`],
      );
      return [id];
    },
    write: `select revive_registration($1, 1, '0xabc', 'late') ok`,
  },
};
