import type { Call } from '../edge/handler.ts';
import { type Budget, budgetOf } from '../kernel/throttles.ts';
import type { Account } from './intents.ts';

/** What a try of an account's password counts against: its own from this address, and that of all strangers together. */
export const loginBudgets = ({ appId, email }: Account, network: string, isKnown: boolean): Budget[] => [
  budgetOf('login', appId, email, network),
  ...(isKnown ? [] : [strangers(appId, email)]),
];

const strangers = (appId: string, email: string) => budgetOf('login_strangers', appId, email);

/** What a try of a user's authenticator code counts against. */
export const totpBudget = (userId: string): Budget => budgetOf('totp', userId);

/** Gives an account its tries back: whoever reads its mail has just proven to be its owner, and waits no longer. */
export const forgetTries = (call: Pick<Call, 'runtime' | 'network'>, account: Account, userId: string): Promise<void> =>
  call.runtime.throttle.forgive([
    budgetOf('login', account.appId, account.email, call.network),
    strangers(account.appId, account.email),
    totpBudget(userId),
  ]);
