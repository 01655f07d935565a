import { type VerifyDeps, verifyKeys } from '../../src/capabilities/enrollments/verify.ts';
import type { Task } from '../../src/intents/task.ts';

const verify: Task<unknown, VerifyDeps> = (_payload, deps) => verifyKeys(deps);

export default verify;
