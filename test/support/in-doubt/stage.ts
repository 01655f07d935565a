import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { processor } from '../../../src/adapters/processor/index.ts';
import { readConfig } from '../../../src/config.ts';
import type { IntentDefinition } from '../../../src/intents/define.ts';
import { findUnclaimed } from '../../../src/intents/follow.ts';
import { newIntentId } from '../../../src/kernel/ids.ts';
import { openWorkerRuntime } from '../../../src/runtime/worker.ts';
import { startProcessorUpstream } from '../../../src/sandbox/processor/index.ts';
import { startRegistrarUpstream } from '../../../src/sandbox/registrar/index.ts';
import { exvenue } from '../../../src/venues/exchange/adapter/index.ts';
import { PROCESSOR } from '../money.ts';
import { type Passing, type Relay, relayTo } from '../relay.ts';
import { startService, type TestService } from '../service.ts';

// The verbs of all upstreams in one list: their requests, payloads and dependencies differ.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type AnyVerb = IntentDefinition<any, any, any, any>;

/** The service without a worker, and a worker's dependencies whose every request to an upstream passes a relay. */
export type InDoubtStage = {
  service: TestService;
  /** A paid payment, a connected account and a transfer to it, by the processor's ids. */
  paid: string;
  connected: string;
  transferred: string;
  newKey(): { privateKey: `0x${string}`; address: string };
  /** Decides what all upstreams respond. */
  handle(handler: Relay['handle']): void;
  /** Inserts an intent that was sent with this payload, with its effect unknown. */
  insert(verb: AnyVerb, payload: object): Promise<string>;
  /** Runs the task of an intent once. */
  run(verb: AnyVerb, intentId: string): Promise<void>;
  /** The request of an intent in doubt, sent long ago, and the dependencies to reconcile it. */
  inDoubt(verb: AnyVerb, intentId: string): Promise<{ sent: never; deps: object }>;
  state(intentId: string): Promise<string>;
  close(): Promise<void>;
};

/** Whether a request may change something at its upstream. */
export const isWrite = ({ name, headers }: Passing): boolean =>
  /^POST (\/miner\/api\/(submit-order|create-)|\/exchange$|\/v1\/)/.test(name) ||
  headers['payment-signature'] !== undefined;

/** Starts it. */
export async function openInDoubtStage(): Promise<InDoubtStage> {
  const registrar = await startRegistrarUpstream({ wantsProof: false });
  const processorUpstream = await startProcessorUpstream(PROCESSOR);
  const service = await startService({
    settings: { ...registrar.settings, NETVENUE_IN_FLIGHT_MS: '500', EXVENUE_BUDGET_PER_MINUTE: '1000000' },
  });
  const relays = {
    network: await relayTo(new URL(service.miner.minerUrl).origin),
    exchange: await relayTo(service.exchange.url),
    registrar: await relayTo(registrar.url),
    processor: await relayTo(processorUpstream.url),
  };
  const config = readConfig({
    ...service.settings,
    NETVENUE_MINER_URL: `${relays.network.url}/miner`,
    NETVENUE_VALIDATOR_URL: `${relays.network.url}/validator`,
    EXVENUE_URL: relays.exchange.url,
    REGISTRAR_URL: relays.registrar.url,
    REGISTRAR_CHAIN_URL: `${relays.registrar.url}/chain`,
  });
  const runtime = await openWorkerRuntime(config, service.log.logger, service.runtime.metrics);
  const client = processor({ url: relays.processor.url, ...PROCESSOR });
  const ids = await paidAndConnected(processorUpstream);
  return {
    service,
    ...ids,
    newKey() {
      const privateKey = generatePrivateKey();
      return { privateKey, address: privateKeyToAddress(privateKey).toLowerCase() };
    },
    handle(handler) {
      for (const relay of Object.values(relays)) relay.handle = handler;
    },
    async insert(verb, payload) {
      const id = newIntentId();
      await service.db.query(sql.type(z.object({}))`
        insert into intents (id, kind, owner, state, request, sent_payload, digest, fence, attempts, deadline_at, sending_at)
        values (${id}, ${verb.kind}, 'app_1', 'in_doubt', '{}', ${JSON.stringify(payload)}::jsonb, '\\x01', 1, 1, now(), now())`);
      return id;
    },
    async run(verb, intentId) {
      const { default: task } = await import(`../../../workers/${verb.kind}.ts`);
      await task({ intent_id: intentId }, { ...runtime, processor: client });
    },
    async inDoubt(verb, intentId) {
      await service.db.query(sql.type(z.object({}))`
        update intents
        set sending_at = now() - interval '10 minutes', reconcile_attempts = 1
        where id = ${intentId}`);
      const intent = await findUnclaimed(service.db, intentId);
      if (!intent) throw new Error(`${verb.kind} is not in doubt`);
      const request = Object.keys(intent.request).length > 0 ? verb.request.parse(intent.request) : {};
      const sent = { intent: { ...intent, request }, payload: verb.payload.parse(intent.sent_payload) };
      const fresh = exvenue({ url: relays.exchange.url, network: 'testnet', budgetPerMinute: 1_000_000 }); // a 429 halts it
      return { sent: sent as never, deps: { ...runtime, exvenue: fresh, processor: client } }; // as: of the verb's types
    },
    state: (intentId) =>
      service.db.oneFirst(sql.type(z.object({ state: z.string() }))`select state from intents where id = ${intentId}`),
    async close() {
      await runtime.close();
      for (const relay of Object.values(relays)) await relay.close();
      await service.stop();
      await processorUpstream.close();
      await registrar.close();
    },
  };
}

async function paidAndConnected({ url, controlUrl }: { url: string; controlUrl: string }) {
  const client = processor({ url, ...PROCESSOR });
  const control = (what: string, body: object) =>
    fetch(`${controlUrl}/${what}`, { method: 'POST', body: JSON.stringify(body) });
  const people = { userId: 'usr_1', appId: 'app_1' };
  const payment = { paymentId: 'pay_1', ...people, amountCents: 1_000, currency: 'usd' };
  const made = await client.createPayment(payment, newIntentId());
  const opened = await client.createAccount({ ...people, country: 'US', isAbroad: false }, newIntentId());
  if (made.kind !== 'accepted' || opened.kind !== 'accepted') throw new Error('nothing to begin with');
  const { accountId: connected } = opened.data;
  await control('payment', { id: made.data.processorId, to: 'succeeded' });
  await control('account', { id: connected, payouts_enabled: true });
  const transfer = { payoutId: 'po_0', accountId: connected, amountCents: 10_000, currency: 'usd' };
  const moved = await client.transfer(transfer, newIntentId());
  if (moved.kind !== 'accepted') throw new Error('no transfer');
  return { paid: made.data.processorId, connected, transferred: moved.data.id };
}
