import type { Task } from '../../src/intents/task.ts';
import { forgetExpired } from '../../src/users/sessions/intents.ts';

/** Forgets codes, tokens, sessions and sign-ups that have expired. */
const forget: Task<unknown> = (_payload, { db }) => forgetExpired(db);

export default forget;
