import type { Logger } from 'pino';
import { z } from 'zod';
import type { CapacitySettings } from '../../capacity/budgets.ts';
import { minerSlot } from '../../capacity/network.ts';
import type { Db } from '../../db/pool.ts';
import { defineIntent, type Finding } from '../../intents/define.ts';
import { recordNoResponse } from '../../intents/run.ts';
import { fail } from '../../intents/settle.ts';
import { noteReached } from '../../intents/slots.ts';
import { throwUnsent } from '../../intents/unsent.ts';
import { type Hotkey, type IntentId, idSchema, type OwnerId, type WalletAddress } from '../../kernel/ids.ts';
import {
  accepted,
  inconclusive,
  recordedRejection,
  type UpstreamResult,
  unknownEffect,
  unreachable,
} from '../../kernel/upstream-result.ts';
import type { ListedSubaccount, Netvenue, NewSubaccount, Subaccount } from '../../venues/network/adapter/types.ts';
import { findAccountOfIntent } from './prop/queries.ts';
import { getCreations, listOwnedSubaccounts, newSubaccount } from './queries.ts';
import { candidatesOf, isNewTo, isReadable, matchCreation, needsOperator } from './rules.ts';
import { recordSubaccount } from './store.ts';

type Deps = {
  db: Db;
  log: Pick<Logger, 'error'>;
  venues: { entityOf(owner: OwnerId): Promise<Hotkey>; of(entityHotkey: Hotkey): Promise<Netvenue | null> };
  config: CapacitySettings & {
    NETVENUE_PATIENCE_MS: number;
    NETVENUE_IN_FLIGHT_MS: number;
    NETVENUE_ENTITY_HOTKEY: Hotkey;
    NETVENUE_ENTITY_USE: 'alone' | 'shared';
  };
};

/** The members of the new subaccount in the result of a creation. */
export const provisionResult = z.object({
  subaccount: z.object({ subaccount_id: z.number(), asset_class: z.string(), account_size: z.number() }),
  message: z.string(),
});

/**
 * Creates one subaccount at the network. After a request may have been sent, it only searches for the subaccount and
 * never sends again.
 */
export const provision = defineIntent({
  kind: 'accounts/provision',
  retention: 'alone',
  claimed: 'to_prepare',
  request: z.object({
    subaccount: newSubaccount,
    prop_account_id: idSchema.propAccount.optional(),
    link_proof: z.string().optional(),
  }),
  payload: z.object({
    subaccount: newSubaccount,
    entity: idSchema.hotkey,
    first_id: z.number().nullable(),
  }),
  timing: ({ config }: Deps) => ({
    patienceMs: config.NETVENUE_PATIENCE_MS,
    inFlightMs: config.NETVENUE_IN_FLIGHT_MS,
  }),
  slot: ({ payload: { entity } }, { config }: Deps) => minerSlot(entity, config, false),

  /**
   * Creates nothing if the account's payment was refunded or disputed meanwhile. Notes which ids can be the new one's; a request that
   * may have been sent before the database was restored can have got an earlier one.
   */
  async prepare({ id, owner, presumed_sent_at, request: { prop_account_id, subaccount } }, { db, venues }: Deps) {
    const entity = await venues.entityOf(owner);
    const venue = presumed_sent_at === null ? await venues.of(entity) : null;
    const first_id = venue && (await readNextId(venue));
    const account = prop_account_id === undefined ? null : await findAccountOfIntent(db, id); // after what waits for the network
    if (account && account.status !== 'provisioning') return { fail: { code: 'V2_ACCOUNT_STOPPED' } };
    return { send: { subaccount, entity, first_id } };
  },

  async send({ payload }, { venues }, limits): Promise<UpstreamResult<Subaccount>> {
    const venue = await venues.of(payload.entity).catch(throwUnsent);
    if (!venue) return unreachable('no key for the entity');
    const result = await venue.createSubaccount(payload.subaccount, limits);
    return result.kind === 'accepted' && result.data.subaccountId < (payload.first_id ?? 0)
      ? inconclusive('the subaccount in the response was there before')
      : result;
  },

  async reconcile({ intent, payload: { subaccount: wanted, entity, first_id } }, { db, venues, config }) {
    const venue = await venues.of(entity);
    if (!venue) return unknownEffect('no key for the entity');
    await lookAtMiner(venue, intent, { db, config });
    const isShared = config.NETVENUE_ENTITY_USE === 'shared';
    const at = { db, venue, entity, platform: config.NETVENUE_ENTITY_HOTKEY, isShared };
    return findCreated(at, { id: intent.id, wanted, first_id });
  },

  async record({ intent, payload: { subaccount, entity } }, result, { db, log }) {
    const proof = intent.request.link_proof ?? null;
    if (result.kind === 'accepted') return recordSubaccount(db, intent, subaccount, entity, { ...result.data, proof });
    if (result.kind !== 'rejected') return recordNoResponse(db, intent, result);
    if (needsOperator(result.slug)) {
      const alert = { alert: 'network_rejects_subaccounts', intent_id: intent.id, entity, reason: result.slug };
      log.error(alert, 'operator action required');
    }
    if (result.slug === 'venue_auth') return fail(db, intent, { code: 'VENUE_AUTH' });
    return fail(db, intent, { code: 'VENUE_REJECTED', reason: result.slug, message: result.message });
  },
});

/** The next id of an entity, higher than the id of any existing subaccount. Null if the id of one of them cannot be read. */
async function readNextId(venue: Pick<Netvenue, 'listSubaccounts'>): Promise<number | null> {
  const listed = await venue.listSubaccounts();
  if (listed.kind === 'absent') return 0;
  const ids = listed.kind === 'found' ? listed.data.map(({ subaccountId }) => subaccountId) : [null];
  return ids.reduce((next: number | null, id) => (next === null || id === null ? null : Math.max(next, id + 1)), 0);
}

/**
 * Sends the miner any look-up: its response shows that the request no longer waits there, and may prove a free thread to those that wait for one,
 * which the creation in doubt may hold.
 */
async function lookAtMiner(
  venue: Pick<Netvenue, 'orderStatus'>,
  intent: Parameters<typeof noteReached>[1],
  { db, config: { NETVENUE_IN_FLIGHT_MS: holdMs } }: Pick<Deps, 'db' | 'config'>,
): Promise<void> {
  const askedAt = performance.now();
  const response = await venue.orderStatus(intent.id);
  if (response.kind !== 'unreadable') await noteReached(db, intent, { holdMs, tookMs: performance.now() - askedAt });
}

/**
 * An entity at the network, and the platform's entity. Creations stored without an entity belong to the platform's.
 * `isShared`: somebody else may create subaccounts there too.
 */
type AtEntity = { db: Db; venue: Netvenue; entity: Hotkey; platform: string; isShared: boolean };

/** A creation in doubt: what it was to create, and the next id of the entity before it was sent, if that is known. */
type Creation = { id: IntentId; wanted: NewSubaccount; first_id: number | null };

/**
 * Searches for the subaccount that a creation in doubt may have created: by wallet address if it has one, else by size,
 * class and time, and only among ids that it can have got. At a shared entity a candidate may be somebody else's: operators
 * decide.
 */
async function findCreated(at: AtEntity, creation: Creation): Promise<Finding<Subaccount>> {
  const finding = await searchCreated(at, creation);
  return finding.kind === 'accepted' && at.isShared ? AMBIGUOUS : finding;
}

/** While a subaccount that may be the created one cannot be read, nothing is concluded: its absence is not proven. */
async function searchCreated(
  { db, venue, ...at }: AtEntity,
  { id: intentId, wanted, first_id }: Creation,
): Promise<Finding<Subaccount>> {
  const listed = await venue.listSubaccounts();
  if (listed.kind !== 'found') return unknownEffect('the subaccounts could not be listed');
  const hotkeys = listed.data.map(({ syntheticHotkey }) => syntheticHotkey);
  if ('exAddress' in wanted)
    return byAddress({ exAddress: wanted.exAddress, first_id }, await listOwnedSubaccounts(db, hotkeys), listed.data);
  const { open, owned } = await getCreations(db, { ...wanted, ...at }, hotkeys);
  const taken = new Set<Hotkey | null>(owned);
  const alike = listed.data.filter(
    ({ syntheticHotkey, assetClass, accountSize }) =>
      !taken.has(syntheticHotkey) &&
      (assetClass ?? wanted.assetClass) === wanted.assetClass &&
      (accountSize ?? wanted.accountSize) === wanted.accountSize,
  );
  if (!candidatesOf(open, alike).every(isReadable)) return UNREAD;
  const match = matchCreation(intentId, open, alike.filter(isReadable));
  if (match.kind === 'found') return accepted(match.orphan);
  if (match.kind === 'wait') return unknownEffect('another creation is under way');
  if (match.kind === 'none') return { kind: 'absent' };
  return AMBIGUOUS;
}

const AMBIGUOUS = { kind: 'undecidable', problem: { code: 'SUBACCOUNT_AMBIGUOUS' } } as const;
const UNREAD = unknownEffect('a listed subaccount that may be it cannot be read');

function byAddress(
  { exAddress, first_id }: { exAddress: WalletAddress; first_id: number | null },
  owned: ReadonlySet<Hotkey | null>,
  all: ListedSubaccount[],
): Finding<Subaccount> {
  const candidates = all.filter((one) => !owned.has(one.syntheticHotkey) && isNewTo({ first_id }, one));
  const created = candidates.filter(isReadable).find((one) => one.exAddress === exAddress);
  if (created) return accepted(created);
  if (candidates.some((one) => !isReadable(one) && (one.exAddress ?? exAddress) === exAddress)) return UNREAD;
  const isRegistered = all.some((one) => one.exAddress === exAddress && one.status !== 'eliminated'); // which frees its wallet
  return isRegistered ? recordedRejection(REGISTERED) : { kind: 'absent' };
}

const REGISTERED = { slug: 'already_registered', message: 'This address already has a subaccount.' };
