import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { type Hotkey, idSchema, type OwnerId, type WalletAddress } from '../../../kernel/ids.ts';
import type { ListedSubaccount } from '../adapter/types.ts';

const subaccountRow = z.object({
  synthetic_hotkey: idSchema.hotkey,
  subaccount_uuid: z.string().nullable(),
  asset_class: z.string(),
  account_size: z.coerce.number(),
  status: z.string(),
});

/** A subaccount in our records. `status` is the last one reported by the network. */
export type Subaccount = z.infer<typeof subaccountRow>;

/** A subaccount of an owner; null if the owner has no such subaccount. */
export const findSubaccount = (db: Db, owner: OwnerId, syntheticHotkey: Hotkey): Promise<Subaccount | null> =>
  db.maybeOne(sql.prepared('find_subaccount', subaccountRow)`
    select s.synthetic_hotkey, s.subaccount_uuid, s.asset_class, s.account_size, s.status
    from subaccounts s
    where s.synthetic_hotkey = ${syntheticHotkey} and s.owner = ${owner}`);

const linkRow = z.object({
  hotkey: idSchema.hotkey.nullable(),
  registration: idSchema.intent.nullable(),
  seen: idSchema.hotkey.nullable(),
  is_awaited: z.boolean(),
  others: z.array(idSchema.hotkey),
  later: z.array(idSchema.hotkey.nullable()),
});

/**
 * An owner's registration of a wallet at the network: the subaccount that is linked to it (`hotkey`), or what was paid to the registrar
 * (`registration`), which created an account, and that account as the network last showed it (`seen`). `is_awaited`: it was paid lately, and the
 * network was not seen to show it. `others`: the subaccounts that other owners have linked to the wallet. `later`: what other owners have bought
 * for it since, as the network last showed it.
 */
export type WalletLink = z.infer<typeof linkRow>;

/** What has, or had, an account at the network. */
const BOUGHT = sql.fragment`r.status in ('registered', 'active', 'eliminated', 'deregistered')`;

const SEEN_WITHIN_DAYS = 7; // the registrar gives a new account up to four hours

/** A paid registration of the last days whose account the network was not seen to show: it is known by no name yet. */
const AWAITED = sql.fragment`r.status in ('registered', 'active') and r.synthetic_hotkey is null
  and r.updated_at > now() - make_interval(days => ${SEEN_WITHIN_DAYS})`;

/**
 * An owner's newest registration of a wallet (in lower case): the network lets a wallet be registered again once its account has ended. Null if
 * the owner has none, even if another owner has one.
 */
export const findWalletLink = (db: Db, owner: OwnerId, wallet: WalletAddress): Promise<WalletLink | null> =>
  db.maybeOne(sql.prepared('find_wallet_link', linkRow)`
    select l.hotkey, l.registration, l.seen, l.is_awaited, array(
        select o.synthetic_hotkey
        from subaccounts o
        where o.ex_address = ${wallet} and o.owner <> ${owner}
      ) as others, array(
        select r.synthetic_hotkey
        from registrations r
        where r.ex_address = ${wallet} and r.owner <> ${owner} and r.created_at > l.created_at and ${BOUGHT}
      ) as later
    from (
      select s.synthetic_hotkey as hotkey, null::uuid as registration, null as seen, false as is_awaited, s.created_at
      from subaccounts s
      where s.owner = ${owner} and s.ex_address = ${wallet}
      union all
      select null, r.id, r.synthetic_hotkey, ${AWAITED}, r.created_at
      from registrations r
      where r.owner = ${owner} and r.ex_address = ${wallet} and ${BOUGHT}
    ) l
    order by l.created_at desc
    limit 1`);

const unseenRow = z.object({ owner: idSchema.owner, wallet: idSchema.wallet });

/** Some wallets whose bought account is awaited, at most `most`. */
export const listUnseenWallets = (db: Db, most: number): Promise<readonly z.infer<typeof unseenRow>[]> =>
  db.any(sql.type(unseenRow)`
    select r.owner, r.ex_address as wallet
    from registrations r
    where ${AWAITED}
      and not exists (select from subaccounts s where s.owner = r.owner and s.ex_address = r.ex_address)
    order by random()
    limit ${most}`);

/** Whether partners have subaccounts whose status at the network may still change. */
export const hasLiveSubaccounts = (db: Db): Promise<boolean> =>
  db.exists(sql.unsafe`
    select
    from subaccounts s
    join partners p on p.id = s.owner
    where s.status not in ('failed', 'eliminated')`);

const movedRow = z.object({ hotkey: idSchema.hotkey, status: z.string() });

/**
 * Partners' subaccounts that the network lists with another status than our records. A list may be older than what was read of a
 * single one: it takes none back to `pending`, and none from its end.
 */
export const listMovedSubaccounts = (
  db: Db,
  listed: readonly Pick<ListedSubaccount, 'syntheticHotkey' | 'status'>[],
): Promise<readonly z.infer<typeof movedRow>[]> =>
  db.any(sql.prepared('list_moved_subaccounts', movedRow)`
    select s.synthetic_hotkey as hotkey, l.status
    from unnest(
      ${sql.array(
        listed.map(({ syntheticHotkey }) => syntheticHotkey),
        'text',
      )},
      ${sql.array(
        listed.map(({ status }) => status),
        'text',
      )}
    ) as l (hotkey, status)
    join subaccounts s on s.synthetic_hotkey = l.hotkey
    join partners p on p.id = s.owner
    where s.status <> l.status and s.status not in ('failed', 'eliminated') and l.status not in ('pending', 'unknown')`);
