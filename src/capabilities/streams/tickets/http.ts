import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { partnerOf } from '../../../kernel/principal.ts';
import { issueTicket } from './commands.ts';

type Deps = { db: Db };

/** Handles `POST /v1/stream-tickets`: issue a ticket for one stream of the partner. */
export const issuePartnerStreamTicket: Handler<'issuePartnerStreamTicket', Deps> = async ({ deps, principal }) => {
  const { owner, keyId } = partnerOf(principal);
  const issued = await issueTicket(deps.db, { owner, caller: keyId, credentials: [keyId], propAccountId: null });
  return { status: 200, body: issued };
};
