import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { callerId, type Principal } from '../../../kernel/principal.ts';
import { readOpenOrders } from '../../../venues/network/orders/read-model.ts';
import { readOpenPositions } from '../../../venues/network/portfolio/read-model.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { findAnyPropAccount } from '../../accounts/prop/queries.ts';
import type { Streams } from '../../streams/hub.ts';
import { positionOf } from '../../streams/rules.ts';
import { issueTicket } from '../../streams/tickets/commands.ts';
import { byEvent, getReadyAccount } from '../accounts.ts';

type Deps = { db: Db; reads: VenueReads; streams: Streams };

/** Opens an event stream of a prop account. */
export const streamTradingEvents: Handler<'streamTradingEvents', Deps> = async (call) => {
  const { deps, principal, query, header } = call;
  const lastEventId = header['Last-Event-ID'] ?? query.last_event_id;
  const account = await getReadyAccount(call, byEvent(lastEventId));
  const events = await deps.streams.open({
    owner: account.owner,
    subject: account.id,
    caller: callerId(principal),
    credentials: credentialsOf(principal),
    after: positionOf(account.id, lastEventId),
    intervalMs: query.interval_ms ?? 0,
    async snapshot() {
      const [now, positions, orders] = await Promise.all([
        findAnyPropAccount(deps.db, account.id), // its status may have moved before the position at which the stream begins
        readOpenPositions(deps.reads, account.hotkey),
        readOpenOrders(deps, account.owner, account.hotkey),
      ]);
      const { id: prop_account_id, status, account_size } = now ?? account;
      return { prop_account_id, status, account_size, positions, orders };
    },
  });
  return { status: 200, body: events };
};

/** Handles `POST /v2/stream-tickets`: issue a ticket for one stream of a prop account. */
export const issueTradingStreamTicket: Handler<'issueTradingStreamTicket', { db: Db }> = async (call) => {
  const { id, owner } = await getReadyAccount(call);
  const { deps, principal } = call;
  const issued = await issueTicket(deps.db, {
    owner,
    caller: callerId(principal),
    credentials: credentialsOf(principal),
    propAccountId: id,
  });
  return { status: 200, body: issued };
};

/** The credentials that opened a stream. The stream ends when one of them becomes invalid. */
function credentialsOf(principal: Principal): string[] {
  if (principal.kind === 'ticket') return principal.credentials;
  if (principal.kind === 'trader') return [`key ${principal.keyId}`];
  if (principal.kind === 'user') return [`session ${principal.sessionId}`, ...credentialsOf(principal.app)];
  return principal.kind === 'app' && principal.tokenDigest !== null ? [`token ${principal.tokenDigest}`] : [];
}
