import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { pendingHeaders } from '../../../intents/follow.ts';
import { CSV_TYPE } from '../../../kernel/csv.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { listPage, slicePage } from '../../../kernel/pages.ts';
import { adminOf } from '../../../kernel/principal.ts';
import { requestProof } from '../../ledger/commands.ts';
import { listDifferences } from '../../ledger/queries.ts';
import { note } from '../audit/commands.ts';
import { closeOf } from './close.ts';
import { listAccounts, listBalances, listEntries, readMonth } from './queries.ts';

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
  const { as_of = null, known_at = null, app_id = null } = query;
  const balances = await listBalances(deps.db, { as_of, known_at, app_id });
  return slicePage(
    query,
    {
      path: '/v2/admin/ledger/balances',
      cursorOf: ({ account, payout_account, currency }) => `${account} ${payout_account} ${currency}`,
    },
    balances,
  );
};

/** Handles `GET /v2/admin/ledger/differences`: list where the ledger and the processor differ. */
export const listLedgerDifferences: Handler<'listLedgerDifferences', Deps> = async ({ deps, query }) =>
  slicePage(
    query,
    { path: '/v2/admin/ledger/differences', cursorOf: ({ subject, currency }) => `${subject} ${currency}` },
    await listDifferences(deps.db),
  );

/** Handles `POST /v2/admin/ledger/proof`: compare the ledger with the processor now. */
export const proveLedger: Handler<'proveLedger', Deps> = ({ principal, body, address, requestId, commit }) => {
  const actor = { adminId: adminOf(principal).adminId, address, requestId };
  return commit(async (db) => {
    await requestProof(db);
    await note(db, { actor, action: 'ledger/prove', why: body.reason }, null);
    return { status: 202, body: { status: 'pending' }, headers: pendingHeaders('/v2/admin/ledger/differences') };
  });
};

/** Handles `GET /v2/admin/ledger/entries`: list entries of the ledger. */
export const listLedgerEntries: Handler<'listLedgerEntries', Deps> = ({ deps, query }) => {
  const { subject = null, app_id = null, account = null } = query;
  const shown = {
    path: '/v2/admin/ledger/entries',
    cursorOf: ({ entry_id }: { entry_id: string }) => entry_id,
    isKnown: async (id: string) => /^\d{1,18}$/.test(id),
  };
  return listPage(query, shown, (page) => listEntries(deps.db, { subject, app_id, account, ...page }));
};

const MOST_LINES = 200_000; // of one file, which is made in memory

/** Handles `GET /v2/admin/ledger/months/{month}`: close a month, as a CSV file. */
export const closeLedgerMonth: Handler<'closeLedgerMonth', Deps> = async ({ deps: { db }, path, query }) => {
  const { app_id = null, known_at = null } = query;
  const [from, until] = [startOf(path.month, 0), startOf(path.month, 1)];
  const { opening, lines, closing } = await readMonth(db, { from, until, known_at, app_id }, MOST_LINES + 1);
  if (lines.length > MOST_LINES)
    throw new ApiError('INVALID_REQUEST', {
      fields: [{ loc: ['query', 'app_id'], msg: 'is needed: the month of all apps is too long', type: 'too_long' }],
    });
  return {
    status: 200,
    body: closeOf(opening, lines, closing),
    headers: {
      'Content-Type': CSV_TYPE,
      'Content-Disposition': `attachment; filename="ledger-${path.month}.csv"`,
    },
  };
};

/** The start of a month, or of one after it, in UTC. */
function startOf(month: string, later: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + later)).toISOString();
}
