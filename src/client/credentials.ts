/**
 * What identifies the caller: a partner's key (v1), the credentials of an app (v2; for servers only), or a trader's key
 * (`/v2/trading`; the one kind for browsers).
 */
export type Credentials =
  | { partnerKey: string }
  | { clientId: string; clientSecret: string; scope?: string }
  | { apiKey: string };

/**
 * The header with the credentials. `renew` replaces the token for the next call. False: there is nothing to replace.
 */
export type Authorization = { header(): Promise<[name: string, value: string]>; renew(used: string): boolean };

/** An access token, and its life in seconds from its issue. */
export type Token = { access_token: string; expires_in: number };

const MARGIN_MS = 30_000; // a token is replaced this long before its end, or at half of a shorter life

/** Makes the authorization. `issue` obtains a token for the credentials of an app; concurrent requests share one. */
export function authorization(credentials: Credentials, issue: () => Promise<Token>): Authorization {
  if ('partnerKey' in credentials) return constant('Authorization', `Bearer ${credentials.partnerKey}`);
  if ('apiKey' in credentials) return constant('X-Api-Key', credentials.apiKey);
  let held: StoredToken | undefined;
  const obtain = () => {
    const issued: StoredToken = { token: issue(), header: '', endsAt: Number.POSITIVE_INFINITY };
    held = issued;
    issued.token.then(
      ({ access_token, expires_in }) => {
        issued.header = `Bearer ${access_token}`;
        issued.endsAt = Date.now() + Math.max(expires_in * 1_000 - MARGIN_MS, expires_in * 500);
      },
      () => {
        if (held === issued) held = undefined; // a failed one is not kept
      },
    );
    return issued;
  };
  return {
    async header() {
      const current = held && held.endsAt > Date.now() ? held : obtain();
      const { access_token } = await current.token;
      return ['Authorization', `Bearer ${access_token}`];
    },
    renew(used) {
      if (held?.header === used) held = undefined; // else another request has renewed it already
      return true;
    },
  };
}

/** A token that is issued or being issued. */
type StoredToken = { token: Promise<Token>; header: string; endsAt: number };

const constant = (name: string, value: string): Authorization => ({
  header: async () => [name, value],
  renew: () => false,
});
