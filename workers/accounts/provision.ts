import { recordSubaccount } from '../../src/accounts/outcomes.ts';
import { findAccountOfIntent } from '../../src/accounts/prop/queries.ts';
import { needsOperator } from '../../src/accounts/rules.ts';
import type { NewSubaccount, Subaccount } from '../../src/adapters/netvenue/types.ts';
import { carryOut, type Ready } from '../../src/intents/carry-out.ts';
import type { Intent } from '../../src/intents/intent.ts';
import type { Task } from '../../src/intents/task.ts';
import { unreachable } from '../../src/kernel/answer.ts';
import type { WorkerRuntime } from '../../src/runtime.ts';

type Sent = { subaccount: NewSubaccount; entity: string };

/** Makes one subaccount at the network. After a possible send it is only ever looked for, never made again. */
const provision: Task = ({ intent_id }, runtime) =>
  carryOut<Sent, Subaccount>(runtime, intent_id, {
    prepare: (intent) => prepare(runtime, intent),
    async send({ subaccount, entity }, limits) {
      const venue = await runtime.venues.of(entity);
      return venue ? venue.createSubaccount(subaccount, limits) : unreachable('no key for the entity');
    },
    async record(intent, { subaccount, entity }, answer) {
      if (answer.kind === 'rejected' && needsOperator(answer.slug))
        runtime.log.error(
          { alert: 'network_refuses_subaccounts', intent_id, entity, reason: answer.slug },
          'operators must look',
        );
      await recordSubaccount(runtime.db, intent, subaccount, entity, answer);
    },
  });

export default provision;

/** Nothing is made for an account whose money is gone by now. */
async function prepare({ db, venues }: WorkerRuntime, intent: Intent): Promise<Ready<Sent>> {
  const account = intent.asked.prop_account_id === undefined ? null : await findAccountOfIntent(db, intent.id);
  if (account && account.status !== 'provisioning') return { problem: { code: 'V2_ACCOUNT_STOPPED' } };
  const entity = await venues.entityOf(intent.owner);
  return { send: { subaccount: intent.asked.subaccount as NewSubaccount, entity } };
}
