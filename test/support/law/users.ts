import { appForPayouts } from '../foreign.ts';
import { bearer, asking as byHand, codeIn, codeOf, fresh, PASSWORD, type TestApp } from '../identity.ts';
import { checkOut, tier25k, tierDemo } from '../money.ts';
import { keyed, type Scenes, type Stage } from './scene.ts';

/** End users, what is sold to them, and what is written to them. */
export function userScenes({ service, asking, counts }: Stage): Scenes {
  const paymentIntents = counts.atProcessor('payment_intent');
  const userOf = async (app: TestApp = service().tenant) => {
    const made = await service().user(app);
    const headers = { ...bearer(app.token), 'X-Session-Token': made.session };
    return { ...made, ask: asking(headers), setUp: byHand(service().url, headers) };
  };
  const selling = (wrong: object) => async () => {
    const { ask } = await userOf();
    const buy = (tier: object) => (key: string) => ask('POST', '/v2/payments/checkout', keyed(key, tier));
    const readAndBuy = async (key: string) => {
      await ask('GET', '/v2/tiers');
      return buy(tier25k)(key);
    };
    return { makes: paymentIntents, send: buy({ ...tier25k, ...wrong }), instead: readAndBuy };
  };
  const writing = (wrong: object) => async () => {
    const app = await service().app(['*']);
    const { email } = await service().user(app);
    const mail = { subject: 'Hello', html: '<p>Hello</p>' };
    const send = (to: object) => (key: string) =>
      asking(bearer(app.token))('POST', '/v2/notifications/send', keyed(key, { ...mail, ...to }));
    return { makes: counts.rows(`mails where recipient = '${email}'`), send: send(wrong), instead: send({ email }) };
  };
  const enrolled = counts.rows('users where totp_enabled_at is not null');
  return {
    V2_TIER_MISMATCH: selling({ account_size: 5_000 }),
    V2_AMOUNT_MISMATCH: selling({ amount_cents: 1_000 }),
    async V2_TIER_NOT_FREE() {
      const { ask } = await userOf();
      const wrong = { ...tierDemo, tier_id: 'tier_25k', account_size: 25_000 };
      return {
        makes: paymentIntents,
        send: (key) => ask('POST', '/v2/payments/free', keyed(key, wrong)),
        instead: (key) => ask('POST', '/v2/payments/checkout', keyed(key, tier25k)),
      };
    },
    async V2_TIER_FREE() {
      const { ask, userId } = await userOf();
      return {
        makes: counts.rows(`prop_accounts where user_id = '${userId}'`),
        send: (key) =>
          ask('POST', '/v2/payments/checkout', keyed(key, { ...tierDemo, market: 'crypto', amount_cents: 0 })),
        instead: (key) => ask('POST', '/v2/payments/free', keyed(key, tierDemo)),
      };
    },
    V2_NOTIFY_EMPTY: writing({}),
    V2_NOTIFY_RECIPIENT_FORBIDDEN: writing({ email: 'stranger@example.com' }),
    async V2_PAYMENT_UNKNOWN() {
      const { ask, setUp } = await userOf();
      const { payment_id } = await checkOut(setUp);
      const read = (id: string) => () => ask('GET', `/v2/payments/${id}`);
      return {
        shows: (payment) => payment.id === payment_id,
        send: read(`pay_${'n'.repeat(22)}`),
        instead: read(payment_id),
      };
    },
    async V2_PROP_ACCOUNT_UNKNOWN() {
      const { user, account } = await service().propTrader();
      const ask = asking({ ...bearer(service().tenant.token), 'X-Session-Token': user.session });
      const sync = (id: string) => (key: string) => ask('POST', `/v2/lifecycle/sync/${id}`, keyed(key));
      return { shows: ({ synced }) => synced, send: sync(`prop_${'n'.repeat(22)}`), instead: sync(account.id) };
    },
    async V2_COUNTRY_UNSUPPORTED() {
      const { ask } = await userOf(await appForPayouts(service()));
      const open = (country: string) => (key: string) => ask('POST', '/v2/connect/accounts', keyed(key, { country }));
      return { makes: counts.atProcessor('account'), send: open('KP'), instead: open('US') };
    },
    async V2_SESSION_INVALID() {
      const app = service().tenant;
      const { email } = await service().user(app);
      let used = 'sess_none';
      return {
        makes: counts.rows('agreement_signatures'),
        async heal() {
          const { body } = await app.ask('POST', '/v2/auth/login', { json: { email, password: PASSWORD } });
          used = body.session_token;
        },
        send: (key) =>
          asking({ ...bearer(app.token), 'X-Session-Token': used })(
            'POST',
            '/v2/agreements/sign',
            keyed(key, { agreement_version: '1', signature_name: 'Ada' }),
          ),
      };
    },
    async V2_INVALID_CREDENTIALS() {
      const app = service().tenant;
      const { email } = await service().user(app);
      const logIn = (password: string) => (key: string) =>
        asking(bearer(app.token))('POST', '/v2/auth/login', keyed(key, { email, password }));
      return {
        makes: counts.rows('user_sessions'),
        send: logIn('wrong horse battery staple'),
        instead: logIn(PASSWORD),
      };
    },
    async V2_PASSWORD_GUESSABLE() {
      const email = `${fresh('law')}@example.com`;
      const signUp = (password: string) => (key: string) =>
        asking(bearer(service().tenant.token))('POST', '/v2/auth/signup', keyed(key, { email, password }));
      return {
        makes: counts.rows(`users where email = '${email}'`),
        send: signUp('password1234'),
        instead: signUp(PASSWORD),
      };
    },
    async V2_OTP_INVALID() {
      const app = service().tenant;
      const email = `${fresh('law')}@example.com`;
      await app.ask('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
      const code = codeIn((await service().mailTo(email)).text);
      const verify = (typed: string) => (key: string) =>
        asking(bearer(app.token))('POST', '/v2/auth/verify-email', keyed(key, { email, code: typed }));
      const makes = counts.rows(`users where email = '${email}' and verified_at is not null`);
      return { makes, send: verify(code === '000000' ? '111111' : '000000'), instead: verify(code) };
    },
    async V2_MFA_INVALID() {
      const { ask, setUp } = await userOf();
      const { secret } = (await setUp('POST', '/v2/auth/totp/enroll')).body;
      const confirm = (code: string) => (key: string) => ask('POST', '/v2/auth/totp/confirm', keyed(key, { code }));
      const right = codeOf(secret);
      return { makes: enrolled, send: confirm(right === '000000' ? '111111' : '000000'), instead: confirm(right) };
    },
    async V2_MFA_NOT_STARTED() {
      const { ask, setUp } = await userOf();
      let code = '123456';
      return {
        makes: enrolled,
        async heal() {
          code = codeOf((await setUp('POST', '/v2/auth/totp/enroll')).body.secret);
        },
        send: (key) => ask('POST', '/v2/auth/totp/confirm', keyed(key, { code })),
      };
    },
    async V2_MFA_ALREADY_ENABLED() {
      const { ask, setUp, userId } = await userOf();
      const { secret } = (await setUp('POST', '/v2/auth/totp/enroll')).body;
      await setUp('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(secret) } });
      return {
        shows: ({ user_id }) => user_id === userId,
        send: (key) => ask('POST', '/v2/auth/totp/enroll', keyed(key)),
        instead: () => ask('GET', '/v2/auth/me'),
      };
    },
  };
}
