import type { NewLink } from '../../src/adapters/processor/types.ts';
import { carryOut } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordLink } from '../../src/payouts/outcomes.ts';
import { getConnectUrls } from '../../src/payouts/queries.ts';
import { processorOf } from '../../src/runtime.ts';

/** Makes one link to where a user completes the account, under the intent's id as idempotency key. */
const link: Task = ({ intent_id }, runtime) =>
  carryOut<{ link: NewLink }, { url: string }>(runtime, intent_id, {
    async prepare({ owner, asked }) {
      const { return_url: returnUrl, refresh_url: refreshUrl } = await getConnectUrls(runtime.db, owner);
      if (!returnUrl || !refreshUrl) return { problem: { code: 'V2_CONNECT_URLS_NOT_CONFIGURED' } };
      return { send: { link: { accountId: String(asked.processor_account_id), returnUrl, refreshUrl } } };
    },
    send: (sent) => processorOf(runtime).createLink(sent.link, intent_id),
    record: (intent, _sent, answer) => recordLink(runtime, intent, answer),
  });

export default link;
