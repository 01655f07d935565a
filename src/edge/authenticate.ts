import type { Operation } from '../contract/document.ts';
import type { Principal } from '../kernel/principal.ts';
import { Refusal, type RefusalCode } from '../kernel/refusals.ts';
import type { WebRuntime } from '../runtime.ts';

type Credentials = { authorization: string | undefined };
type Scheme = {
  check(credentials: Credentials, runtime: WebRuntime): Promise<Principal | null>;
  refusal: RefusalCode;
  challenge: string;
};

/** How each security scheme of the contract is checked, and what a caller without it is told. */
const schemes: Record<string, Scheme> = {
  partnerKey: {
    check: async ({ authorization }, { partners }) => {
      const key = bearer(authorization);
      return key ? partners(key) : null;
    },
    refusal: 'V1_KEY_INVALID',
    challenge: 'Bearer realm="v1"',
  },
};

const bearer = (authorization = '') => /^Bearer +([\x21-\x7e]{1,512})$/i.exec(authorization)?.[1];

const nobody: Principal = { kind: 'nobody', owner: '' };

/** Who calls an operation. Refuses with 401 unless one of the schemes the contract names passes. */
export async function authenticate(operation: Operation, credentials: Credentials, runtime: WebRuntime) {
  const [name] = operation.security;
  if (name === undefined) return nobody;
  const scheme = getScheme(name);
  const principal = await scheme.check(credentials, runtime);
  if (!principal) throw new Refusal(scheme.refusal, { headers: { 'WWW-Authenticate': scheme.challenge } });
  return principal;
}

/** The scheme of a name. Throws at boot for a name of the contract that nobody checks. */
export function getScheme(name: string): Scheme {
  const scheme = schemes[name];
  if (!scheme) throw new Error(`No check for security scheme ${name}`);
  return scheme;
}
