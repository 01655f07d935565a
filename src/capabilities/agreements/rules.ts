import type { components } from '../../contract/types.ts';
import { type AppId, digest } from '../../kernel/ids.ts';

/** A row of a chain. */
export type Signed = components['schemas']['AgreementSignature'];

/** A receipt: a signature's place and hashes, and the signed head of its chain at that time. */
export type Receipt = components['schemas']['AgreementReceipt'];

/** The previous hash of the first row. */
const NO_HASH = '0'.repeat(64);

/**
 * The hash a row must have: SHA-256 over netstrings of these members in this order. A netstring is the length in bytes,
 * a colon, the UTF-8 value and a comma; an absent value is `~,`. Written independently of the SQL function
 * agreement_canonical, so that one checks the other.
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

/** A fault in a chain, with the row or position where it shows. */
export type Fault = { app: AppId; place: number; id: string | null; what: string };

/** A check of one chain, row by row. `place` is the position of the row checked last; `last` is its id and hash. */
export type Walk = { app: AppId; place: number; last: { id: string | null; hash: string } };

/** The start of a check, before the first row of an app's chain. */
export const startOf = (app: AppId): Walk => ({ app, place: 0, last: { id: null, hash: NO_HASH } });

/**
 * Checks the next row against the chain before it and moves on to it. A changed row no longer has its hash. If its hash
 * was changed too, the next row names another hash. A deleted row leaves a gap in the positions.
 */
export function follow(walk: Walk, row: Signed): { walk: Walk; faults: Fault[] } {
  const { app, place, last } = walk;
  const faults: Fault[] = [];
  for (let missing = place + 1; missing < row.place; missing += 1) {
    faults.push({ app, place: missing, id: null, what: 'the row is missing' });
  }
  if (row.place <= place) faults.push({ app, place: row.place, id: row.id, what: 'two rows have this position' });
  const isIntact = hashOf(row) === row.row_hash;
  if (!isIntact) faults.push({ app, place: row.place, id: row.id, what: 'the row was changed' });
  if (row.place === place + 1 && row.previous_hash !== last.hash) {
    const what = isIntact
      ? 'the hash of this row differs from the one its successor names'
      : 'its successor was changed and names another hash';
    faults.push({ app, place, id: last.id, what });
  }
  return { walk: { app, place: row.place, last: { id: row.id, hash: row.row_hash } }, faults };
}

/** Checks the end of a chain against the length and hash recorded with its last row. */
export function endOf({ app, place, last }: Walk, recorded: { length: number; last_hash: string | null }): Fault[] {
  const faults: Fault[] = [];
  for (let missing = place + 1; missing <= recorded.length; missing += 1) {
    faults.push({ app, place: missing, id: null, what: 'the row is missing' });
  }
  if (place > recorded.length) faults.push({ app, place, id: last.id, what: 'the row is beyond the recorded end' });
  else if (place === recorded.length && last.hash !== (recorded.last_hash ?? NO_HASH)) {
    faults.push({ app, place, id: last.id, what: 'the hash of the last row differs from the recorded one' });
  }
  return faults;
}
