import type { Config } from '../../../config.ts';
import type { CallWith, Handler, QuotaUse } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { PartnerId } from '../../../kernel/ids.ts';
import { listPage } from '../../../kernel/pages.ts';
import { approvedCommit } from '../approvals/commands.ts';
import { actorOf } from '../audit/actor.ts';
import { dropWaiting } from '../owners/commands.ts';
import { changePartner, makePartner, setPartnerActive } from './commands.ts';
import { findPartner, listPartners, type PartnerSummary } from './queries.ts';

type Deps = { db: Db; quotaUse: QuotaUse; config: Pick<Config, 'DUAL_CONTROL_CENTS'> };

/** Handles `GET /v2/admin/partners`: list v1 partners. */
export const listAllPartners: Handler<'listAllPartners', Deps> = async ({ deps, query }) => {
  const isKnown = async (id: string) => (await findPartner(deps.db, id)) !== null;
  const shown = { path: '/v2/admin/partners', cursorOf: (row: PartnerSummary) => row.partner_id, isKnown };
  const page = await listPage(query, shown, (wanted) => listPartners(deps.db, wanted));
  return { ...page, body: page.body.map((partner) => withUse(partner, deps)) };
};

/** Handles `GET /v2/admin/partners/{partner_id}`: read a partner. */
export const getPartner: Handler<'getPartner', Deps> = async ({ deps, path }) => ({
  status: 200,
  body: await getShown(deps.db, path.partner_id, deps),
});

/** A partner with what this process counts of its quota. */
const withUse = (partner: PartnerSummary, { quotaUse }: Pick<Deps, 'quotaUse'>) => ({
  ...partner,
  ...quotaUse(partner.partner_id, partner.requests_per_minute),
});

async function getShown(db: Db, partnerId: PartnerId, deps: Pick<Deps, 'quotaUse'>) {
  const partner = await findPartner(db, partnerId);
  if (!partner) throw new ApiError('V2_PARTNER_UNKNOWN');
  return withUse(partner, deps);
}

/** Handles `POST /v2/admin/partners`: create a partner with a first key. */
export const registerPartner: Handler<'registerPartner', Deps> = (call) => {
  const { name } = call.body;
  return approvedCommit(call, { subject: name })(async (db) => {
    const body = await makePartner(db, name, call.body.label ?? null, actorOf(call));
    return { status: 200, body };
  });
};

/** Handles `PATCH /v2/admin/partners/{partner_id}`: change a partner. */
export const updatePartner: Handler<'updatePartner', Deps> = (call) =>
  call.commit(async (db) => {
    await changePartner(db, call.path.partner_id, call.body, actorOf(call));
    return { status: 200 as const, body: await getShown(db, call.path.partner_id, call.deps) };
  });

/** Handles `POST /v2/admin/partners/{partner_id}/disable`: disable a partner. */
export const disablePartner: Handler<'disablePartner', Deps> = (call) =>
  setActive(call, call.path.partner_id, { active: false });

/** Handles `POST /v2/admin/partners/{partner_id}/enable`: enable a partner again. */
export const enablePartner: Handler<'enablePartner', Deps> = async (call) => {
  const { partner_id } = call.path;
  const act = { actor: actorOf(call), action: 'partner.drop_waiting' };
  if (call.body?.waiting === 'drop') await dropWaiting(call.deps.db, partner_id, act);
  return setActive(call, partner_id, { active: true, ...call.body });
};

type Acting = Pick<CallWith<Deps>, 'deps' | 'principal' | 'address' | 'requestId' | 'commit'>;

const setActive = (call: Acting, partnerId: PartnerId, state: Parameters<typeof setPartnerActive>[2]) =>
  call.commit(async (db) => {
    await setPartnerActive(db, partnerId, state, actorOf(call));
    return { status: 200 as const, body: await getShown(db, partnerId, call.deps) };
  });
