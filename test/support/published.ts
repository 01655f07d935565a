/**
 * A caller that sends what the published client of this API sends, and reads what it reads, written from its public
 * behaviour with the names of this service: it obtains one token for its scopes, sends session and account as headers,
 * leaves out absent members of a request, and names no type of response.
 */

// It reads bodies of every shape, as its callers do.
// biome-ignore lint/suspicious/noExplicitAny: see above
type AnyBody = any;
type Json = Record<string, unknown>;
type SentRequest = { json?: unknown; user?: boolean; account?: string | undefined };

type ErrorMembers = { code: string; message: string; retryable: boolean };

/** An error as that client throws it: it reads `detail`, or else `error`, of the body. */
export class ClientError extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryable: boolean;

  constructor(status: number, { code = 'UNKNOWN', message = '', retryable = false }: Partial<ErrorMembers>) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryable = Boolean(retryable);
  }
}

/** The client of an app, and of one of its users once `session` is set. */
export class PublishedClient {
  session: string | undefined;
  #token: Promise<string> | undefined;

  readonly url: string;
  readonly app: { id: string; secret: string; scope: string };

  constructor(url: string, app: PublishedClient['app']) {
    this.url = url;
    this.app = app;
  }

  async #obtainToken(): Promise<string> {
    const { id, secret, scope } = this.app;
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, scope };
    const response = await fetch(`${this.url}/v2/oauth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form),
    });
    const body = (await response.json()) as { access_token: string; expires_in: number };
    if (!response.ok || !(body.expires_in > 0)) throw new Error(`No token: ${response.status}`);
    return body.access_token;
  }

  /** One call. `user`: with the user's session, which is the default. */
  async call(method: string, path: string, { json, user = true, account }: SentRequest = {}): Promise<AnyBody> {
    this.#token ??= this.#obtainToken();
    const headers = new Headers({ Authorization: `Bearer ${await this.#token}` });
    if (account) headers.set('X-Prop-Account', account);
    if (json !== undefined) headers.set('Content-Type', 'application/json');
    if (user && this.session) headers.set('X-Session-Token', this.session);
    const body = json === undefined ? undefined : JSON.stringify(json);
    const response = await fetch(`${this.url}${path}`, { method, headers, ...(body !== undefined && { body }) });
    if (response.status === 204) return undefined;
    const read = JSON.parse(await response.text());
    if (response.ok) return read;
    throw new ClientError(response.status, read?.detail ?? read?.error ?? {});
  }

  #open = (path: string, json: Json) => this.call('POST', path, { json, user: false });

  signUp = (email: string, password: string) => this.#open('/v2/auth/signup', { email, password });
  verifyEmail = (email: string, code: string) => this.#open('/v2/auth/verify-email', { email, code });
  resendOtp = (email: string) => this.#open('/v2/auth/resend-otp', { email });
  logIn = (email: string, password: string, totp_code?: string) =>
    this.#open('/v2/auth/login', { email, password, totp_code });
  logOut = (session_token: string) => this.#open('/v2/auth/sessions/revoke', { session_token });
  me = () => this.call('GET', '/v2/auth/me');
  requestReset = (email: string) => this.#open('/v2/auth/password-reset/request', { email });
  confirmReset = (email: string, token: string, new_password: string) =>
    this.#open('/v2/auth/password-reset/confirm', { email, token, new_password });

  principal = () => this.call('GET', '/v2/oauth/me', { user: false });
  currentApp = () => this.call('GET', '/v2/apps/me', { user: false });
  kycStatus = () => this.call('GET', '/v2/kyc/status');
  kycSession = () => this.call('POST', '/v2/kyc/processor-identity/session');

  checkOut = (json: Json) => this.call('POST', '/v2/payments/checkout', { json });
  freeAccount = (json: Json) => this.call('POST', '/v2/payments/free', { json });
  propAccounts = () => this.call('GET', '/v2/payments/prop-accounts');
  propAccount = (id: string) => this.call('GET', `/v2/payments/prop-accounts/${id}`);

  openConnectAccount = (country = 'US') => this.call('POST', '/v2/connect/accounts', { json: { country } });
  connectAccounts = () => this.call('GET', '/v2/connect/accounts');
  onboardingLink = (id: string) => this.call('POST', `/v2/connect/accounts/${id}/onboarding-link`);
  requestPayout = (json: Json) => this.call('POST', '/v2/payouts/request', { json });
  submitPayout = (id: string) => this.call('POST', `/v2/payouts/${id}/submit`);
  cancelPayout = (id: string) => this.call('POST', `/v2/payouts/${id}/cancel`);
  payouts = () => this.call('GET', '/v2/payouts');
  estimate = (account?: string) => this.call('GET', '/v2/payouts/estimate', { account });

  sign = (json: Json) => this.call('POST', '/v2/agreements/sign', { json });
  agreementStatus = () => this.call('GET', '/v2/agreements/status');
  audits = () => this.call('GET', '/v2/agreements/audits');
  createKey = (json: Json) => this.call('POST', '/v2/api-keys', { json });
  keys = () => this.call('GET', '/v2/api-keys');
  revokeKey = (id: string) => this.call('DELETE', `/v2/api-keys/${id}`);

  placeOrder = (json: Json, account?: string) => this.call('POST', '/v2/trading/orders', { json, account });
  close = (trade_pair: string, account?: string) =>
    this.call('POST', '/v2/trading/orders/close', { json: { trade_pair }, account });
  bulkClose = (position_uuids: string[], account?: string) =>
    this.call('POST', '/v2/trading/orders/bulk-close', { json: { position_uuids }, account });
  cancel = (id: string, pair: string, account?: string) =>
    this.call('DELETE', `/v2/trading/orders/${id}?trade_pair=${encodeURIComponent(pair)}`, { account });
  edit = (id: string, json: Json, account?: string) =>
    this.call('POST', `/v2/trading/orders/${id}/edit`, { json, account });
  tpSl = (json: Json, account?: string) => this.call('POST', '/v2/trading/orders/tp-sl', { json, account });
  trading = (what: 'positions' | 'orders' | 'history' | 'balance' | 'desk-poll', account?: string) =>
    this.call('GET', `/v2/trading/${what}`, { account });

  registerWebhook = (json: Json) => this.call('POST', '/v2/webhook-endpoints', { json });
  webhooks = () => this.call('GET', '/v2/webhook-endpoints');
  removeWebhook = (id: string) => this.call('DELETE', `/v2/webhook-endpoints/${id}`);
}

const MEMBER = /^(\w+)(\?)? (string|number|boolean|strings)$/;

/** Which of the listed members are missing or of another type. Each is `name type`, and `name? type` may be null. */
export function faultsOf(body: Json, members: string): string[] {
  return members
    .split(',')
    .map((member) => member.trim())
    .filter((member) => {
      const [, name = '', isNullable, type = ''] = MEMBER.exec(member) ?? [];
      const value = body?.[name];
      if (type === 'strings') return !Array.isArray(value) || value.some((each) => typeof each !== 'string');
      return !(isNullable && value === null) && typeof value !== type;
    });
}
