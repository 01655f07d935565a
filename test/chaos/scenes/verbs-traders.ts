import type { Reply } from '../../support/caller.ts';
import { accountIn, tierDemo } from '../../support/money.ts';
import { KEYS } from '../../support/service.ts';
import { acknowledged } from '../load.ts';
import type { Site } from '../stage.ts';
import { makeTraders, type Trader } from './money-people.ts';

/** Submits one verb below the orders of an API, and returns the id of its intent. */
export type Submit = (method: 'POST' | 'DELETE', path: string, body?: object) => Promise<string>;

/** How many traders use v1, v2 on the platform's entity, and v2 of a tenant with its own miner. */
export type Crowd = { partners: number; users: number; tenants: number };

const APP_ENTITY = 'app_entity';

/** Traders of every way to the network. */
export async function gather(stage: Site, { partners, users, tenants }: Crowd): Promise<Submit[]> {
  const network = { entityHotkey: APP_ENTITY, networkApiKey: `${KEYS.minerKey}:${APP_ENTITY}` };
  const [callers, platform, tenant] = await Promise.all([
    stage.traders(partners),
    makeTraders({ stage }, users),
    makeTraders({ stage }, tenants, network),
  ]);
  const accounts = await Promise.all([...platform, ...tenant].map(throughTrading));
  return [
    ...callers.map(
      (caller): Submit =>
        (method, path, body) => {
          const url = `/v1/orders/netvenue${path}`;
          const later = { prefer: 'wait=0' };
          const ask = () => (method === 'POST' ? caller.post(url, body, later) : caller.delete(url, later));
          return acknowledged(ask, { mayBePaced: true });
        },
    ),
    ...accounts,
  ];
}

/** Opens a free account of a user, and submits for it. */
async function throughTrading({ ask }: Trader): Promise<Submit> {
  await ask('POST', '/v2/payments/free', { json: tierDemo });
  await accountIn(ask, 'evaluation');
  return (method, path, json) =>
    acknowledged(
      async (): Promise<Reply> => {
        const headers = { Prefer: 'wait=0' };
        const reply = await ask(method, `/v2/trading/orders${path}`, { headers, ...(json && { json }) });
        return { ...reply, headers: Object.fromEntries(reply.headers) };
      },
      { mayBePaced: true },
    );
}
