import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import type { PartnerId } from '../../../kernel/ids.ts';
import { type Principal, partnerOf } from '../../../kernel/principal.ts';
import type { Streams } from '../../streams/hub.ts';
import { positionOf } from '../../streams/rules.ts';
import { findEventAt } from './queries.ts';

type Deps = { db: Db; partnerStreams: Streams };

/** Handles `GET /v1/stream`: opens an event stream of the partner. */
export const streamPartnerEvents: Handler<'streamPartnerEvents', Deps> = async ({ deps, principal, query, header }) => {
  const { owner, caller, credentials } = readerOf(principal);
  const events = await deps.partnerStreams.open({
    owner,
    subject: owner,
    caller,
    credentials,
    after: positionOf(owner, header['Last-Event-ID'] ?? query.last_event_id),
    intervalMs: query.interval_ms ?? 0,
    snapshot: async (at) => ({ partner_id: owner, last_event_id: await findEventAt(deps.db, owner, at) }),
  });
  return { status: 200, body: events, ...(principal.kind === 'ticket' && { headers: ANY_PAGE }) };
};

/** A ticket is no cookie: a page that has one may read its stream, wherever the page is from. */
const ANY_PAGE = { 'Access-Control-Allow-Origin': '*' };

function readerOf(principal: Principal): { owner: PartnerId; caller: string; credentials: string[] } {
  if (principal.kind === 'ticket') {
    const { owner, caller, credentials } = principal;
    return { owner: owner as PartnerId, caller, credentials }; // as: without an account it is a partner's
  }
  const { owner, keyId } = partnerOf(principal);
  return { owner, caller: keyId, credentials: [keyId] };
}
