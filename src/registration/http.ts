import type { Handler } from '../edge/handler.ts';
import { pendingHeaders, resultOf } from '../intents/answers.ts';
import { purchaseRegistration } from './intents.ts';
import { findRegistration, getRegistration } from './queries.ts';
import { shownRegistration, unknownRegistration } from './views.ts';

export const registerExvenueTrader: Handler<'registerExvenueTrader'> = async (call) => {
  const { acceptRegistration, config, db, registrar, sealer } = call.runtime;
  const who = {
    accept: acceptRegistration,
    asking: call.asking,
    deadlineMs: config.REGISTRATION_DEADLINE_MS,
    registrar,
    sealer,
  };
  const intent = await call.settled(await purchaseRegistration(who, call.body));
  const result = resultOf(intent);
  const body = shownRegistration(await getRegistration(db, intent.id));
  if (result) return { status: 200, body };
  return { status: 202, body, headers: pendingHeaders(`/v1/register/exvenue/status/${body.ex_address}`) };
};

/** Answers from our own record: the registrar is asked by a task, so nobody can ask it about others through us. */
export const getExvenueRegistration: Handler<'getExvenueRegistration'> = async ({ runtime, principal, path }) => {
  const exAddress = path.ex_address.toLowerCase();
  const registration = await findRegistration(runtime.db, principal.owner, exAddress);
  return { status: 200, body: registration ? shownRegistration(registration) : unknownRegistration(exAddress) };
};
