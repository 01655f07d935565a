import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClientBase } from 'pg';
import { type Calls, digestOfCalls, missingCalls, parseCalls } from './calls.ts';
import { readCatalog } from './catalog.ts';

/** Code that goes on working during and after a release: whose it is, and what it calls. */
export type Protected = { by: string; calls: Calls };

const LIVING_S = 60; // a process reports every few seconds

/**
 * The code that a release must not break: that of the release before, to which processes may be rolled back, and that of
 * every process that runs. The code that is being released is not among it.
 */
export async function readProtected(client: ClientBase, ours: Calls): Promise<Protected[]> {
  const { rows: known } = await client.query(`select to_regclass('code_calls') is not null as is_known`);
  if (!known[0].is_known) return [];
  const { rows } = await client.query<{ by: string; calls: unknown }>(
    `select 'version ' || c.version || ' (released ' || to_char(c.released_at, 'YYYY-MM-DD HH24:MI') || ')' as by, c.calls
     from (
       select r.*
       from code_calls r
       where r.digest <> $1 and r.released_at is not null
       order by r.released_at desc
       limit 1
     ) c
     union all
     select 'a running process of version ' || c.version || ' (' || min(p.kind || ' ' || p.instance) || ')', c.calls
     from processes p
     join code_calls c on c.digest = p.calls
     where c.digest <> $1 and p.seen_at > now() - make_interval(secs => $2)
     group by c.digest`,
    [digestOfCalls(ours), LIVING_S],
  );
  return rows.map(({ by, calls }) => ({ by, calls: parseCalls(calls) }));
}

/** Whether any of this code calls a function or reads a view of this name. */
export const isCalled = (name: string, by: Protected[]): boolean =>
  by.some(({ calls }) => name in calls.functions || name in calls.relations);

/** Throws if code that worked before a change misses something after it. */
export async function checkStillServed(
  client: ClientBase,
  {
    protectedCode,
    before,
    tasks,
  }: { protectedCode: Protected[]; before: Pick<Calls, 'functions' | 'relations'>; tasks: string[] },
): Promise<void> {
  rejectMissing(protectedCode, before, { ...(await readCatalog(client)), tasks });
}

/** As `checkStillServed`, before anything is changed, by what this release calls itself: its signatures and its tasks. */
export async function checkCalled(client: ClientBase, ours: Calls, protectedCode: Protected[]): Promise<void> {
  if (protectedCode.length === 0) return;
  const before = await readCatalog(client);
  const functions = { ...before.functions, ...ours.functions };
  rejectMissing(protectedCode, before, { functions, relations: before.relations, tasks: ours.tasks });
}

function rejectMissing(protectedCode: Protected[], before: Pick<Calls, 'functions' | 'relations'>, after: Calls): void {
  for (const { by, calls } of protectedCode) {
    const lacked = new Set(missingCalls(calls, { ...before, tasks: calls.tasks }));
    reject(
      by,
      missingCalls(calls, after).filter((name) => !lacked.has(name)),
    );
  }
}

/** Throws if a numbered file that is still to be applied takes away a table or column that other code calls. */
export async function checkPending(client: ClientBase, files: string[], protectedCode: Protected[]): Promise<void> {
  if (protectedCode.length === 0) return;
  const { rows } = await client.query<{ name: string }>('select m.name from migrations m');
  const applied = new Set(rows.map(({ name }) => name));
  for (const file of files.filter((each) => !applied.has(path.basename(each, '.sql')))) {
    const taken = takenAway(await readFile(file, 'utf8'));
    for (const { by, calls } of protectedCode)
      reject(
        by,
        taken
          .filter(({ relation, column }) => {
            const columns = calls.relations[relation];
            return columns !== undefined && (column === null || column in columns);
          })
          .map(
            ({ relation, column }) =>
              `${column === null ? 'relation ' : `column ${relation}.`}${column ?? relation} (${path.basename(file)})`,
          ),
      );
  }
}

/** The tables and columns that the statements of a numbered file drop, rename or change in type. */
export function takenAway(text: string): { relation: string; column: string | null }[] {
  const statements = text.replace(/--.*$/gm, '').toLowerCase().split(';');
  return statements.flatMap((statement) => {
    const dropped = /\bdrop table (?:if exists )?([a-z_., ]+)/.exec(statement)?.[1]?.split(/,\s*/) ?? [];
    const altered = /\balter table (?:if exists )?(?:only )?([a-z_.]+)/.exec(statement)?.[1];
    const columns = [
      ...statement.matchAll(
        /\bdrop (?:column )?(?:if exists )?(?!constraint\b|default\b|not\b|identity\b|expression\b|table\b|if\b|column\b)([a-z_]+)/g,
      ),
      ...statement.matchAll(/\brename (?:column )?(?!to\b|constraint\b|column\b)([a-z_]+) to\b/g),
      ...statement.matchAll(/\balter (?:column )?([a-z_]+) (?:set data )?type\b/g),
    ].map(([, column = '']) => column);
    return [
      ...dropped.map((relation) => ({ relation: relation.trim().split(' ')[0] ?? '', column: null })),
      ...(altered ? columns.map((column) => ({ relation: altered, column })) : []),
      ...(altered && /\brename to\b/.test(statement) ? [{ relation: altered, column: null }] : []),
    ];
  });
}

/** Throws if a database lacks what code calls. */
export async function checkServed(client: ClientBase, { functions, relations }: Calls): Promise<void> {
  const lacked = missingCalls({ functions, relations, tasks: [] }, { ...(await readCatalog(client)), tasks: [] });
  if (lacked.length > 0)
    throw new Error(
      `The database was migrated by a later version, and does not serve this one any more. It lacks: ${lacked.join(', ')}.`,
    );
}

function reject(by: string, missing: string[]): void {
  if (missing.length === 0) return;
  throw new Error(
    `This release takes away what ${by} calls: ${missing.join(', ')}. Keep it for one release (sql/README.md, Definitions), ` +
      'or stop those processes and release a version between the two.',
  );
}

/** Records that this code was released, and what it calls. */
export async function noteReleased(client: ClientBase, version: string, ours: Calls): Promise<void> {
  await client.query(
    `insert into code_calls as c (digest, version, calls, released_at)
     values ($1, $2, $3, now())
     on conflict (digest) do update set version = excluded.version, released_at = excluded.released_at`,
    [digestOfCalls(ours), version, JSON.stringify(ours)],
  );
}
