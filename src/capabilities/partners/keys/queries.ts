import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import type { PartnerId } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const keyRow = z.custom<components['schemas']['PartnerKey']>();

/** A key of a partner, without the key itself. */
export type PartnerKey = z.infer<typeof keyRow>;

/** A page of a partner's keys, oldest first, after the key `cursor`. Of each key only its hint is shown. */
export const listPartnerKeys = (db: Db, partnerId: PartnerId, page: PageRequest): Promise<readonly PartnerKey[]> =>
  db.any(sql.prepared('list_partner_keys', keyRow)`
    select k.id as key_id, k.partner_id, k.hint, k.label, k.created_at, k.expires_at, k.last_used_at, k.revoked_at
    from partner_keys k
    where k.partner_id = ${partnerId}
      and ${keysetPage({ table: 'partner_keys', alias: 'k', order: 'oldest first' }, page)}`);

/** Whether a partner has a key with this id. */
export const isKeyOf = (db: Db, partnerId: PartnerId, keyId: string): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`select from partner_keys k where k.id = ${keyId} and k.partner_id = ${partnerId}`);
