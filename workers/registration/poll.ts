import type { Task } from '../../src/intents/task.ts';
import { lookAt } from '../../src/registration/lookups.ts';
import type { SentPurchase } from '../../src/registration/paying.ts';
import { findSent, getRegistration } from '../../src/registration/queries.ts';

/** Looks once at a registration that is not final, or whose refused payment could still be settled; plans the next look. */
const poll: Task<{ registration_id: string; look: number }> = async ({ registration_id, look }, runtime) => {
  const sent = await findSent(runtime.db, registration_id);
  if (!sent) return;
  const registration = await getRegistration(runtime.db, registration_id);
  if (registration.polls !== look) return; // another one of this number was faster
  await lookAt(runtime, registration, sent as SentPurchase); // as: the purchase wrote it
};

export default poll;
