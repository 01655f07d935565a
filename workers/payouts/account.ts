import type { AccountSeen, NewAccount } from '../../src/adapters/processor/types.ts';
import { carryOut } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordAccount } from '../../src/payouts/outcomes.ts';
import { listConnectAccounts } from '../../src/payouts/queries.ts';
import { processorOf } from '../../src/runtime.ts';

/** Makes a user's account at the processor, under the intent's id as idempotency key. A user has one. */
const account: Task = ({ intent_id }, runtime) =>
  carryOut<{ account: NewAccount }, AccountSeen>(runtime, intent_id, {
    async prepare({ owner, asked }) {
      const userId = String(asked.user_id);
      const standing = await listConnectAccounts(runtime.db, owner, userId);
      if (standing.length > 0) return { problem: { code: 'V2_CONNECT_ACCOUNT_EXISTS' } };
      return { send: { account: { userId, appId: owner, country: String(asked.country) } } };
    },
    send: (sent) => processorOf(runtime).createAccount(sent.account, intent_id),
    record: (intent, _sent, answer) => recordAccount(runtime.db, intent, answer),
  });

export default account;
