import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from '../../../src/capabilities/admin/apps/commands.ts';
import { saveTier } from '../../../src/capabilities/payments/commands.ts';
import { openPool } from '../../../src/db/pool.ts';
import { digest } from '../../../src/kernel/ids.ts';
import { sealer } from '../../../src/kernel/seal.ts';
import type { ProcessorUpstream } from '../../../src/sandbox/processor/index.ts';
import { sandboxTiers } from '../../../src/sandbox/tiers.ts';
import { type Ask, asking, bearer, type Data } from '../../support/identity.ts';
import { tier25k } from '../../support/money.ts';
import type { Site, Stage } from '../stage.ts';

/** What a trader has earned, in cents and as the network's settlement. */
export const EARNED_CENTS = 50_000;
const MONDAY_MS = Date.parse('2026-01-05T00:00:00Z');
const SETTLEMENTS = [{ start_ms: MONDAY_MS, end_ms: MONDAY_MS + 1, payout: EARNED_CENTS / 100 }];
const ACTOR = { adminId: null, address: 'test', requestId: 'test' };
const STEP_WITHIN_MS = 240_000; // a step waits for killed workers, lost responses and lost notifications
const PAUSE_MS = 150;
const PLATFORM: AppNetwork = { entityHotkey: null, networkApiKey: null };

/** The stage of a scene about money, with its processor. */
export type MoneyStage = { stage: Stage; processor: ProcessorUpstream };

/** A user with a session. */
export type Trader = { n: number; userId: string; appId: string; ask: Ask };

/** A purchase as its buyer knows it. */
export type Bought = { paymentId: string; processorId: string };

/** Writes the tiers, an app whose users may be paid out, and users of it with a session each. */
export async function makeTraders(
  { stage }: { stage: Site },
  count: number,
  network: AppNetwork = PLATFORM,
): Promise<Trader[]> {
  const { appId, token } = await makeApp(stage, network);
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const userId = `usr_${n}_${randomBytes(9).toString('hex')}`;
      const session = `sess_${randomBytes(32).toString('base64url')}`;
      await stage.rows(
        `with made as (
           insert into users (id, app_id, email, password_hash, verified_at) values ($1, $2, $1 || '@example.com', 'none', now())
         ), verified as (
           insert into kyc_cases (user_id, owner, provider, session_id, status, verified_at)
           values ($1, $2, 'processor_identity', 'vs_' || $1, 'verified', now())
         )
         insert into user_sessions (id, digest, user_id, expires_at) values ('uss_' || $1, $3, $1, now() + interval '1 day')`,
        [userId, appId, digest(session)],
      );
      return { n, userId, appId, ask: asking(stage.web.url, { ...bearer(token), 'X-Session-Token': session }) };
    }),
  );
}

/** A tenant's network identity, if it has one. */
type AppNetwork = { entityHotkey: string | null; networkApiKey: string | null };

/** Writes the tiers and an app with all scopes and a token. */
export async function makeApp(
  { settings, web, rows }: Pick<Site, 'settings' | 'web' | 'rows'>,
  network: AppNetwork = PLATFORM,
): Promise<{ appId: string; secret: string; token: string }> {
  const db = await openPool(String(settings.DATABASE_URL), 1, () => {});
  try {
    for (const tier of sandboxTiers) await saveTier(db, tier);
    const names = {
      slug: `payers-${randomBytes(4).toString('hex')}`,
      name: 'Payers',
      contactEmail: null,
      ...network,
    };
    const app = await createApp(db, sealer(String(settings.SEALING_KEYS)), { ...names, scopes: ['*'] }, ACTOR);
    await rows(
      `update apps set connect_return_url = 'https://example.com', connect_refresh_url = 'https://example.com'`,
    );
    const form = { grant_type: 'client_credentials', client_id: app.app_id, client_secret: app.client_secret };
    const { body } = await asking(web.url)('POST', '/v2/oauth/token', { form });
    return { appId: app.app_id, secret: app.client_secret, token: body.access_token };
  } finally {
    await db.end();
  }
}

/** Repeats a step until it returns something. Faults of the connection count as nothing. */
async function eventually<T>(what: string, step: () => Promise<T | null | undefined | false>): Promise<T> {
  let last: unknown;
  for (const until = Date.now() + STEP_WITHIN_MS; Date.now() < until; await sleep(PAUSE_MS)) {
    const found = await step().catch((error: unknown) => {
      last = error;
      return null;
    });
    if (found) return found;
  }
  throw new Error(`Not within ${STEP_WITHIN_MS} ms: ${what}`, { cause: last });
}

/** Checks out until the processor has the payment, and pays. A checkout that failed without an effect is begun anew. */
export async function buy({ processor }: MoneyStage, { ask }: Trader): Promise<Bought> {
  const bought = await eventually('a checkout', async () => {
    const { status, body } = await ask('POST', '/v2/payments/checkout', {
      json: tier25k,
      headers: { Prefer: 'wait=2' },
    });
    if (status !== 200 && status !== 202) return null;
    return eventually('its payment intent', async () => {
      const { body: payment } = await ask('GET', `/v2/payments/${body.payment_id}`);
      if (payment.status === 'failed') return { paymentId: body.payment_id as string, processorId: null };
      const processorId = payment.processor_payment_intent_id as string | null;
      return processorId !== null && { paymentId: body.payment_id as string, processorId };
    }).then(({ paymentId, processorId }) => processorId !== null && { paymentId, processorId });
  });
  await control(processor, 'payment', { id: bought.processorId, to: 'succeeded' });
  return bought;
}

/**
 * Waits for the account, lets the network fund it with its earnings, and connects a bank account. False if the account
 * was not created: a creation that a killed worker left is repeated by an operator, and only if it is proven that nothing
 * was created.
 */
export async function earn({ stage, processor }: MoneyStage, { ask, n }: Trader, bought: Bought): Promise<boolean> {
  const account = await eventually('an account', async () => {
    const { body } = await ask('GET', `/v2/payments/${bought.paymentId}`);
    if (!body.prop_account_id) return null;
    const shown = await ask('GET', `/v2/payments/prop-accounts/${body.prop_account_id}`);
    if (shown.body.status !== 'subaccount_failed') return shown.body.status === 'evaluation' && shown.body;
    const [row] = await stage.rows<{ verdict: string }>(
      `select ops.provision_account($1, 'operator', 'again') as verdict`,
      [body.prop_account_id],
    );
    return row?.verdict !== 'done' && shown.body;
  });
  if (account.status !== 'evaluation') return false;
  const funded = { subaccount_id: account.subaccount_id, bucket: 'SUBACCOUNT_FUNDED', settlements: SETTLEMENTS };
  await post(`${stage.upstream.controlUrl}/subaccount`, funded);
  await eventually('a funded account', async () => {
    const { body } = await ask('POST', `/v2/lifecycle/sync/${account.id}`);
    return body.status === 'funded';
  });
  const connected = await eventually('a payout account', async () => {
    await ask('POST', '/v2/connect/accounts', {
      json: { country: isAbroad(n) ? 'DE' : 'US' },
      headers: { Prefer: 'wait=2' },
    });
    return firstAccount(await ask('GET', '/v2/connect/accounts'));
  });
  await control(processor, 'account', { id: connected.processor_account_id });
  await eventually('payouts enabled', async () => {
    const shown = firstAccount(await ask('GET', '/v2/connect/accounts'));
    return shown?.payouts_enabled;
  });
  return true;
}

/** Half the traders are paid abroad, in another currency and a day later. */
const isAbroad = (n: number) => n % 4 >= 2;

const firstAccount = ({ status, body }: Data) => (status === 200 ? body[0] : null);

/** Acts at the processor by session. */
export const control = ({ controlUrl }: ProcessorUpstream, what: string, body: object): Promise<void> =>
  post(`${controlUrl}/${what}`, body);

async function post(url: string, body: object): Promise<void> {
  // on a connection of its own: one that is kept may be closed by the other side just as a request leaves
  const reply = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers: { connection: 'close' } });
  if (!reply.ok) throw new Error(`${url} ${await reply.text()}`);
}
