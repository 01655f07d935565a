import type { components } from '../contract/types.ts';
import type { Handler } from '../edge/handler.ts';
import { pendingHeaders, resultOf } from '../intents/answers.ts';
import { provisionSubaccount } from './intents.ts';

type Registered = components['schemas']['RegisteredSubaccount'];

export const registerNetvenueTrader: Handler<'registerNetvenueTrader'> = async (call) => {
  const { acceptIntent, config } = call.runtime;
  const who = { accept: acceptIntent, asking: call.asking, deadlineMs: config.PROVISION_DEADLINE_MS };
  const intent = await call.settled(await provisionSubaccount(who, call.body));
  const result = resultOf(intent) as Registered | null; // as recordSubaccount wrote it
  if (result) return { status: 200, body: { subaccount: result.subaccount, message: result.message } };
  return {
    status: 202,
    body: { status: 'pending', subaccount: null, message: 'Accepted; the subaccount is being made.' },
    headers: pendingHeaders(`/v1/intents/${intent.id}`),
  };
};
