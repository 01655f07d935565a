import type { NewVerification, VerificationSeen } from '../../src/adapters/processor/types.ts';
import { carryOut } from '../../src/intents/carry-out.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordSession } from '../../src/kyc/outcomes.ts';
import { getVerificationTerms } from '../../src/kyc/queries.ts';
import { processorOf } from '../../src/runtime.ts';

/** Makes one verification session at the processor, under the intent's id as idempotency key. */
const session: Task = ({ intent_id }, runtime) =>
  carryOut<{ verification: NewVerification }, VerificationSeen>(runtime, intent_id, {
    async prepare({ owner, asked }) {
      const { verification_level, return_url } = await getVerificationTerms(runtime.db, owner);
      const withSelfie = verification_level === 'full';
      return {
        send: { verification: { userId: String(asked.user_id), appId: owner, withSelfie, returnUrl: return_url } },
      };
    },
    send: ({ verification }) => processorOf(runtime).createVerification(verification, intent_id),
    record: (intent, _sent, answer) => recordSession(runtime, intent, answer),
  });

export default session;
