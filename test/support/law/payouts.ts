import { sql } from 'slonik';
import { type Earner, earner, payingApp } from '../earning.ts';
import { bearer, asking as byHand, PASSWORD, resetTokenIn, type TestApp } from '../identity.ts';
import { eventually } from '../money.ts';
import { until } from '../processes.ts';
import { keyed, type Scene, type Scenes, type Stage } from './scene.ts';

const REQUEST = '/v2/payouts/request';
const CONNECT = '/v2/connect/accounts';

/** What payouts depend on, and how they go on. Payout accounts are held for a day. */
export function payoutScenes({ service, asking, counts }: Stage): Scenes {
  let paying: Promise<TestApp> | undefined;
  const app = () => {
    paying ??= payingApp(service());
    return paying;
  };
  const headersOf = async (session: string) => ({ ...bearer((await app()).token), 'X-Session-Token': session });
  /** A user who has earned 300 dollars, whose payout account is older than a day. */
  const trader = async (country = 'US') => {
    const made = await earner(service(), await app(), 300, country);
    await age(made.connected, 25);
    return { ...made, again: asking(await headersOf(made.session)) };
  };
  const payouts = counts.rows('payouts');
  const transfersTo = ({ connected }: Earner) =>
    counts.atProcessor('transfer', ({ detail }) => detail.destination === connected);
  const request = async (amount_cents = 10_000) => {
    const made = await trader();
    const json = { amount_cents, prop_account_id: made.account.id };
    return { ...made, send: (key: string) => made.again('POST', REQUEST, keyed(key, json)) };
  };
  const listed = async () => {
    const made = await trader();
    return { made, id: await made.request(10_000) };
  };
  return {
    async V2_KYC_REQUIRED() {
      const { userId, ask, send } = await request();
      await service().db.query(sql.unsafe`delete from kyc_cases where user_id = ${userId}`);
      return {
        makes: payouts,
        async heal() {
          const { body } = await ask('POST', '/v2/kyc/processor-identity/session');
          await service().control('verification', { id: body.session_id, to: 'verified' });
          await eventually(async () => (await ask('GET', '/v2/kyc/status')).body.kyc_status === 'verified');
        },
        send,
      };
    },
    async V2_KYC_VERIFIED() {
      const { again } = await trader();
      return {
        shows: ({ kyc_status }) => kyc_status === 'verified',
        send: (key) => again('POST', '/v2/kyc/processor-identity/session', keyed(key)),
        instead: () => again('GET', '/v2/kyc/status'),
      };
    },
    async V2_ACCOUNT_NOT_FUNDED() {
      const { account, ask, send } = await request();
      await service().db.query(sql.unsafe`update prop_accounts set status = 'evaluation' where id = ${account.id}`);
      return { makes: payouts, heal: () => ask('POST', `/v2/lifecycle/sync/${account.id}`), send };
    },
    async V2_PAYOUT_ACCOUNT_NOT_READY() {
      const { ask, connected, send } = await request();
      const isReady = (wanted: boolean) =>
        eventually(async () => (await ask('GET', CONNECT)).body[0].payouts_enabled === wanted);
      await service().control('account', { id: connected, to: 'restricted' });
      await isReady(false);
      return {
        makes: payouts,
        async heal() {
          await service().control('account', { id: connected, to: 'ready' });
          await isReady(true);
        },
        send,
      };
    },
    async V2_PAYOUT_EXCEEDS_EARNINGS() {
      const { again, ask, send } = await request(90_000);
      let amount_cents = 0;
      return {
        makes: payouts,
        send,
        async instead(key) {
          amount_cents ||= (await ask('GET', '/v2/payouts/estimate')).body.amount_cents;
          return again('POST', REQUEST, keyed(key, { amount_cents }));
        },
      };
    },
    async V2_PAYOUT_UNKNOWN() {
      const { made, id } = await listed();
      const cancel = (payout: string) => (key: string) =>
        made.again('POST', `/v2/payouts/${payout}/cancel`, keyed(key));
      const makes = counts.rows('payouts where canceled_at is not null');
      return { makes, send: cancel(`po_${'n'.repeat(22)}`), instead: cancel(id) };
    },
    async V2_PAYOUT_NOT_PENDING() {
      const { made, id } = await listed();
      await made.submit(id);
      return {
        shows: (all) => all.find((each: { id: string }) => each.id === id).transferred_cents === 10_000,
        send: (key) => made.again('POST', `/v2/payouts/${id}/cancel`, keyed(key)),
        instead: () => made.again('GET', '/v2/payouts'),
      };
    },
    async V2_PAYOUT_CANCELED() {
      const { made, id } = await listed();
      await made.ask('POST', `/v2/payouts/${id}/cancel`);
      return {
        makes: payouts,
        send: (key) => made.again('POST', `/v2/payouts/${id}/submit`, keyed(key)),
        instead: (key) => made.again('POST', REQUEST, keyed(key, { amount_cents: 10_000 })),
      };
    },
    async V2_PAYOUT_DESTINATION_HELD() {
      const { made, id } = await listed();
      await age(made.connected, 0);
      return {
        makes: transfersTo(made),
        pass: (seconds) => age(made.connected, seconds / 3_600, true),
        send: (key) => made.again('POST', `/v2/payouts/${id}/submit`, keyed(key)),
      };
    },
    async V2_PAYOUT_QUARANTINED() {
      const { made, id } = await listed();
      const [setUp, ask] = await ownerOf(made);
      return {
        makes: payouts,
        send: (key) => ask('POST', `/v2/payouts/${id}/submit`, keyed(key)),
        async heal() {
          const { body } = await setUp('POST', CONNECT, { json: { country: 'US' } });
          await service().control('account', { id: body.processor_account_id, to: 'ready' });
          await eventually(async () => (await setUp('GET', CONNECT)).body[0].payouts_enabled);
        },
        instead: (key) => ask('POST', REQUEST, keyed(key, { amount_cents: 10_000 })),
      };
    },
    async V2_PAYOUT_UNDER_REVIEW() {
      const { made, id } = await listed();
      const event = {
        ...{ id: `evt_odd_${id}`, object: 'event', type: 'account.updated', created: 1, livemode: false },
        data: { object: { id: made.connected, object: 'account' } },
        account: made.connected,
      };
      await service().notify(event);
      await eventually(() =>
        service().db.exists(sql.unsafe`select from processor_events where id = ${event.id} and outcome = 'unreadable'`),
      );
      return {
        makes: transfersTo(made),
        heal: () =>
          service().db.query(sql.unsafe`select ops.dismiss_event(${event.id}, 'ada', 'read in the dashboard')`),
        send: (key) => made.again('POST', `/v2/payouts/${id}/submit`, keyed(key)),
      };
    },
    async V2_PAYOUT_REVERSED() {
      const { made, id } = await listed();
      service().processor.faults.add({ kind: 'reject', route: 'POST /v1/payouts', times: 1 });
      await made.submit(id);
      await made.payoutIs(id, 'failed');
      await service().control('notifications', { hold: true });
      await service().control('transfer', { id: transferOf(made) });
      return {
        makes: payouts,
        async send(key) {
          const reply = await made.again('POST', `/v2/payouts/${id}/submit`, keyed(key));
          await service().control('notifications', { hold: false });
          await made.payoutIs(id, 'reversed');
          return reply;
        },
        instead: (key) => made.again('POST', REQUEST, keyed(key, { amount_cents: 10_000 })),
      };
    },
    async V2_PAYOUT_NOT_AVAILABLE() {
      const made = await trader('DE');
      const id = await made.request(10_000);
      await made.submit(id);
      await made.payoutIs(id, 'transferred');
      let arrival: Promise<void> | undefined;
      return {
        makes: counts.atProcessor('payout', ({ detail }) => detail.account === made.connected),
        send: (key) => made.again('POST', `/v2/payouts/${id}/submit`, keyed(key)),
        async instead() {
          arrival ??= arrives(made);
          await arrival;
          return made.again('GET', '/v2/payouts');
        },
      };
    },
    async V2_CONNECT_ACCOUNT_UNKNOWN() {
      const made = await trader();
      const detach = (id: string) => (key: string) => made.again('DELETE', `${CONNECT}/${id}`, keyed(key));
      return {
        makes: counts.rows('connect_accounts where detached_at is not null'),
        send: detach('acct_nobody'),
        instead: detach(made.connected),
      };
    },
  } satisfies Record<string, () => Promise<Scene>>;

  function transferOf({ connected }: Earner): unknown {
    const entries = service().processor.ledger.entries();
    return entries.find(({ kind, detail }) => kind === 'transfer' && detail.destination === connected)?.detail.id;
  }

  /** Makes a payout account so many hours old, or (`more`) older by them. */
  async function age(account: string, hours: number, more = false): Promise<void> {
    await service().db.query(sql.unsafe`
      update connect_accounts
      set destination_at = case when ${more} then destination_at else now() end - make_interval(secs => ${3_600 * hours})
      where processor_account_id = ${account}`);
  }

  /** The owner of a stolen session resets the password and logs in. */
  async function ownerOf({ email }: Earner) {
    const { ask } = await app();
    await ask('POST', '/v2/auth/password-reset/request', { json: { email } });
    const mails = () => service().mailbox.mails(email);
    const token = await until('a reset', () =>
      mails()
        .map(({ text }) => resetTokenIn(text))
        .find(Boolean),
    );
    await ask('POST', '/v2/auth/password-reset/confirm', { json: { email, token, new_password: PASSWORD } });
    const { body } = await ask('POST', '/v2/auth/login', { json: { email, password: PASSWORD } });
    const headers = await headersOf(body.session_token);
    return [byHand(service().url, headers), asking(headers)] as const;
  }

  /** The money of a trader abroad becomes available, and the payout goes on. */
  async function arrives({ connected, userId }: Earner): Promise<void> {
    const [id] = [...service().processor.arrivals].find(([, { account }]) => account === connected) ?? [];
    await service().control('arrival', { id });
    await service().db.query(sql.unsafe`update payouts set pay_after = now() where user_id = ${userId}`);
    const made = counts.atProcessor('payout', ({ detail }) => detail.account === connected);
    await eventually(async () => {
      await service().runTask('payouts/reconcile');
      return (await made()) === 1;
    });
  }
}
