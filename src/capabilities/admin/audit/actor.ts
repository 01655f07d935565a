import type { Call } from '../../../contract/handler.ts';
import { adminOf } from '../../../kernel/principal.ts';
import type { Actor } from './commands.ts';

/** The actor of a call that an operator makes. */
export const actorOf = (call: Pick<Call, 'principal' | 'address' | 'requestId'>): Actor =>
  actorAs(call, adminOf(call.principal).adminId);

/** The actor of a log-in: the operator whose password was right, else null. */
export const actorAs = (
  { address, requestId }: Pick<Call, 'address' | 'requestId'>,
  adminId: string | null,
): Actor => ({
  adminId,
  address,
  requestId,
});
