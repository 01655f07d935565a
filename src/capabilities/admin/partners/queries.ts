import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import type { PartnerId, WithIds } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const partnerRow =
  z.custom<WithIds<Omit<components['schemas']['PartnerSummary'], 'quota_used' | 'quota_rejections'>>>();

/** A partner in the form shown to operators, without the use of its quota. */
export type PartnerSummary = z.infer<typeof partnerRow>;

const partnerColumns = sql.fragment`
  p.id as partner_id, p.name, p.disabled_at is null as active, p.contact_email, p.requests_per_minute, p.daily_limits, p.created_at, p.disabled_at,
  (
    select count(*)::integer
    from partner_keys k
    where k.partner_id = p.id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
  ) as live_keys`;

/** A page of the partners, oldest first, after the partner `cursor`. */
export const listPartners = (db: Db, page: PageRequest): Promise<readonly PartnerSummary[]> =>
  db.any(sql.prepared('list_partners', partnerRow)`
    select ${partnerColumns}
    from partners p
    where ${keysetPage({ table: 'partners', alias: 'p', order: 'oldest first' }, page)}`);

/** One partner, or null. */
export const findPartner = (db: Db, partnerId: PartnerId): Promise<PartnerSummary | null> =>
  db.maybeOne(sql.prepared('find_partner', partnerRow)`
    select ${partnerColumns}
    from partners p
    where p.id = ${partnerId}`);
