import { saveTier } from '../../src/capabilities/payments/commands.ts';
import type { NetvenueUpstreamOptions } from '../../src/sandbox/network/index.ts';
import { type ProcessorUpstream, startProcessorUpstream } from '../../src/sandbox/processor/index.ts';
import { signature } from '../../src/sandbox/processor/notifier.ts';
import type { Event } from '../../src/sandbox/processor/world.ts';
import { sandboxTiers } from '../../src/sandbox/tiers.ts';
import { type Ask, type Data, type Identity, startIdentity, type TestApp, type TestUser } from './identity.ts';
import { until } from './processes.ts';
import { PROCESSOR } from './processor-keys.ts';

export { PROCESSOR };
export const WEBHOOK = '/v2/webhooks/processor';
export const tier25k = {
  tier_id: 'tier_25k',
  market: 'crypto',
  asset_class: 'crypto',
  account_size: 25_000,
  amount_cents: 19_900,
};
export const tierDemo = { tier_id: 'tier_demo', asset_class: 'crypto', account_size: 10_000 };

type Options = {
  settings?: Record<string, string>;
  worker?: boolean;
  upstream?: Partial<NetvenueUpstreamOptions>;
  /** Whether the processor sends its notifications by itself. */
  notified?: boolean;
};

/** The whole service with a processor, tiers on sale, an app and a user of it. */
export type Money = Identity & {
  processor: ProcessorUpstream;
  tenant: TestApp;
  buyer: TestUser;
  /** Changes a payment, transfer or person at the processor by session. */
  control(what: string, body: object): Promise<void>;
  /** Changes a subaccount at the network by session. */
  network(body: object): Promise<void>;
  /** Sends a notification as the processor signs it, or with another signature. */
  notify(event: Event | object, header?: string): Promise<Data>;
};

/** Starts the service with a processor, tiers on sale, an app and a user of it. */
export async function startMoney({
  settings = {},
  worker = true,
  upstream = {},
  notified = true,
}: Options = {}): Promise<Money> {
  const processor = await startProcessorUpstream(PROCESSOR);
  const identity = await startIdentity(
    {
      PROCESSOR_URL: processor.url,
      PROCESSOR_SECRET_KEY: PROCESSOR.secretKey,
      PROCESSOR_WEBHOOK_SECRET: PROCESSOR.notificationSecret,
      ...settings,
    },
    worker,
    upstream,
  );
  for (const tier of sandboxTiers) await saveTier(identity.db, tier);
  if (notified) processor.notifications.to(identity.url + WEBHOOK);
  const tenant = await identity.app(['api']);
  return {
    ...identity,
    processor,
    tenant,
    buyer: await identity.user(tenant),
    control: (what, body) => post(`${processor.controlUrl}/${what}`, body),
    network: (body) => post(`${identity.miner.controlUrl}/subaccount`, body),
    notify(event, header) {
      const body = JSON.stringify(event);
      return raw(identity.url + WEBHOOK, body, header ?? signature(PROCESSOR.notificationSecret, body));
    },
    async stop() {
      await processor.notifications.close();
      await identity.stop();
      await processor.close();
    },
  };
}

async function post(url: string, body: object): Promise<void> {
  const reply = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(await reply.text());
}

/** Posts bytes unchanged; without a header where it is empty. */
export async function raw(url: string, body: string, header: string): Promise<Data> {
  const headers = { 'Content-Type': 'application/json', ...(header && { 'Stripe-Signature': header }) };
  const reply = await fetch(url, { method: 'POST', headers, body });
  return { status: reply.status, headers: reply.headers, body: await reply.json() };
}

/** Polls until a condition holds, see `until`. */
export const eventually = <T>(read: () => Promise<T | null | undefined | false>, withinMs?: number) =>
  until(String(read), async () => (await read()) || null, withinMs);

/** A checkout that exists at the processor. */
export async function checkOut(
  ask: Ask,
  body: object = tier25k,
): Promise<{ payment_id: string; processor_payment_intent_id: string; client_secret: string }> {
  const reply = await ask('POST', '/v2/payments/checkout', { json: body });
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
  return reply.body;
}

/** The user's account, once it is in one of these states. */
export const accountIn = (ask: Ask, ...wanted: string[]) =>
  eventually(async () => {
    const { body } = await ask('GET', '/v2/payments/prop-accounts');
    return body.find(({ status }: { status: string }) => wanted.includes(status));
  });
