import type { Chapter, Guide } from './guide.ts';

const PASSWORD = 'correct horse battery staple';

/** A tenant app gets its token. Its end user signs up, verifies an address, logs in and signs an agreement. */
export const appAndUser: Chapter = {
  title: 'An app and its end user',
  async walk(guide, notes) {
    const email = `tour-${Date.now()}@example.com`;
    await readApp(guide);
    await signUp(guide, email);
    const session = await logIn(guide, email);
    await signAgreement(guide, session);
    notes.set('session', session).set('email', email);
  },
};

async function readApp({ say, app: { api, settled }, check }: Guide): Promise<void> {
  say(
    'A tenant app gives its credentials; the client exchanges them for an access token, and renews it before its end.',
  );
  const { app_id } = await settled(api.GET('/v2/oauth/me'));
  const me = await settled(api.GET('/v2/apps/me'));
  check('the token is this app’s', me.app_id === app_id);
}

async function signUp({ say, app, rejected, check, sandbox }: Guide, email: string): Promise<void> {
  const { api, settled } = app;
  say('An end user signs up; a login before the address is verified is rejected.');
  const body = { email, password: PASSWORD };
  await settled(api.POST('/v2/auth/signup', { body }));
  await rejected('V2_EMAIL_NOT_VERIFIED', settled(api.POST('/v2/auth/login', { body })));

  say('The code from the mailbox verifies the address.');
  const { text } = await sandbox.mailTo(email, /./);
  const code = /\b\d{6}\b/.exec(text)?.[0] ?? '';
  check('the mail contains a code', code !== '');
  const verify = () => settled(api.POST('/v2/auth/verify-email', { body: { email, code } }));
  check('the address is verified', (await verify()).email_verified === true);

  say('The code works only once.');
  await rejected('V2_OTP_EXPIRED', verify());
}

/** Returns the session's token. */
async function logIn({ say, app, user, check }: Guide, email: string): Promise<string> {
  say('Log in, and read the current user.');
  const login = await app.settled(app.api.POST('/v2/auth/login', { body: { email, password: PASSWORD } }));
  const session = login.session_token ?? '';
  const { api, settled } = user(session);
  const me = await settled(api.GET('/v2/auth/me'));
  check('it is the user', me.email === email && me.user_id === login.user_id);
  return session;
}

async function signAgreement({ say, user, check, gained }: Guide, session: string): Promise<void> {
  const { api, settled, rows } = user(session);
  say('The user signs an agreement; the receipt contains the signature’s position in the app’s chain.');
  const body = { agreement_version: '2026-01', signature_name: 'Jane Doe' };
  const signed = await settled(api.POST('/v2/agreements/sign', { body }));
  const status = await settled(api.GET('/v2/agreements/status'));
  check('it is signed', status.signed && status.agreement_version === body.agreement_version);
  const [audit] = await Array.fromAsync(rows(api.GET('/v2/agreements/audits')));
  check('the receipt matches the chain', audit?.row_hash === signed.receipt.row_hash);
  await gained();
}
