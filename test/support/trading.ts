import { type Ask, asking, bearer, type TestUser } from './identity.ts';
import { accountIn, type Money, startMoney, tierDemo } from './money.ts';

export const TRADING = '/v2/trading';

/** A user with a prop account, and every kind of credential to trade it. */
export type TestTrader = {
  user: TestUser;
  account: { id: string; subaccount_id: number; synthetic_hotkey: string };
  /** The Trader-ID that the support functions for network orders use for it. */
  traderId: string;
  /** As the user, through the app. */
  ask: Ask;
  /** As the app alone, for this account. */
  app: Ask;
  /** A new API key bound to the account. */
  key(): Promise<{ id: string; api_key: string; ask: Ask }>;
};

/** The whole service with traders of prop accounts. */
export type Trading = Money & { propTrader(): Promise<TestTrader> };

/** Starts the service with traders of prop accounts. */
export async function startTrading(options: Parameters<typeof startMoney>[0] = {}): Promise<Trading> {
  const money = await startMoney(options);
  return {
    ...money,
    async propTrader() {
      const user = await money.user(money.tenant);
      await user.ask('POST', '/v2/payments/free', { json: tierDemo });
      const account = await accountIn(user.ask, 'evaluation');
      return {
        user,
        account,
        traderId: String(account.subaccount_id),
        ask: user.ask,
        app: asking(money.url, { ...bearer(money.tenant.token), 'X-Prop-Account': account.id }),
        async key() {
          const json = { label: 'bot', prop_account_id: account.id };
          const { body } = await user.ask('POST', '/v2/api-keys', { json });
          return { ...body, ask: asking(money.url, { 'X-Api-Key': body.api_key }) };
        },
      };
    },
  };
}
