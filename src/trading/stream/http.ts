import type { Handler } from '../../edge/handler.ts';
import { callerId, type Principal } from '../../kernel/principal.ts';
import { readOrderPage } from '../../orders/network/queries.ts';
import { readOpenPositions } from '../../portfolio/network/queries.ts';
import { getReadyAccount } from '../accounts.ts';
import { placeOf } from './rules.ts';

const MOST_ORDERS = 200; // of a snapshot

export const streamTradingEvents: Handler<'streamTradingEvents'> = async (call) => {
  const { runtime, principal, query, header } = call;
  const account = await getReadyAccount(call);
  const feed = await runtime.streams.open({
    account: account.id,
    caller: callerId(principal),
    grounds: groundsOf(principal),
    after: placeOf(account.id, header['Last-Event-ID']),
    intervalMs: query.interval_ms ?? 0,
    async snapshot() {
      const open = { open: true, cursor: null, limit: MOST_ORDERS };
      const [positions, orders] = await Promise.all([
        readOpenPositions(runtime.reads, account.hotkey),
        readOrderPage(runtime, account.owner, account.hotkey, open),
      ]);
      const { id: prop_account_id, status, account_size } = account;
      return { prop_account_id, status, account_size, positions, orders: orders.map((order) => order.status) };
    },
  });
  return { status: 200, body: feed };
};

/** What has to stay good for a stream to go on: what it was opened with. */
function groundsOf(principal: Principal): string[] {
  if (principal.kind === 'trader') return [`key ${principal.keyId}`];
  if (principal.kind === 'user') return [`session ${principal.sessionId}`, ...groundsOf(principal.app)];
  return principal.kind === 'app' && principal.tokenDigest !== null ? [`token ${principal.tokenDigest}`] : [];
}
