import { sql } from 'slonik';
import type { Fault } from '../../../src/sandbox/faults.ts';
import { type Earner, earner, endWithoutProof, payingApp } from '../earning.ts';
import { bearer, type TestApp } from '../identity.ts';
import { checkOut, eventually, PROCESSOR, tier25k } from '../money.ts';
import { keyed, type Scenes, type Stage } from './scene.ts';
import { problemOf } from './told.ts';

const LATER = { Prefer: 'respond-async' };
const reason = 'the processor was away';

/** A processor that is away, rejects our key, has too little money or never says what it did. */
export function processorScenes({ service, asking, counts }: Stage): Scenes {
  const user = async (app: TestApp = service().tenant) => {
    const made = await service().user(app);
    return { ...made, again: asking({ ...bearer(app.token), 'X-Session-Token': made.session }) };
  };
  const admin = async () => {
    const made = await service().admin();
    return { ...made, again: asking(bearer(made.token)) };
  };
  const buying = async () => {
    const { again } = await user();
    const send = (key: string) => again('POST', '/v2/payments/checkout', keyed(key, tier25k));
    return { makes: counts.atProcessor('payment_intent'), send };
  };
  const faults = {
    add: (fault: Fault) => service().processor.faults.add(fault),
    clear: () => service().processor.faults.clear(),
  };
  return {
    async PROCESSOR_AUTH() {
      service().processor.rotateKey('sk_test_another');
      return { ...(await buying()), heal: () => service().processor.rotateKey(PROCESSOR.secretKey) };
    },
    async PROCESSOR_UNREACHABLE() {
      faults.add({ kind: 'status_429', route: 'POST /v1/payment_intents' });
      return { ...(await buying()), heal: () => faults.clear() };
    },
    async PROCESSOR_UNREADABLE() {
      const { id } = await unknownPayout('status_500');
      const { again } = await admin();
      faults.add({ kind: 'status_500', route: 'GET /v1/' });
      return {
        shows: ({ status }) => status === 'absent',
        heal: () => faults.clear(),
        send: (key) => again('POST', `/v2/admin/payouts/${id}/resolve`, keyed(key, { reason })),
      };
    },
    async PROCESSOR_SILENT() {
      const { id, made, again } = await unknownPayout('accept_then_drop');
      const { ask } = await admin();
      return {
        effect: 'unknown',
        shows: ({ effect }) => effect === 'done',
        send: (key) => again('POST', `/v2/payouts/${id}/submit`, keyed(key)),
        heal: () => ask('POST', `/v2/admin/payouts/${id}/resolve`, { json: { reason } }),
        instead: async (_, { body }) => made.app.ask('GET', `/v2/intents/${body.error.intent_id}`),
      };
    },
    async V2_PAYOUT_NOT_UNKNOWN() {
      const [{ made, id }, { again }] = [await requested(), await admin()];
      await made.submit(id);
      return {
        shows: (stranded) => !stranded.some(({ payout_id }: { payout_id: string }) => payout_id === id),
        send: (key) => again('POST', `/v2/admin/payouts/${id}/resolve`, keyed(key, { reason })),
        instead: () => again('GET', '/v2/admin/payouts/stranded'),
      };
    },
    async V2_PAYOUT_NOT_STRANDED() {
      const [{ id }, { again }] = [await requested(), await admin()];
      return {
        shows: (stranded) => !stranded.some(({ payout_id }: { payout_id: string }) => payout_id === id),
        send: (key) => again('POST', `/v2/admin/payouts/${id}/reverse`, keyed(key, { reason })),
        instead: () => again('GET', '/v2/admin/payouts/stranded'),
      };
    },
    async V2_PAYMENT_NOT_REFUNDABLE() {
      const { ask } = await user();
      const { payment_id } = await checkOut(ask);
      const { again } = await admin();
      return {
        shows: ({ status }) => status === 'requires_payment_method',
        send: (key) => again('POST', `/v2/admin/payments/${payment_id}/refund`, keyed(key, { reason })),
        instead: () => ask('GET', `/v2/payments/${payment_id}`),
      };
    },
  };

  async function requested(): Promise<{ made: Earner & { app: TestApp }; id: string }> {
    const app = await payingApp(service());
    const made = { ...(await earner(service(), app, 500)), app };
    return { made, id: await made.request(50_000) };
  }

  /** A payout whose transfer stays unknown, whether or not it was made. */
  async function unknownPayout(fault: 'accept_then_drop' | 'status_500') {
    const { made, id } = await requested();
    faults.add({ kind: fault, route: 'POST /v1/transfers' });
    faults.add({ kind: 'status_500', route: 'GET /v1/transfers' });
    await made.ask('POST', `/v2/payouts/${id}/submit`, { headers: LATER });
    await endWithoutProof(service(), 'payouts/submit');
    faults.clear();
    const again = asking({ ...bearer(made.app.token), 'X-Session-Token': made.session });
    return { made, id, again };
  }
}

/** What only the intent tells: the request itself was accepted, and goes on. */
export function toldScenes({ service, asking, counts }: Stage): Scenes {
  return {
    async PROCESSOR_SHORT() {
      const app = await payingApp(service());
      const made = await earner(service(), app, 300);
      const id = await made.request(10_000);
      await service().control('settings', { available: 9_999 });
      let isSubmitted = false;
      return {
        makes: counts.atProcessor('transfer', ({ detail }) => detail.destination === made.connected),
        async heal() {
          await service().control('settings', { available: null });
          await service().db.query(sql.unsafe`update payouts set pay_after = now() where id = ${id}`);
        },
        async send(key) {
          if (isSubmitted) return goesOn();
          isSubmitted = true;
          const { headers } = await made.ask('POST', `/v2/payouts/${id}/submit`, keyed(key));
          return problemOf(app.ask, headers.get('intent-id') ?? '');
        },
      };

      async function goesOn() {
        await Promise.all([service().runTask('payouts/reconcile'), service().runTask('payouts/reconcile')]);
        await made.payoutIs(id, 'transferred');
        return made.ask('GET', '/v2/payouts');
      }
    },
    async V2_CONNECT_ACCOUNT_EXISTS() {
      const app = await payingApp(service());
      const { ask, session } = await service().user(app);
      const again = asking({ ...bearer(app.token), 'X-Session-Token': session });
      const json = { country: 'US' };
      let intent: string | null = null;
      service().processor.faults.add({ kind: 'late', route: 'POST /v1/accounts', times: 1, delayMs: 500 });
      await ask('POST', '/v2/connect/accounts', { json, headers: LATER });
      return {
        shows: (accounts) => accounts.length === 1,
        async send(key) {
          const reply = await again('POST', '/v2/connect/accounts', {
            json,
            headers: { ...LATER, 'Idempotency-Key': key },
          });
          intent ??= reply.headers.get('intent-id');
          return problemOf(app.ask, intent ?? '');
        },
        instead: () => ask('GET', '/v2/connect/accounts'),
      };
    },
    async V2_ACCOUNT_STOPPED() {
      const app = service().tenant;
      const { ask, userId } = await service().user(app);
      const operator = await service().admin();
      const { processor_payment_intent_id: id } = await checkOut(ask);
      await operator.ask('POST', '/v2/admin/pauses', { json: { subject: 'netvenue', reason } });
      await service().control('payment', { id, to: 'succeeded' });
      const account = await eventually(async () => (await ask('GET', '/v2/payments/prop-accounts')).body[0]);
      await service().control('payment', { id, to: 'refunded' });
      await eventually(async () => {
        const { body } = await ask('GET', `/v2/payments/prop-accounts/${account.id}`);
        return body.status !== 'provisioning';
      });
      await operator.ask('POST', '/v2/admin/pauses/netvenue/end', { json: { reason } });
      const intent = await service().db.oneFirst(sql.unsafe`
        select intent_id::text from prop_accounts where user_id = ${userId}`);
      return {
        makes: counts.atProcessor('payment_intent'),
        send: () => problemOf(app.ask, String(intent)),
        instead: (key) => ask('POST', '/v2/payments/checkout', keyed(key, tier25k)),
      };
    },
  };
}
