import type { As, Chapter, Guide } from './guide.ts';

const PASSWORD = 'correct horse battery staple';

/** A tenant app gets its token. Its end user signs up, verifies an address, logs in and signs an agreement. */
export const appAndUser: Chapter = {
  title: 'An app and its end user',
  async walk(guide, notes) {
    const asApp = { Authorization: `Bearer ${await getToken(guide)}` };
    const email = `tour-${Date.now()}@example.com`;
    await signUp(guide, asApp, email);
    const session = await logIn(guide, asApp, email);
    await signAgreement(guide, { ...asApp, 'X-Session-Token': session });
    notes.set('token', asApp.Authorization).set('session', session).set('email', email);
  },
};

async function getToken({ say, ask, check, app }: Guide): Promise<string> {
  say('A tenant app exchanges its credentials for an access token.');
  const form = { grant_type: 'client_credentials', ...app };
  const { body } = await ask({ method: 'POST', path: '/v2/oauth/token', form, expect: 200 });
  check('it is a bearer token', body.token_type === 'Bearer' && body.expires_in > 0);
  const headers = { Authorization: `Bearer ${body.access_token}` };
  const me = await ask({ method: 'GET', path: '/v2/oauth/me', headers, expect: 200 });
  check('it is this app’s', me.body.app_id === app.client_id);
  return body.access_token;
}

async function signUp({ say, ask, check, sandbox }: Guide, headers: As, email: string): Promise<void> {
  say('An end user signs up; a login before the address is verified is rejected.');
  const body = { email, password: PASSWORD };
  await ask({ method: 'POST', path: '/v2/auth/signup', body, headers, expect: 200 });
  await ask({ method: 'POST', path: '/v2/auth/login', body, headers, expect: 403 });

  say('The code from the mailbox verifies the address.');
  const { text } = await sandbox.mailTo(email, /./);
  const code = /\b\d{6}\b/.exec(text)?.[0] ?? '';
  check('the mail contains a code', code !== '');
  const request = { method: 'POST', path: '/v2/auth/verify-email', body: { email, code }, headers } as const;
  const verified = await ask({ ...request, expect: 200 });
  check('the address is verified', verified.body.email_verified === true);

  say('The code works only once.');
  await ask({ ...request, expect: 400 });
}

/** Returns the session's token. */
async function logIn({ say, ask, check }: Guide, asApp: As, email: string): Promise<string> {
  say('Log in, and read the current user.');
  const body = { email, password: PASSWORD };
  const login = await ask({ method: 'POST', path: '/v2/auth/login', body, headers: asApp, expect: 200 });
  const headers = { ...asApp, 'X-Session-Token': login.body.session_token };
  const me = await ask({ method: 'GET', path: '/v2/auth/me', headers, expect: 200 });
  check('it is the user', me.body.email === email && me.body.user_id === login.body.user_id);
  return login.body.session_token;
}

async function signAgreement({ say, ask, check, gained }: Guide, headers: As): Promise<void> {
  say('The user signs an agreement; the receipt contains the signature’s position in the app’s chain.');
  const body = { agreement_version: '2026-01', signature_name: 'Jane Doe' };
  const signed = await ask({ method: 'POST', path: '/v2/agreements/sign', body, headers, expect: 200 });
  const status = await ask({ method: 'GET', path: '/v2/agreements/status', headers, expect: 200 });
  check('it is signed', status.body.signed && status.body.agreement_version === body.agreement_version);
  const audits = await ask({ method: 'GET', path: '/v2/agreements/audits', headers, expect: 200 });
  check('the receipt matches the chain', audits.body[0].row_hash === signed.body.receipt.row_hash);
  await gained();
}
