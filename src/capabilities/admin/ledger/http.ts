import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { pendingHeaders } from '../../../intents/follow.ts';
import { CSV_TYPE } from '../../../kernel/csv.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { listPage, pageBehind, slicePage } from '../../../kernel/pages.ts';
import { requestProof } from '../../ledger/commands.ts';
import { listDifferences } from '../../ledger/queries.ts';
import { actorOf } from '../audit/actor.ts';
import { note } from '../audit/commands.ts';
import { closeOf } from './close.ts';
import { type Balance, listAccounts, listBalances, listEntries, readMonth } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/ledger/accounts`: list the accounts of the ledger. */
export const listLedgerAccounts: Handler<'listLedgerAccounts', Deps> = async ({ deps, query }) => {
  const shown = {
    path: '/v2/admin/ledger/accounts',
    cursorOf: ({ account_id }: { account_id: number }) => String(account_id),
  };
  return slicePage(query, shown, await listAccounts(deps.db));
};

/** Handles `GET /v2/admin/ledger/balances`: list balances as of a time. */
export const listLedgerBalances: Handler<'listLedgerBalances', Deps> = async ({ deps, query }) => {
  const shown = {
    path: '/v2/admin/ledger/balances',
    cursorOf: ({ account, payout_account, currency }: Balance) => `${account} ${payout_account} ${currency}`,
  };
  return slicePage(query, shown, await listBalances(deps.db, query));
};

/** Handles `GET /v2/admin/ledger/differences`: list where the ledger and the processor differ. */
export const listLedgerDifferences: Handler<'listLedgerDifferences', Deps> = async ({ deps, query }) =>
  pageBehind(query, { path: '/v2/admin/ledger/differences', placeAt }, await listDifferences(deps.db));

const placeAt = ({ since: at, subject, currency }: { since: string; subject: string; currency: string }) => ({
  at,
  id: `${subject}:${currency}`,
});

/** Handles `POST /v2/admin/ledger/proof`: compare the ledger with the processor now. */
export const proveLedger: Handler<'proveLedger', Deps> = (call) =>
  call.commit(async (db) => {
    await requestProof(db);
    await note(db, { actor: actorOf(call), action: 'ledger/prove', why: call.body.reason }, null);
    return { status: 202, body: { status: 'pending' }, headers: pendingHeaders('/v2/admin/ledger/differences') };
  });

/** Handles `GET /v2/admin/ledger/entries`: list entries of the ledger. */
export const listLedgerEntries: Handler<'listLedgerEntries', Deps> = ({ deps, query }) => {
  const shown = {
    path: '/v2/admin/ledger/entries',
    cursorOf: ({ entry_id }: { entry_id: string }) => entry_id,
    isKnown: async (id: string) => /^\d{1,18}$/.test(id),
  };
  return listPage(query, shown, (page) => listEntries(deps.db, { ...query, ...page }));
};

const MOST_LINES = 200_000; // of one file, which is made in memory

/** Handles `GET /v2/admin/ledger/months/{month}`: close a month, as a CSV file. */
export const closeLedgerMonth: Handler<'closeLedgerMonth', Deps> = async ({ deps: { db }, path, query }) => {
  const [from, until] = [startOf(path.month, 0), startOf(path.month, 1)];
  const { opening, lines, closing } = await readMonth(db, { ...query, from, until }, MOST_LINES + 1);
  if (lines.length > MOST_LINES) throw tooLong(query.app_id);
  return {
    status: 200,
    body: closeOf(opening, lines, closing),
    headers: {
      'Content-Type': CSV_TYPE,
      'Content-Disposition': `attachment; filename="ledger-${path.month}.csv"`,
    },
  };
};

const tooLong = (appId: string | undefined) =>
  new ApiError('INVALID_REQUEST', {
    fields: [
      appId === undefined
        ? { loc: ['query', 'app_id'], msg: 'is needed: the month of all apps is too long', type: 'too_long' }
        : {
            loc: ['path', 'month'],
            msg: 'is too long for one file, also of one app: list its entries',
            type: 'too_long',
          },
    ],
  });

/** The start of a month, or of one after it, in UTC. */
function startOf(month: string, later: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + later)).toISOString();
}
