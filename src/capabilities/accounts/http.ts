import type { Config } from '../../config.ts';
import type { Handler } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import type { Accept, NewIntent } from '../../intents/accept.ts';
import { spendDaily } from '../../intents/daily-budgets.ts';
import { orEarlier, pendingHeaders, resultOf } from '../../intents/follow.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { provisionSubaccount } from './intents.ts';
import { proveWallet } from './links/prove.ts';
import { provisionResult } from './provision.ts';

type Deps = {
  acceptIntent: Accept<NewIntent>;
  config: Pick<Config, 'PROVISION_DEADLINE_MS' | 'WALLET_LINK_PROOF'>;
  db: Db;
  sealer: Sealer;
};

/** Handles `POST /v1/register/netvenue`: register a trader on the network. */
export const registerNetvenueTrader: Handler<'registerNetvenueTrader', Deps> = async (call) => {
  const { acceptIntent, config } = call.deps;
  const context = { accept: acceptIntent, context: call.context, deadlineMs: config.PROVISION_DEADLINE_MS };
  const accept = async () => {
    const proof = await proveWallet(call.deps, call.principal.owner, call.body);
    await spendDaily(call, { subaccounts: call.principal.owner });
    return provisionSubaccount(context, call.body, proof);
  };
  const intent = await call.settled(await accept().catch(orEarlier(call.deps.db, call.context)));
  const result = resultOf(intent, provisionResult);
  if (result?.subaccount)
    return { status: 200, body: { subaccount: result.subaccount, message: result.message ?? '' } };
  return {
    status: 202,
    body: { status: 'pending', subaccount: null, message: 'Accepted; the subaccount is being made.' },
    headers: pendingHeaders(`/v1/intents/${intent.id}`, intent),
  };
};
