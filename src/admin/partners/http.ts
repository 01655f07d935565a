import type { Call, Handler } from '../../edge/handler.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { actorOf } from '../audit/actor.ts';
import { makePartner, mintPartnerKey, revokePartnerKey, setPartnerActive } from './intents.ts';
import { findPartner, listPartnerKeys, listPartners } from './queries.ts';

const NOT_KEPT = { 'Cache-Control': 'no-store' };

export const listAllPartners: Handler<'listAllPartners'> = async ({ runtime }) => ({
  status: 200,
  body: [...(await listPartners(runtime.db))],
});

export const registerPartner: Handler<'registerPartner'> = async (call) => {
  const body = await makePartner(call.runtime.db, call.body.name, call.body.label ?? null, actorOf(call));
  return { status: 200, body, headers: NOT_KEPT };
};

export const disablePartner: Handler<'disablePartner'> = (call) => setActive(call, call.path.partner_id, false);

export const enablePartner: Handler<'enablePartner'> = (call) => setActive(call, call.path.partner_id, true);

type Acting = Pick<Call, 'runtime' | 'principal' | 'address' | 'requestId'>;

async function setActive(call: Acting, partnerId: string, active: boolean) {
  await setPartnerActive(call.runtime.db, partnerId, active, actorOf(call));
  const body = await findPartner(call.runtime.db, partnerId);
  if (!body) throw new Refusal('V2_PARTNER_UNKNOWN');
  return { status: 200 as const, body };
}

export const listKeysOfPartner: Handler<'listKeysOfPartner'> = async ({ runtime, path }) => {
  const partner = await findPartner(runtime.db, path.partner_id);
  if (!partner) throw new Refusal('V2_PARTNER_UNKNOWN');
  return { status: 200, body: [...(await listPartnerKeys(runtime.db, path.partner_id))] };
};

export const mintKeyOfPartner: Handler<'mintKeyOfPartner'> = async (call) => {
  const minted = await mintPartnerKey(call.runtime.db, call.path.partner_id, call.body?.label ?? null, actorOf(call));
  if (!minted) throw new Refusal('V2_PARTNER_UNKNOWN');
  return { status: 200, body: minted, headers: NOT_KEPT };
};

export const revokeKeyOfPartner: Handler<'revokeKeyOfPartner'> = async (call) => {
  const revoked = await revokePartnerKey(call.runtime.db, call.path.key_id, actorOf(call));
  if (!revoked) throw new Refusal('V2_PARTNER_KEY_UNKNOWN');
  return { status: 200, body: { revoked: true } };
};
