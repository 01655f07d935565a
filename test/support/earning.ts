import { sql } from 'slonik';
import { z } from 'zod';
import type { TestApp, TestUser } from './identity.ts';
import { accountIn, checkOut, eventually, type Money, tier25k } from './money.ts';

const MONDAY_MS = Date.parse('2026-01-05T00:00:00Z');
const RETURN_URLS = {
  connect_return_url: 'https://example.com/back',
  connect_refresh_url: 'https://example.com/again',
};

/** A user whose paid account is funded, whose identity is verified, and who has connected a bank account. */
export type Earner = TestUser & {
  account: { id: string; subaccount_id: number };
  /** The payment intent at the processor that bought the account. */
  paymentIntent: string;
  /** The account at the processor that receives payouts. */
  connected: string;
  /** Requests a payout and returns its id. */
  request(amountCents: number): Promise<string>;
  submit(payoutId: string): ReturnType<TestUser['ask']>;
  /** The payout once it has this status. */
  payoutIs(payoutId: string, status: string): Promise<Record<string, unknown>>;
  estimate(): Promise<number>;
};

/** An app whose users may be paid out. */
export async function payingApp(service: Money): Promise<TestApp> {
  const app = await service.app(['api', 'payouts:write']);
  const admin = await service.admin();
  await admin.ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: RETURN_URLS });
  return app;
}

/** Makes a user who has earned this amount. */
export async function earner(service: Money, app: TestApp, earnedUsd: number, country = 'US'): Promise<Earner> {
  const user = await service.user(app);
  const { ask, userId } = user;
  const { processor_payment_intent_id: paymentIntent } = await checkOut(ask, tier25k);
  await service.control('payment', { id: paymentIntent, to: 'succeeded' });
  const account = await accountIn(ask, 'evaluation');
  const settlements = [{ start_ms: MONDAY_MS, end_ms: MONDAY_MS + 1, payout: earnedUsd }];
  await service.network({ subaccount_id: account.subaccount_id, bucket: 'SUBACCOUNT_FUNDED', settlements });
  await ask('POST', `/v2/lifecycle/sync/${account.id}`);
  await service.db.query(sql.type(z.object({}))`
    insert into kyc_cases (user_id, owner, provider, session_id, status, verified_at)
    values (${userId}, ${app.appId}, 'processor_identity', ${`vs_${userId}`}, 'verified', now())`);
  const { body } = await ask('POST', '/v2/connect/accounts', { json: { country } });
  const connected = body.processor_account_id;
  await service.control('account', { id: connected });
  await eventually(async () => (await ask('GET', '/v2/connect/accounts')).body[0].payouts_enabled);
  return {
    ...user,
    account,
    paymentIntent,
    connected,
    async request(amountCents) {
      const reply = await ask('POST', '/v2/payouts/request', { json: { amount_cents: amountCents } });
      if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
      return reply.body.id;
    },
    submit: (payoutId) => ask('POST', `/v2/payouts/${payoutId}/submit`),
    payoutIs: (payoutId, status) =>
      eventually(async () => {
        const { body: payouts } = await ask('GET', '/v2/payouts');
        return payouts.find((each: { id: string; status: string }) => each.id === payoutId && each.status === status);
      }),
    estimate: async () => (await ask('GET', '/v2/payouts/estimate')).body.amount_cents,
  };
}

const idRow = z.object({ id: z.string() });

/** Ends the intent of this kind that is in doubt with an unknown effect: the processor has forgotten its key. Returns its id. */
export async function endWithoutProof(service: Money, kind: string): Promise<string> {
  const { id } = await eventually(() =>
    service.db.maybeOne(sql.type(idRow)`
      update intents
      set sending_at = now() - interval '24 hours'
      where kind = ${kind} and state = 'in_doubt' and sending_at > now() - interval '1 hour'
      returning id`),
  );
  await service.runTask(kind, { intent_id: id });
  return id;
}
