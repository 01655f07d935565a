import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { partnerOf } from '../../../kernel/principal.ts';
import type { Streams } from '../../streams/hub.ts';
import { positionOf } from '../../streams/rules.ts';
import { findEventAt } from './queries.ts';

type Deps = { db: Db; partnerStreams: Streams };

/** Handles `GET /v1/stream`: opens an event stream of the partner. */
export const streamPartnerEvents: Handler<'streamPartnerEvents', Deps> = async ({ deps, principal, query, header }) => {
  const { owner, keyId } = partnerOf(principal);
  const events = await deps.partnerStreams.open({
    owner,
    subject: owner,
    caller: keyId,
    credentials: [keyId],
    after: positionOf(owner, header['Last-Event-ID']),
    intervalMs: query.interval_ms ?? 0,
    snapshot: async (at) => ({ partner_id: owner, last_event_id: await findEventAt(deps.db, owner, at) }),
  });
  return { status: 200, body: events };
};
