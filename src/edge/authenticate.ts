import type { Operation, Requirement } from '../contract/document.ts';
import type { Principal } from '../kernel/principal.ts';
import { Refusal, type RefusalCode } from '../kernel/refusals.ts';
import type { WebRuntime } from '../runtime.ts';
import { type Credentials, getScheme } from './schemes.ts';

/** The caller before any credential has been looked at. */
export const nobody: Principal = { kind: 'nobody', owner: '' };

/**
 * Who calls an operation, by the first set of schemes the contract names of which the request shows every credential: one that is
 * shown must be right. Refuses with 401 without it, and with 403 where a scope or role is missing.
 */
export async function authenticate(operation: Operation, credentials: Credentials, runtime: WebRuntime) {
  const { security } = operation;
  const set = security.find((requirements) => isShown(requirements, credentials)) ?? security[0] ?? [];
  let principal = nobody;
  for (const { scheme: name, roles } of set) {
    const scheme = getScheme(name);
    const found = await scheme.check(credentials, runtime, principal);
    if (!found) throw unauthorized(scheme.refusal, scheme.challenge);
    const lack = scheme.lacks?.(found, roles);
    if (lack) throw new Refusal(lack);
    principal = found;
  }
  return principal;
}

const isShown = (requirements: Requirement[], credentials: Credentials) =>
  requirements.every(({ scheme }) => getScheme(scheme).isShown(credentials));

const unauthorized = (code: RefusalCode, challenge: string) =>
  new Refusal(code, { headers: { 'WWW-Authenticate': challenge } });
