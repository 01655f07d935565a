import type { Registrar } from '../../adapters/registrar/types.ts';
import type { Handler } from '../../contract/handler.ts';
import type { SubmitDeps } from '../../intents/accept.ts';
import { hasSucceeded, pendingHeaders } from '../../intents/follow.ts';
import type { Sealer } from '../../kernel/seal.ts';
import type { NewRegistration } from './intents.ts';
import { purchaseRegistration } from './intents.ts';
import { findRegistration, getRegistration } from './queries.ts';
import { shownRegistration, unknownRegistration } from './views.ts';

type Deps = SubmitDeps<'acceptRegistration', NewRegistration, 'REGISTRATION_DEADLINE_MS' | 'REGISTRATION_GRACE_MS'> & {
  registrar: Registrar;
  sealer: Sealer;
};

/** Handles `POST /v1/register/exvenue`: buy and register an account on the exchange. */
export const registerExvenueTrader: Handler<'registerExvenueTrader', Deps> = async (call) => {
  const { acceptRegistration, config, db, registrar, sealer } = call.deps;
  const context = {
    accept: acceptRegistration,
    context: call.context,
    db,
    deadlineMs: config.REGISTRATION_DEADLINE_MS,
    graceMs: config.REGISTRATION_GRACE_MS,
    registrar,
    sealer,
  };
  const intent = await call.settled(await purchaseRegistration(context, call.body));
  const isPaid = hasSucceeded(intent);
  const body = shownRegistration(await getRegistration(db, intent.id));
  if (isPaid) return { status: 200, body };
  return { status: 202, body, headers: pendingHeaders(`/v1/register/exvenue/status/${body.ex_address}`, intent) };
};

/**
 * Serves `GET /v1/register/exvenue/status/{ex_address}` from our own record. Only a task reads the registrar, so
 * callers cannot query it about other addresses through us.
 */
export const getExvenueRegistration: Handler<'getExvenueRegistration', Deps> = async ({ deps, principal, path }) => {
  const exAddress = path.ex_address.toLowerCase();
  const registration = await findRegistration(deps.db, principal.owner, exAddress);
  return { status: 200, body: registration ? shownRegistration(registration) : unknownRegistration(exAddress) };
};
