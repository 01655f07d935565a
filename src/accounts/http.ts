import type { Config } from '../config.ts';
import type { Handler } from '../edge/handler.ts';
import type { Accept, NewIntent } from '../intents/accept.ts';
import { pendingHeaders, resultOf } from '../intents/follow.ts';
import { provisionSubaccount } from './intents.ts';
import { provisionResult } from './provision.ts';

type Deps = { acceptIntent: Accept<NewIntent>; config: Pick<Config, 'PROVISION_DEADLINE_MS'> };

/** Handles `POST /v1/register/netvenue`: register a trader on the network. */
export const registerNetvenueTrader: Handler<'registerNetvenueTrader', Deps> = async (call) => {
  const { acceptIntent, config } = call.deps;
  const context = { accept: acceptIntent, context: call.context, deadlineMs: config.PROVISION_DEADLINE_MS };
  const intent = await call.settled(await provisionSubaccount(context, call.body));
  const result = resultOf(intent, provisionResult);
  if (result) return { status: 200, body: { subaccount: result.subaccount, message: result.message } };
  return {
    status: 202,
    body: { status: 'pending', subaccount: null, message: 'Accepted; the subaccount is being made.' },
    headers: pendingHeaders(`/v1/intents/${intent.id}`),
  };
};
