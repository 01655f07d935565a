import { sql } from 'slonik';
import { bearer } from '../identity.ts';
import { accountIn, checkOut, eventually, tier25k, tierDemo } from '../money.ts';
import type { Trading } from '../trading.ts';
import { keyed, type Scenes, type Stage } from './scene.ts';
import { problemOf } from './told.ts';

const CREATE = 'create-subaccount';
const ACCOUNTS = '/v2/admin/prop-accounts';
const reason = 'the customer wrote';

/** Accounts that were paid and not made, and how operators recover them. */
export function accountScenes({ service, asking, counts }: Stage): Scenes {
  const operator = async () => asking(bearer((await service().admin()).token));
  /** A user whose paid account is in this state, and its payment. */
  const paidFor = async (status: string) => {
    const user = await service().user(service().tenant);
    const { payment_id, processor_payment_intent_id: processorId } = await checkOut(user.ask, tier25k);
    await service().control('payment', { id: processorId, to: 'succeeded' });
    const { id } = await accountIn(user.ask, status);
    return { ...user, id, payment_id, processorId, at: `${ACCOUNTS}/${id}` };
  };
  const failed = () => {
    service().miner.faults.add({ kind: 'reject', route: CREATE, times: 1 });
    return paidFor('subaccount_failed');
  };
  const attached = (id: string) => counts.rows(`prop_accounts where id = '${id}' and synthetic_hotkey is not null`);
  const ambiguous = () => ambiguousAccount(service());
  return {
    async V2_ACCOUNT_NOT_FAILED() {
      const [{ ask: user, id, at }, ask] = [await paidFor('evaluation'), await operator()];
      return {
        shows: ({ status }) => status === 'evaluation',
        send: (key) => ask('POST', `${at}/provision`, keyed(key, { reason })),
        instead: () => user('GET', `/v2/payments/prop-accounts/${id}`),
      };
    },
    async V2_ACCOUNT_OWES() {
      const [{ ask: user, id, at }, ask] = [await failed(), await operator()];
      return {
        makes: counts.rows(`operator_actions where prop_account_id = '${id}' and action = 'provision_again'`),
        send: (key) => ask('POST', `${at}/abandon`, keyed(key, { reason })),
        async instead(key) {
          const { body } = await ask('GET', `${ACCOUNTS}/failed?limit=200`);
          const found = body.find((each: { id: string }) => each.id === id) ?? { safe_action: 'provision again' };
          if (!/^provision again/.test(found.safe_action)) throw new Error(found.safe_action);
          const reply = await ask('POST', `${at}/provision`, keyed(key, { reason }));
          await accountIn(user, 'evaluation'); // else it takes the fault of the next scene
          return reply;
        },
      };
    },
    async V2_PAYMENT_RETURNED() {
      const [{ ask: user, at, payment_id, processorId }, ask] = [await failed(), await operator()];
      await service().control('payment', { id: processorId, to: 'refunded' });
      await eventually(async () => (await user('GET', `/v2/payments/${payment_id}`)).body.status === 'refunded');
      return {
        shows: ({ status }) => status === 'subaccount_failed',
        send: (key) => ask('POST', `${at}/provision`, keyed(key, { reason })),
        instead: (key) => ask('POST', `${at}/abandon`, keyed(key, { reason })),
      };
    },
    async V2_RECOVERY_UNPROVEN() {
      const [{ id, at, ours }, ask] = [await ambiguous(), await operator()];
      return {
        makes: attached(id),
        send: (key) => ask('POST', `${at}/provision`, keyed(key, { reason })),
        instead: (key) => ask('POST', `${at}/attach`, keyed(key, { subaccount_id: ours, reason })),
      };
    },
    async V2_SUBACCOUNT_INVALID() {
      const [{ id, at, ours }, ask] = [await ambiguous(), await operator()];
      const [wrong] = service().miner.addSubaccounts(1, { size: 5_000 });
      const attach = (subaccount_id: unknown) => (key: string) =>
        ask('POST', `${at}/attach`, keyed(key, { subaccount_id, reason }));
      return { makes: attached(id), send: attach(wrong), instead: attach(ours) };
    },
  };
}

/** What only the intent tells of the creation of an account. */
export function ambiguousScenes({ service }: Stage): Scenes {
  return {
    async SUBACCOUNT_AMBIGUOUS() {
      const [{ ask, id, at, ours }, admin] = [await ambiguousAccount(service()), await service().admin()];
      const intent = await service().db.oneFirst(
        sql.unsafe`select intent_id::text from prop_accounts where id = ${id}`,
      );
      return {
        effect: 'unknown',
        shows: ({ status }) => status === 'evaluation',
        send: () => problemOf(service().tenant.ask, String(intent)),
        async heal() {
          await admin.ask('POST', `${at}/attach`, { json: { subaccount_id: ours, reason } });
          await accountIn(ask, 'evaluation');
        },
        instead: () => ask('GET', `/v2/payments/prop-accounts/${id}`),
      };
    },
  };
}

/** A free account whose subaccount was made, unheard, beside an equal one of somebody else; and the subaccount that is its own. */
async function ambiguousAccount(service: Trading) {
  const { miner } = service;
  const user = await service.user(service.tenant);
  const made = () => miner.ledger.entries().filter(({ kind }) => kind === 'subaccount');
  const before = made().length;
  miner.faults.add({ kind: 'accept_then_drop', route: CREATE, times: 1 });
  miner.faults.add({ kind: 'status_500', route: '/entity/' });
  const opening = user.ask('POST', '/v2/payments/free', { json: tierDemo });
  await eventually(async () => made().length > before);
  const ours = made().at(-1)?.subaccount_id;
  miner.addSubaccounts(1);
  miner.faults.clear();
  await opening;
  const { id } = await accountIn(user.ask, 'subaccount_failed');
  return { ask: user.ask, id, at: `${ACCOUNTS}/${id}`, ours };
}
