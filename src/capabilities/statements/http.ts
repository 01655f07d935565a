import type { Call, Handler } from '../../contract/handler.ts';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import { CSV_TYPE, csvLine } from '../../kernel/csv.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import { knownCursor, listPage, type Page } from '../../kernel/pages.ts';
import { requirePeriod } from '../../kernel/period.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { TextStream } from '../../kernel/text-stream.ts';
import type { StreamLimit } from '../streams/limit.ts';
import { hasLine, listLines, maySee, type StatementFilter, type StatementLine } from './queries.ts';

type Deps = { db: Db; streamLimit: StreamLimit };
type Schemas = components['schemas'];

const LINES_AT_ONCE = 1_000; // of a CSV: what is read, and held in memory, before it is sent

/** Handles `GET /v1/statements`: a page of the partner's statement, or all of it as CSV. */
export const listPartnerStatement: Handler<'listPartnerStatement', Deps> = (call) =>
  statement(call, '/v1/statements', ofPartner);

/** Handles `GET /v2/statements`: a page of the app's statement, or all of it as CSV. */
export const listAppStatement: Handler<'listAppStatement', Deps> = (call) => statement(call, '/v2/statements', ofApp);

type StatementCall = Pick<Call<'listPartnerStatement' | 'listAppStatement', Deps>, 'deps' | 'principal' | 'accepts'> & {
  query: StatementFilter & { limit?: number; cursor?: string };
};
type AnyLine = Schemas['PartnerStatementLine'] | Schemas['AppStatementLine'];
type Show<Line> = { columns: (keyof Line & string)[]; of(line: StatementLine): Line };

async function statement<Line extends AnyLine>(
  call: StatementCall,
  path: string,
  show: Show<Line>,
): Promise<Page<Line> | { status: 200; body: TextStream; headers?: never }> {
  const { deps, principal, query } = call;
  const { owner } = principal as { owner: OwnerId };
  requirePeriod(query);
  const isKnown = (id: string) => hasLine(deps.db, owner, id);
  if (call.accepts('json', CSV_TYPE) === CSV_TYPE) {
    const wanted = { ...query, cursor: await knownCursor(query, isKnown) };
    return { status: 200, body: await csv(deps, principal, wanted, show) };
  }
  return listPage(query, { path, cursorOf: ({ id }: Line) => id, isKnown }, async (page) =>
    (await listLines(deps.db, owner, query, page)).map(show.of),
  );
}

/**
 * A whole statement. It is read in batches, each when the reader has taken the one before, and no connection is held in
 * between. The first batch is read at once, so that a fault is an error and not a broken file. It breaks off once its caller is
 * disabled, or the credentials have ended.
 */
async function csv<Line extends AnyLine>(
  { db, streamLimit }: Deps,
  principal: Principal,
  { limit: _, cursor, ...filter }: StatementFilter & { limit?: number; cursor: string | null },
  { columns, of }: Show<Line>,
): Promise<TextStream> {
  const { owner } = principal as { owner: OwnerId };
  const read = (after: string | null) => listLines(db, owner, filter, { cursor: after, limit: LINES_AT_ONCE });
  const textOf = (line: StatementLine) => csvLine(columns.map((column) => of(line)[column] as string | number | null));
  async function* made() {
    const release = streamLimit.take(owner, `statement ${owner}`);
    try {
      let lines = await read(cursor);
      yield '';
      yield csvLine(columns);
      for (;;) {
        yield lines.map(textOf).join('');
        const last = lines.at(-1);
        if (!last || lines.length < LINES_AT_ONCE) return;
        if (!(await maySee(db, principal))) throw new Error('The caller of a statement may read no more');
        lines = await read(last.id);
      }
    } finally {
      release();
    }
  }
  const texts = made();
  await texts.next(); // a generator that has not begun would end without its `finally`, and keep the slot
  return { type: CSV_TYPE, name: 'statement.csv', texts };
}

const ofPartner: Show<Schemas['PartnerStatementLine']> = {
  columns: [
    ...(['id', 'kind', 'what', 'at', 'venue', 'trader_id', 'reference', 'pair'] as const),
    ...(['side', 'quantity', 'price', 'amount', 'currency'] as const),
  ],
  of: ({ kind, what, account, user_id: _, ...line }) =>
    ({ ...line, kind, what, trader_id: account }) as Schemas['PartnerStatementLine'], // as: a partner has no other kinds
};

const ofApp: Show<Schemas['AppStatementLine']> = {
  columns: [
    ...(['id', 'kind', 'what', 'at', 'user_id', 'prop_account_id', 'reference', 'pair'] as const),
    ...(['side', 'quantity', 'price', 'amount_cents', 'currency'] as const),
  ],
  of: ({ kind, what, account, amount, venue: _, ...line }) =>
    ({
      ...line,
      kind,
      what,
      prop_account_id: account,
      amount_cents: amount === null ? null : Number(amount),
    }) as Schemas['AppStatementLine'], // as: an app has no other kinds
};
