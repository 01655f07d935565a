import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { digest, type Hotkey, newId, newSecret } from '../../../kernel/ids.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { newMail, postMail } from '../../mail/commands.ts';
import { rejectTaken, sealKey } from '../apps/commands.ts';
import { type Actor, auditEntry } from '../audit/commands.ts';
import { type AppRequest, findAppRequest } from './queries.ts';

const LINK_LIVES_S = 72 * 3_600;
const NOTIFIED_WITHIN_S = 3 * 24 * 3_600;

type With = { db: Db; sealer: Sealer; publicUrl: string; actor: Actor };
type Approval = {
  entityHotkey: Hotkey;
  networkApiKey: string | null;
  slug: string;
  name: string;
  scopes: readonly string[];
};

const doneRow = z.object({ subject: z.string() });

/** A link that opens once, and the mail that delivers it. */
function newLink({ sealer, publicUrl }: With, { contact_email }: AppRequest, appName: string) {
  const token = newSecret('rvl');
  return {
    id: newId('rvk'),
    digest: sql.binary(digest(token)),
    posting: postMail({
      template: 'reveal_credentials',
      recipient: contact_email,
      data: { app: appName },
      livesS: LINK_LIVES_S,
      mail: newMail(sealer, `${publicUrl}/v2/reveal/${token}`),
    }),
  };
}

/**
 * Approves a pending request: creates the app and mails the link to its credentials, in one transaction. Throws
 * V2_APP_REQUEST_UNKNOWN, V2_APP_REQUEST_DECIDED if it was decided before, and V2_APP_SLUG_TAKEN or
 * V2_APP_HOTKEY_TAKEN.
 */
export async function approveAppRequest(tools: With, requestId: string, approval: Approval): Promise<AppRequest> {
  const { db, sealer, actor } = tools;
  const request = await getAppRequest(db, requestId);
  const appId = newId('app');
  const link = newLink(tools, request, approval.name);
  const sealedKey = sealKey(sealer, appId, approval.networkApiKey);
  const approved = await db
    .maybeOne(sql.prepared('approve_app_request', doneRow)`
      with pending as materialized (
        select r.id, r.contact_email
        from app_requests r
        where r.id = ${requestId} and r.status = 'pending'
        for update
      ), made as (
        insert into apps (id, slug, name, contact_email, entity_hotkey, network_key, allowed_scopes)
        select ${appId}, ${approval.slug}, ${approval.name}, p.contact_email, ${approval.entityHotkey}, ${sealedKey},
          ${sql.array(approval.scopes, 'text')}
        from pending p
        returning id
      ), linked as (
        insert into reveal_links (id, digest, app_id, expires_at)
        select ${link.id}, ${link.digest}, m.id, now() + make_interval(secs => ${LINK_LIVES_S})
        from made m
      ), decided as (
        update app_requests r
        set status = 'approved', app_id = m.id, decided_at = now()
        from made m
        where r.id = ${requestId}
        returning r.id as subject
      ), noted as (
        ${auditEntry({ actor, action: 'app_request.approve', detail: { app_id: appId } }, 'decided')}
      )
      select d.subject
      from decided d, lateral (select ${link.posting}) as posted`)
    .catch(rejectTaken);
  if (!approved) throw new ApiError('V2_APP_REQUEST_DECIDED');
  return getAppRequest(db, requestId);
}

/**
 * Declines a pending request and mails the applicant. The mail does not contain the reason. Throws
 * V2_APP_REQUEST_UNKNOWN or V2_APP_REQUEST_DECIDED.
 */
export async function declineAppRequest(tools: With, requestId: string, reason: string | null): Promise<AppRequest> {
  const request = await getAppRequest(tools.db, requestId);
  const notification = postMail({
    template: 'request_declined',
    recipient: request.contact_email,
    data: { app: request.company_name },
    livesS: NOTIFIED_WITHIN_S,
  });
  const declined = await tools.db.maybeOne(sql.prepared('decline_app_request', doneRow)`
    with decided as (
      update app_requests r
      set status = 'declined', decline_reason = ${reason}, decided_at = now()
      where r.id = ${requestId} and r.status = 'pending'
      returning r.id as subject
    ), noted as (${auditEntry({ actor: tools.actor, action: 'app_request.decline' }, 'decided')})
    select d.subject
    from decided d, lateral (select ${notification}) as posted`);
  if (!declined) throw new ApiError('V2_APP_REQUEST_DECIDED');
  return getAppRequest(tools.db, requestId);
}

/**
 * Mails a new link for an approved request. The earlier link stops working, and a secret it has shown is void at once.
 * Throws V2_APP_REQUEST_UNKNOWN, or V2_APP_REQUEST_DECIDED if the request is not approved.
 */
export async function reissueRevealLink(tools: With, requestId: string): Promise<AppRequest> {
  const request = await getAppRequest(tools.db, requestId);
  const link = newLink(tools, request, request.company_name);
  const reissued = await tools.db.maybeOne(sql.prepared('reissue_reveal_link', doneRow)`
    with approved as (
      select r.id as subject, r.app_id
      from app_requests r
      where r.id = ${requestId} and r.status = 'approved'
    ), noted as (${auditEntry({ actor: tools.actor, action: 'app_request.reissue' }, 'approved')})
    select a.subject
    from approved a,
      lateral (select issue_reveal_link(a.app_id, ${link.id}, ${link.digest}, ${LINK_LIVES_S})) as issued,
      lateral (select ${link.posting}) as posted`);
  if (!reissued) throw new ApiError('V2_APP_REQUEST_DECIDED');
  return getAppRequest(tools.db, requestId);
}

async function getAppRequest(db: Db, requestId: string): Promise<AppRequest> {
  const request = await findAppRequest(db, requestId);
  if (!request) throw new ApiError('V2_APP_REQUEST_UNKNOWN');
  return request;
}
