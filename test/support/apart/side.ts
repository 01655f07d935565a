import { createHmac } from 'node:crypto';
import { privateKeyToAddress } from 'viem/accounts';
import { type Ask, asking, bearer, codeIn, PASSWORD } from '../identity.ts';
import { until } from '../processes.ts';
import type { Receiver } from '../receivers.ts';
import type { Trading } from '../trading.ts';

/** What both tenants have: the address of a person, the key of a wallet, and where webhooks go. */
export const EMAIL = 'ann@example.com';
export const WALLET_KEY = `0x${'5e'.repeat(32)}` as const;
export const WALLET = privateKeyToAddress(WALLET_KEY).toLowerCase();

/** A tenant: a partner, and an app with one user. */
export type Side = {
  name: string;
  service: Trading;
  receiver: Receiver;
  partner: Ask;
  partnerId: string;
  partnerKey: string;
  app: Ask;
  appId: string;
  token: string;
  user: Ask;
  userId: string;
  session: string;
};

const URLS = { connect_return_url: 'https://example.com/back', connect_refresh_url: 'https://example.com/again' };

/** Makes a tenant whose app has this name, by which its mails are known. */
export async function openSide(service: Trading, receiver: Receiver, name: string): Promise<Side> {
  const { ask: operator } = await service.admin();
  const { owner: partnerId, key: partnerKey } = await service.partner();
  const { appId, token, ask: app } = await service.app(['api', 'webhooks', 'payouts:write']);
  await operator('PATCH', `/v2/admin/apps/${appId}`, { json: { name, ...URLS } });
  await app('POST', '/v2/auth/signup', { json: { email: EMAIL, password: PASSWORD } });
  const mail = await until(`a mail of ${name}`, () => mailsOf(service, name)[0] ?? null, 10_000);
  const { body } = await app('POST', '/v2/auth/verify-email', { json: { email: EMAIL, code: codeIn(mail.text) } });
  return {
    ...{ name, service, receiver, partnerId, partnerKey, appId, app, token },
    partner: asking(service.url, bearer(partnerKey)),
    user: asking(service.url, { ...bearer(token), 'X-Session-Token': body.session_token }),
    userId: body.user_id,
    session: body.session_token,
  };
}

/** The mails of an app to the address that both have. */
export const mailsOf = ({ mailbox }: Trading, name: string) =>
  mailbox.mails(EMAIL).filter(({ subject, text }) => `${subject} ${text}`.includes(name));

/** What the receiver got that is signed with one of these secrets. */
export const signedBy = ({ ledger }: Receiver, secrets: string[]) =>
  ledger.filter(({ headers, body }) =>
    secrets.some((secret) => {
      const key = createHmac('sha256', secret).update(`${headers['x-service-timestamp']}.${body}`).digest('hex');
      return String(headers['x-service-signature']).includes(key);
    }),
  );
