/** Every scope an app can hold. `api` covers all but `payouts:write`; `*` covers everything. */
export const scopes = ['api', 'webhooks', 'reads', 'trading', 'payouts:write', '*'] as const;
export type Scope = (typeof scopes)[number];

const NOT_IN_API = new Set(['payouts:write', '*']);

/** Whether holding these scopes is enough for the one that is wanted. */
export const covers = (held: readonly string[], wanted: string): boolean =>
  held.includes(wanted) || held.includes('*') || (held.includes('api') && !NOT_IN_API.has(wanted));

/** The scopes granted out of those asked for: known ones that the held ones cover, each once. Others are dropped. */
export const grant = (held: readonly string[], asked: readonly string[]): Scope[] =>
  scopes.filter((scope) => asked.includes(scope) && covers(held, scope));
