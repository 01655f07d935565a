import { sql } from 'slonik';
import { z } from 'zod';
import type { NewSubaccount, Subaccount } from '../adapters/netvenue/types.ts';
import type { Db } from '../db/pool.ts';
import { recordNoAnswer } from '../intents/carry-out.ts';
import { telling } from '../intents/endings.ts';
import type { Intent } from '../intents/intent.ts';
import { fail } from '../intents/settle.ts';
import type { Answer } from '../kernel/answer.ts';
import { subaccountMembers } from './prop/intents.ts';

/** Records what the network said to the making of a subaccount: the subaccount and the end of its intent, or neither. */
export async function recordSubaccount(
  db: Db,
  intent: Intent,
  asked: NewSubaccount,
  entityHotkey: string,
  answer: Answer<Subaccount>,
): Promise<boolean> {
  if (answer.kind === 'accepted') return attach(db, intent, asked, entityHotkey, answer.said);
  if (answer.kind !== 'rejected') return recordNoAnswer(db, intent, answer);
  if (answer.slug === 'venue_auth') return fail(db, intent, { code: 'VENUE_AUTH' });
  return fail(db, intent, { code: 'VENUE_REJECTED', reason: answer.slug, message: answer.message });
}

const attach = (
  db: Db,
  intent: Intent,
  asked: NewSubaccount,
  entityHotkey: string,
  made: Subaccount,
): Promise<boolean> =>
  telling(
    db,
    intent,
    'succeeded',
    db.oneFirst(sql.prepared('record_subaccount', z.object({ ok: z.boolean() }))`
    select record_subaccount(${intent.id}, ${intent.fence}, ${JSON.stringify({ result: shown(made) })}::jsonb,
      ${JSON.stringify({ ...subaccountMembers(made, entityHotkey), ...addressesOf(asked) })}::jsonb) ok`),
  );

const addressesOf = (asked: NewSubaccount) =>
  'exAddress' in asked ? { ex_address: asked.exAddress, payout_address: asked.payoutAddress ?? null } : {};

const shown = ({ subaccountId, assetClass, accountSize, status }: Subaccount) => ({
  subaccount: { subaccount_id: subaccountId, asset_class: assetClass, account_size: accountSize },
  message:
    status === 'active'
      ? 'The subaccount is ready.'
      : 'The subaccount is made; the network activates it shortly. Orders wait for that up to their deadline.',
});

/** Keeps the network's newest word on a subaccount. */
export async function noteSubaccountStatus(db: Db, syntheticHotkey: string, status: string): Promise<void> {
  await db.query(sql.prepared('note_subaccount_status', z.object({}))`
    update subaccounts
    set status = ${status}
    where synthetic_hotkey = ${syntheticHotkey} and status <> ${status}`);
}
