/**
 * Every scope an app can hold. `api` covers all but `payouts:write`; `reads` covers every read but those of webhooks and
 * of operators; `*` covers everything.
 */
export const scopes = ['api', 'webhooks', 'reads', 'trading', 'payouts:write', '*'] as const;
/** A scope an app can hold. */
export type Scope = (typeof scopes)[number];

/** The scopes of an app that acts for its own users only. */
export const ORDINARY_SCOPES: readonly Scope[] = scopes.filter((scope) => scope !== '*');

const NOT_IN_API = new Set(['payouts:write', '*']);
const READ_SCOPES = new Set(['api', 'trading']);

/** Whether the `held` scopes cover the `required` one; for a read, `reads` covers `api` and `trading`. */
export const covers = (held: readonly string[], required: string, isRead = false): boolean =>
  held.includes(required) ||
  held.includes('*') ||
  (held.includes('api') && !NOT_IN_API.has(required)) ||
  (isRead && held.includes('reads') && READ_SCOPES.has(required));

/** The requested scopes that are known and covered by the `held` ones, each once. Others are dropped. */
export const grant = (held: readonly string[], requested: readonly string[]): Scope[] =>
  scopes.filter((scope) => requested.includes(scope) && covers(held, scope));
