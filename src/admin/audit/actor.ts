import type { Call } from '../../edge/handler.ts';
import { adminOf } from '../../kernel/principal.ts';
import type { Actor } from './commands.ts';

/** The actor of a call that an operator makes. */
export const actorOf = ({
  principal,
  address,
  requestId,
}: Pick<Call, 'principal' | 'address' | 'requestId'>): Actor => ({
  adminId: adminOf(principal).adminId,
  address,
  requestId,
});
