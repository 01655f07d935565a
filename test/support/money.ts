import { setTimeout as sleep } from 'node:timers/promises';
import { saveTier } from '../../src/payments/intents.ts';
import type { NetvenuePartyOptions } from '../../src/sandbox/netvenue/index.ts';
import { type ProcessorParty, startProcessorParty } from '../../src/sandbox/processor/index.ts';
import { signature } from '../../src/sandbox/processor/notifier.ts';
import type { Event } from '../../src/sandbox/processor/world.ts';
import { sandboxTiers } from '../../src/sandbox/tiers.ts';
import { type Ask, type Identity, type Said, startIdentity, type TestApp, type TestUser } from './identity.ts';

export const PROCESSOR = { secretKey: 'sk_test_processor', notificationSecret: 'whsec_test_processor' };
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
  party?: Partial<NetvenuePartyOptions>;
  /** Whether the processor sends its notifications by itself. */
  notified?: boolean;
};

/** The whole service with a processor, tiers on sale, an app and a user of it. */
export type Money = Identity & {
  processor: ProcessorParty;
  tenant: TestApp;
  buyer: TestUser;
  /** Moves something at the processor by hand. */
  control(what: string, body: object): Promise<void>;
  /** Moves a subaccount at the network by hand. */
  network(body: object): Promise<void>;
  /** Sends a notification as the processor signs it, or signed otherwise. */
  notify(event: Event | object, header?: string): Promise<Said>;
};

export async function startMoney({
  settings = {},
  worker = true,
  party = {},
  notified = true,
}: Options = {}): Promise<Money> {
  const processor = await startProcessorParty(PROCESSOR);
  const identity = await startIdentity(
    {
      PROCESSOR_URL: processor.url,
      PROCESSOR_SECRET_KEY: PROCESSOR.secretKey,
      PROCESSOR_WEBHOOK_SECRET: PROCESSOR.notificationSecret,
      ...settings,
    },
    worker,
    party,
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

/** Posts bytes as they are; without a header where it is empty. */
export async function raw(url: string, body: string, header: string): Promise<Said> {
  const headers = { 'Content-Type': 'application/json', ...(header && { 'Stripe-Signature': header }) };
  const reply = await fetch(url, { method: 'POST', headers, body });
  return { status: reply.status, headers: reply.headers, body: await reply.json() };
}

/** Looks until something is so. */
export async function eventually<T>(look: () => Promise<T | null | undefined | false>, withinMs = 10_000): Promise<T> {
  for (const until = Date.now() + withinMs; Date.now() < until; await sleep(25)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`Not within ${withinMs} ms: ${look}`);
}

/** A checkout that stands at the processor. */
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
