import { digest } from '../kernel/digest.ts';

/** A row of a chain, as rules see it. */
export type Signed = {
  id: string;
  app_id: string;
  user_id: string;
  place: number;
  agreement_version: string;
  signature_name: string;
  document_url: string | null;
  document_sha256: string | null;
  address: string | null;
  user_agent: string | null;
  signed_at: string;
  previous_hash: string;
  row_hash: string;
};

/** The hash before the first row. */
const NO_HASH = '0'.repeat(64);

/**
 * The hash a row must have: SHA-256 over netstrings (length in bytes, colon, UTF-8, comma; an absent value is `~,`) of these
 * members in this order. Written independently of the SQL function agreement_canonical, which made it.
 */
export function hashOf(row: Signed): string {
  const members = [
    'agreement/1',
    row.previous_hash,
    row.app_id,
    String(row.place),
    row.id,
    row.user_id,
    row.agreement_version,
    row.signature_name,
    row.document_url,
    row.document_sha256,
    row.address,
    row.user_agent,
    row.signed_at,
  ];
  return digest(members.map(netstring).join('')).toString('hex');
}

const netstring = (value: string | null) => (value === null ? '~,' : `${Buffer.byteLength(value)}:${value},`);

/** Something wrong with a chain, and the row or place where it shows. */
export type Fault = { app: string; place: number; id: string | null; what: string };

/** Follows one chain row by row. `place` and `last` are where it stands. */
export type Walk = { app: string; place: number; last: { id: string | null; hash: string } };

export const startOf = (app: string): Walk => ({ app, place: 0, last: { id: null, hash: NO_HASH } });

/**
 * Checks the next row against the chain so far and moves on to it. A row that was changed no longer has its hash; one that was
 * changed together with its hash no longer is the one the next row names; one that is gone leaves its place empty.
 */
export function follow(walk: Walk, row: Signed): { walk: Walk; faults: Fault[] } {
  const { app, place, last } = walk;
  const faults: Fault[] = [];
  for (let missing = place + 1; missing < row.place; missing += 1) {
    faults.push({ app, place: missing, id: null, what: 'the row is missing' });
  }
  if (row.place <= place) faults.push({ app, place: row.place, id: row.id, what: 'the place is taken twice' });
  const isWhole = hashOf(row) === row.row_hash;
  if (!isWhole) faults.push({ app, place: row.place, id: row.id, what: 'the row was changed' });
  if (row.place === place + 1 && row.previous_hash !== last.hash) {
    const what = isWhole
      ? 'the row is not the one its successor was chained to'
      : 'its successor, changed itself, names another row';
    faults.push({ app, place, id: last.id, what });
  }
  return { walk: { app, place: row.place, last: { id: row.id, hash: row.row_hash } }, faults };
}

/** Checks where a chain ends against what was recorded when its last row was written. */
export function endOf({ app, place, last }: Walk, recorded: { length: number; last_hash: string | null }): Fault[] {
  const faults: Fault[] = [];
  for (let missing = place + 1; missing <= recorded.length; missing += 1) {
    faults.push({ app, place: missing, id: null, what: 'the row is missing' });
  }
  if (place > recorded.length) faults.push({ app, place, id: last.id, what: 'the row is beyond the recorded end' });
  else if (place === recorded.length && last.hash !== (recorded.last_hash ?? NO_HASH)) {
    faults.push({ app, place, id: last.id, what: 'the row is not the one recorded as the last' });
  }
  return faults;
}
