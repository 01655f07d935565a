import type { NewVerification, VerificationSeen } from '../../src/adapters/processor/types.ts';
import { lookUp } from '../../src/intents/carry-out.ts';
import { askAgain } from '../../src/intents/keyed.ts';
import type { Task } from '../../src/intents/task.ts';
import { applyVerification, recordSession } from '../../src/kyc/outcomes.ts';
import { takeOpenSessions } from '../../src/kyc/queries.ts';
import { processorOf, type WorkerRuntime } from '../../src/runtime.ts';

const MOST = 50; // looks per run; the processor tells nearly all by itself

/** With an intent: looks up what came of it. Without, from the crontab: looks at verifications that are open. */
const reconcile: Task<{ intent_id?: string }> = async ({ intent_id }, runtime) => {
  if (intent_id === undefined) return lookAtOpen(runtime);
  await lookUp<{ verification: NewVerification }, VerificationSeen>(
    runtime,
    intent_id,
    (intent, { verification }) =>
      askAgain(intent, () => processorOf(runtime).createVerification(verification, intent_id)),
    (intent, _sent, answer) => recordSession(runtime, intent, answer),
  );
};

export default reconcile;

async function lookAtOpen({ db, processor, config }: WorkerRuntime): Promise<void> {
  if (!processor) return;
  for (const { session_id } of await takeOpenSessions(db, config.PAYMENT_LOOK_MS / 1000, MOST)) {
    const lookedAt = Date.now();
    const seen = await processor.findVerification(session_id);
    if (seen.kind === 'found') await applyVerification(db, seen.said, lookedAt);
  }
}
