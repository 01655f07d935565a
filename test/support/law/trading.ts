import { sql } from 'slonik';
import { z } from 'zod';
import type { Netvenue } from '../../../src/venues/network/adapter/types.ts';
import { type Ask, bearer, asking as byHand } from '../identity.ts';
import { limit, market, venueOf } from '../orders.ts';
import { keyed, type Scene, type Scenes, type Stage } from './scene.ts';

type Signal = Parameters<Netvenue['submit']>[0];
type Trader = { ask: Ask; setUp: Ask; at: string; subaccount: number; account?: string };

/** What the rules or the state of an account reject. */
export function tradingScenes({ service, asking, counts }: Stage): Scenes {
  const traders = {
    V1: async (): Promise<Trader> => {
      const { key, traderId } = await service().trader();
      const headers = { ...bearer(key), 'Trader-ID': traderId };
      const at = '/v1/orders/netvenue';
      return { ask: asking(headers), setUp: byHand(service().url, headers), at, subaccount: Number(traderId) };
    },
    V2: async (): Promise<Trader> => {
      const trader = await service().propTrader();
      const headers = { 'X-Api-Key': (await trader.key()).api_key };
      const { id: account, subaccount_id: subaccount } = trader.account;
      const at = '/v2/trading/orders';
      return { ask: asking(headers), setUp: byHand(service().url, headers), at, subaccount, account };
    },
  };
  const of = (trader: () => Promise<Trader>, scene: (trader: Trader) => Scene | Promise<Scene>) => async () =>
    scene(await trader());
  return {
    V1_RULE_VIOLATED: of(traders.V1, (trader) => violating(trader, () => validated(trader))),
    V2_RULE_VIOLATED: of(traders.V2, (trader) => violating(trader, () => ruled(trader))),
    V1_EDIT_INVALID: of(traders.V1, misedited),
    V2_EDIT_INVALID: of(traders.V2, misedited),
    V1_TRADER_NOT_READY: of(traders.V1, inactive),
    V2_TRADER_NOT_READY: of(traders.V2, inactive),
    V2_SUBACCOUNT_NOT_READY: of(traders.V2, (trader) => inState(trader, 'provisioning')),
    V2_ACCOUNT_NOT_TRADEABLE: of(traders.V2, (trader) => inState(trader, 'eliminated')),
  };

  /** An order in a pair that may only be closed; `passing` says which pair may be traded. */
  function violating({ ask, at }: Trader, passing: () => Promise<string>): Scene {
    const place = (trade_pair: string) => (key: string) => ask('POST', at, keyed(key, market({ trade_pair })));
    return {
      makes: counts.atNetwork('market'),
      send: place('PAXGUSDC'),
      instead: async (key) => place(await passing())(key),
    };
  }

  async function validated({ setUp }: Trader): Promise<string> {
    for (const pair of ['PAXGUSDC', 'BTCUSDC']) {
      const json = { pair, side: 'long', order_type: 'market', size: 100, size_in_usd: true };
      if ((await setUp('POST', '/v1/rules/validate', { json })).body.valid) return pair;
    }
    throw new Error('no pair passes');
  }

  async function ruled({ setUp }: Trader): Promise<string> {
    const { body } = await setUp('GET', '/v2/trading/rules?limit=500');
    const allowed = body.find(({ rule_id }: { rule_id: string }) => /^pair\.allowed::BTC/.test(rule_id));
    return allowed.rule_id.split('::')[1];
  }

  async function misedited({ ask, setUp, at }: Trader): Promise<Scene> {
    const id = (await setUp('POST', at, { json: limit() })).body.order_uuid;
    const edit = (stop_loss: number) => (key: string) =>
      ask('POST', `${at}/${id}/edit`, keyed(key, { trade_pair: 'BTCUSDC', stop_loss }));
    return {
      makes: counts.atNetwork('edit'),
      send: edit(95_000),
      async instead(key) {
        const { body } = await setUp('GET', `${at}/${id}`);
        return edit(body.limit_price - 10_000)(key);
      },
    };
  }

  /** A subaccount that the network has not activated yet. */
  async function inactive({ ask, at, subaccount }: Trader): Promise<Scene> {
    const setStatus = async (status: string) => {
      await service().network({ subaccount_id: subaccount, status });
      await service().db.query(
        sql.unsafe`update subaccounts set status = 'pending' where subaccount_id = ${subaccount}`,
      );
    };
    await setStatus('pending');
    return {
      makes: counts.atNetwork('market'),
      heal: () => setStatus('active'),
      send: (key) => ask('POST', at, keyed(key, market())),
    };
  }

  /** An account that is not tradeable until the network or an operator moves it on. */
  async function inState({ ask, at, account }: Trader, state: string): Promise<Scene> {
    const move = (status: string) =>
      service().db.query(sql.unsafe`update prop_accounts set status = ${status} where id = ${account ?? ''}`);
    await move(state);
    return {
      makes: counts.atNetwork('market'),
      heal: () => move('evaluation'),
      send: (key) => ask('POST', at, keyed(key, market())),
    };
  }
}

/** Orders in doubt: their request is late, and arrives while the caller polls. The service is patient for a minute. */
export function doubtScenes({ service, asking, counts }: Stage): Scenes {
  const of = (at: string, headers: () => Promise<Record<string, string>>) => async (): Promise<Scene> => {
    const caller = await headers();
    const [ask, setUp] = [asking(caller), byHand(service().url, caller)];
    service().miner.faults.add({ kind: 'hang', route: 'submit-order', times: 1 });
    const placed = await setUp('POST', at, { json: limit(), headers: { Prefer: 'wait=0' } });
    const id = placed.body.order_uuid;
    const statusOf = async () => (await setUp('GET', `${at}/${id}`)).body.status;
    while ((await statusOf()) !== 'unknown');
    return {
      makes: counts.atNetwork('cancel'),
      async heal() {
        await arrive(id);
        while (!['accepted', 'completed', 'failed'].includes(await statusOf()));
      },
      send: (key) => ask('DELETE', `${at}/${id}?trade_pair=BTCUSDC`, keyed(key)),
    };
  };
  return {
    V1_ORDER_IN_DOUBT: of('/v1/orders/netvenue', async () => {
      const { key, traderId } = await service().trader();
      return { ...bearer(key), 'Trader-ID': traderId };
    }),
    V2_ORDER_IN_DOUBT: of('/v2/trading/orders', async () => ({
      'X-Api-Key': (await (await service().propTrader()).key()).api_key,
    })),
  };

  /** The request that was on its way arrives at the network. */
  async function arrive(id: string): Promise<void> {
    const signal = await service().db.oneFirst(
      sql.type(
        z.object({ signal: z.custom<Signal>() }),
      )`select sent_payload -> 'signal' as signal from intents where id = ${id}`,
    );
    await venueOf(service()).submit(signal);
  }
}
