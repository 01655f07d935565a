import { sql } from 'slonik';
import { appForPayouts } from '../foreign.ts';
import {
  type Ask,
  bearer,
  asking as byHand,
  codeIn,
  codeOf,
  type Data,
  fresh,
  PASSWORD,
  resetTokenIn,
  type TestApp,
} from '../identity.ts';
import { until } from '../processes.ts';
import { keyed, type Scene, type Scenes, type Stage } from './scene.ts';

const LOG_IN = '/v2/auth/login';
const address = () => `${fresh('law')}@example.com`;

/** Sign-ups, log-ins and mailed codes: what a person must type, and what attempts are counted. */
export function signInScenes({ service, asking, counts }: Stage): Scenes {
  const ofApp = () => ({ ask: asking(bearer(service().tenant.token)), setUp: service().tenant.ask });
  const sessions = counts.rows('user_sessions');
  const logInAs =
    (ask: Ask, email: string, more: object = {}) =>
    (key: string) =>
      ask('POST', LOG_IN, keyed(key, { email, password: PASSWORD, ...more }));
  return {
    async V2_EMAIL_NOT_VERIFIED() {
      const { ask, setUp } = ofApp();
      const email = address();
      await setUp('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
      await service().mailTo(email);
      return {
        makes: sessions,
        async heal() {
          await setUp('POST', '/v2/auth/resend-otp', { json: { email } });
          const code = codeIn((await service().mailTo(email, 2)).text);
          await setUp('POST', '/v2/auth/verify-email', { json: { email, code } });
        },
        send: logInAs(ask, email),
      };
    },
    async V2_OTP_EXPIRED() {
      const { ask, setUp } = ofApp();
      const email = address();
      await setUp('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
      const first = codeIn((await service().mailTo(email)).text);
      await service().db.query(sql.unsafe`update one_time_codes set expires_at = now() where email = ${email}`);
      const verify = (code: string) => (key: string) =>
        ask('POST', '/v2/auth/verify-email', keyed(key, { email, code }));
      let second = '';
      return {
        makes: counts.rows(`users where email = '${email}' and verified_at is not null`),
        send: verify(first),
        async heal() {
          await setUp('POST', '/v2/auth/resend-otp', { json: { email } });
          second = codeIn((await service().mailTo(email, 2)).text);
        },
        instead: (key) => verify(second)(key),
      };
    },
    async V2_REAUTHENTICATION_REQUIRED() {
      const app = await appForPayouts(service());
      const { session, ask: setUp } = await service().user(app);
      await (await service().admin()).ask('PATCH', `/v2/admin/apps/${app.appId}`, {
        json: { require_reauthentication: true },
      });
      const ask = asking({ ...bearer(app.token), 'X-Session-Token': session });
      return {
        makes: counts.atProcessor('account'),
        heal: () => setUp('POST', '/v2/auth/reauthenticate', { json: { password: PASSWORD } }),
        send: (key) => ask('POST', '/v2/connect/accounts', keyed(key, { country: 'US' })),
      };
    },
    async V2_EMAIL_CODE_REQUIRED() {
      const { ask, setUp } = ofApp();
      const { email, totp_code } = await guessedAt(service().tenant, setUp);
      const codes = () =>
        service()
          .mailbox.mails(email)
          .filter(({ subject }) => /log-in code/.test(subject))
          .map(({ text }) => codeIn(text));
      return {
        makes: sessions,
        send: logInAs(ask, email, { totp_code }),
        heal: () => until('the codes of both attempts', () => codes().length === 2),
        async instead(key) {
          let reply = await logInAs(ask, email, { totp_code, email_code: codes()[1] })(key);
          if (reply.status !== 200) reply = await logInAs(ask, email, { totp_code, email_code: codes()[0] })(key); // mails overtake each other
          return reply;
        },
      };
    },
    async V2_THROTTLED() {
      const { ask, setUp } = ofApp();
      const { email } = await service().user(service().tenant);
      await setUp('POST', LOG_IN, { json: { email, password: 'a wrong horse' } });
      const spent = sql.unsafe`update throttles set spent = budget + 1 where name = 'login' returning subject`;
      const subjects = await service().db.manyFirst(spent);
      return {
        makes: sessions,
        pass: (seconds) =>
          service().db.query(sql.unsafe`
            update throttles set ends_at = ends_at - make_interval(secs => ${seconds})
            where name = 'login' and subject = any(${sql.array(subjects as Buffer[], 'bytea')})`),
        send: logInAs(ask, email),
      };
    },
    async V2_PASSWORD_RESET_REQUIRED() {
      const app = service().tenant;
      const email = address();
      for (const [count, password] of [PASSWORD, 'another horse battery'].entries()) {
        await app.ask('POST', '/v2/auth/signup', { json: { email, password } });
        await service().mailTo(email, count + 1);
      }
      const code = codeIn((await service().mailTo(email, 2)).text);
      const { body } = await app.ask('POST', '/v2/auth/verify-email', { json: { email, code } });
      let session = body.session_token;
      return {
        shows: ({ reauthenticated_at }) => reauthenticated_at,
        async heal() {
          await app.ask('POST', '/v2/auth/password-reset/request', { json: { email } });
          const token = await until('a reset', () =>
            service()
              .mailbox.mails(email)
              .map(({ text }) => resetTokenIn(text))
              .find(Boolean),
          );
          await app.ask('POST', '/v2/auth/password-reset/confirm', { json: { email, token, new_password: PASSWORD } });
          session = (await app.ask('POST', LOG_IN, { json: { email, password: PASSWORD } })).body.session_token;
        },
        send: (key) =>
          asking({ ...bearer(app.token), 'X-Session-Token': session })(
            'POST',
            '/v2/auth/reauthenticate',
            keyed(key, { password: PASSWORD }),
          ),
      };
    },
    async V2_SESSION_UNKNOWN() {
      const app = service().tenant;
      const { session, email } = await service().user(app);
      const headers = { ...bearer(app.token), 'X-Session-Token': session };
      const ask = asking(headers);
      await app.ask('POST', LOG_IN, { json: { email, password: PASSWORD } });
      const revoke = (session_id: string, key: string) =>
        ask('POST', '/v2/auth/sessions/revoke', keyed(key, { session_id }));
      const listed = await byHand(service().url, headers)('GET', '/v2/auth/sessions');
      const other = listed.body.find(({ current }: { current: boolean }) => !current).session_id;
      return {
        makes: counts.rows('user_sessions where revoked_at is not null'),
        send: (key) => revoke(`uss_${'n'.repeat(22)}`, key),
        instead: (key) => revoke(other, key),
      };
    },
  };

  /** A user with an authenticator whose attempts of the day are spent, and the code that it shows now. */
  async function guessedAt(app: TestApp, setUp: Ask): Promise<{ email: string; totp_code: string }> {
    const user = await service().user(app);
    const { secret } = (await user.ask('POST', '/v2/auth/totp/enroll')).body;
    await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(secret, -1) } });
    const totp_code = codeOf(secret);
    const json = { email: user.email, password: PASSWORD, totp_code: totp_code === '000000' ? '111111' : '000000' };
    await setUp('POST', LOG_IN, { json });
    await service().db.query(sql.unsafe`update throttles set spent = budget + 1 where name = 'totp_day'`);
    return { email: user.email, totp_code };
  }
}

/** Requests for tokens, which are forms. */
export function tokenScenes({ service, asking }: Stage): Scenes {
  const requesting = async (wrong: object, right: (ask: Ask) => Promise<object>): Promise<Scene> => {
    const { appId, secret, ask: ofApp } = await service().app(['api']);
    const form = { grant_type: 'client_credentials', client_id: appId, client_secret: secret };
    const ask = async (more: object): Promise<Data> => {
      const reply = await asking()('POST', '/v2/oauth/token', { form: { ...form, ...more } });
      const { detail: error, ...body } = reply.body;
      if (!error) return reply;
      const headers = new Headers([...reply.headers]);
      headers.set('Content-Type', 'application/problem+json'); // what the others have; RFC 6749 asks for another here
      return { ...reply, headers, body: { ...body, error } };
    };
    return {
      shows: ({ access_token }) => access_token,
      send: () => ask(wrong),
      instead: async () => ask(await right(ofApp)),
    };
  };
  return {
    V2_UNSUPPORTED_GRANT: () => requesting({ grant_type: 'password' }, async () => ({})),
    V2_INVALID_SCOPE: () =>
      requesting({ scope: 'payouts:write' }, async (ofApp) => ({
        scope: (await ofApp('GET', '/v2/apps/me')).body.allowed_scopes.join(' '),
      })),
  };
}
