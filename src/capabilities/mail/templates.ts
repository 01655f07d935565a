import type { components } from '../../contract/types.ts';
import { escaped } from '../../kernel/html.ts';

/** The content of a mail. `lines` are paragraphs; `secret` is a code or a link, shown separately. */
type Text = { subject: string; lines: string[]; secret?: { code: string } | { link: string; label: string } };
type Data = {
  app?: string;
  url?: string;
  version?: string;
  receipt?: string;
  because?: string;
  subject?: string;
  text?: string;
  html?: string;
  label?: string;
  amount?: string;
  id?: string;
  revoked?: string;
};
type Template = (data: Data, secret: string) => Text;

const NOT_YOU = 'If this was not you, ignore this mail; nothing will change.';

const NOT_YOURS =
  'If this was not you, reset your password at once: that ends every session, revokes your API keys, and detaches a new payout account.';

/** Every mail of the service by template name. */
export const templates: Record<string, Template> = {
  verify_email: ({ app }, code) => ({
    subject: `Your code for ${app}`,
    lines: [`Enter this code in ${app} to verify your e-mail address. It is valid for 10 minutes.`, NOT_YOU],
    secret: { code },
  }),
  verify_email_again: ({ app }, code) => ({
    subject: `Your code for ${app}`,
    lines: [
      `Enter this code in ${app} to verify your e-mail address. It is valid for 10 minutes.`,
      'Sign-ups with this address gave different passwords. The code opens a session, but none of the passwords counts.',
      `Once the address is verified, set a password by a password reset in ${app}.`,
      NOT_YOU,
    ],
    secret: { code },
  }),
  password_needed: ({ app }) => ({
    subject: `Set a password for ${app}`,
    lines: [
      `Your e-mail address is verified at ${app}, but no password counts: sign-ups with it gave different ones.`,
      `Set a password by a password reset in ${app}.`,
      NOT_YOU,
    ],
  }),
  address_verified: ({ app }) => ({
    subject: `Your e-mail address is verified at ${app}`,
    lines: [
      `Someone asked ${app} for another code to verify this e-mail address. It is verified already: no code is needed.`,
      'If it was you, log in with your password, or reset it if you have forgotten it.',
    ],
  }),
  account_exists: ({ app }) => ({
    subject: `You already have an account at ${app}`,
    lines: [
      `Someone tried to sign up at ${app} with this e-mail address, which has an account already. Nothing was changed.`,
      'If it was you, log in with your password, or reset it if you have forgotten it.',
    ],
  }),
  reset_password: ({ app }, token) => ({
    subject: `Reset your password for ${app}`,
    lines: [
      `Enter this reset code in ${app} to choose a new password. It is valid for 1 hour and works once.`,
      NOT_YOU,
    ],
    secret: { code: token },
  }),
  totp_guessed: ({ app }) => ({
    subject: `Many wrong codes at your account at ${app}`,
    lines: [
      `Somebody who has your password entered 20 wrong authenticator codes at ${app} today. None was accepted.`,
      'Further attempts from there need a code that is mailed to you. Reset your password if it was not you.',
    ],
  }),
  login_code: ({ app }, code) => ({
    subject: `Your log-in code for ${app}`,
    lines: [
      `Enter this code in ${app} beside your password and authenticator code. It is valid for 10 minutes.`,
      'If you are not logging in right now, somebody else has your password: reset it at once.',
    ],
    secret: { code },
  }),
  operator_guessed: ({ id }) => ({
    subject: 'Many wrong codes at your operator account',
    lines: [
      `Somebody who has the password of ${id} entered 20 wrong authenticator codes today. None was accepted.`,
      'Further attempts from there need the release by another operator. Change your password.',
    ],
  }),
  operator_invited: (_, link) => ({
    subject: 'You are invited to the operators of the Trading Partner Service',
    lines: [
      'Open this link to set your password. It works once and is valid for 24 hours.',
      'Then log in to the console and enroll an authenticator.',
    ],
    secret: { link, label: 'Set the password' },
  }),
  totp_enabled: ({ app }) => ({
    subject: `An authenticator was added to your account at ${app}`,
    lines: [`From now on log-ins to ${app} need a code of the authenticator.`, NOT_YOURS],
  }),
  totp_disabled: ({ app }) => ({
    subject: `The authenticator of your account at ${app} was turned off`,
    lines: [`From now on log-ins to ${app} need the password only.`, NOT_YOURS],
  }),
  totp_removed: ({ app }) => ({
    subject: `The authenticator of your account at ${app} was removed`,
    lines: [`An operator removed it. From now on log-ins to ${app} need the password only.`, NOT_YOURS],
  }),
  api_key_created: ({ app, label }) => ({
    subject: `An API key was created for your account at ${app}`,
    lines: [`The key "${label}" can trade your account at ${app} until you revoke it.`, NOT_YOURS],
  }),
  payout_account_opened: ({ app }) => ({
    subject: `A payout account was opened for your account at ${app}`,
    lines: [`Once it is completed, payouts of your account at ${app} go there.`, NOT_YOURS],
  }),
  payout_account_changed: ({ app }) => ({
    subject: `The bank account for your payouts at ${app} was changed`,
    lines: [`From now on payouts of your account at ${app} go to another bank account.`, NOT_YOURS],
  }),
  payout_account_detached: ({ app }) => ({
    subject: `The payout account was removed from your account at ${app}`,
    lines: [`No payout of your account at ${app} goes there any more. Open another one to be paid.`, NOT_YOURS],
  }),
  payout_submitted: ({ app, amount = '0' }) => ({
    subject: `A payout of your account at ${app} was submitted`,
    lines: [`USD ${(Number(amount) / 100).toFixed(2)} of your account at ${app} are being paid out.`, NOT_YOURS],
  }),
  password_changed: ({ app, revoked }) => ({
    subject: `Your password for ${app} was changed`,
    lines: [
      revoked === 'new'
        ? 'Your password was changed just now. Every session was ended. API keys created since your last log-in were revoked; earlier ones still work.'
        : 'Your password was changed just now. Every session was ended, and every API key was revoked.',
      'If this was not you, reset it at once.',
    ],
  }),
  agreement_signed: ({ app, version, receipt = '' }) => ({
    subject: `You signed an agreement of ${app}`,
    lines: [
      `You signed version ${version}. Keep this receipt: it proves your signature, and every signature before it.`,
      receipt,
    ],
  }),
  reveal_credentials: ({ app }, link) => ({
    subject: `Access for ${app} is approved`,
    lines: [
      'Your access request is approved. Open this link to see the credentials of your app.',
      'They are shown once. The link is valid for 72 hours.',
    ],
    secret: { link, label: 'Show the credentials' },
  }),
  request_declined: ({ app }) => ({
    subject: `Your access request for ${app}`,
    lines: [`We cannot approve the access request for ${app}.`, 'Reply to this mail if you would like to know more.'],
  }),
  webhook_deactivated: ({ app, url, because = '' }) => {
    const { why, remedy } = deactivated(because);
    return {
      subject: `A webhook endpoint of ${app} was deactivated`,
      lines: [
        `Nothing is sent to ${url} any more: ${why}.`,
        `${remedy}, then recover what it missed. The event log still contains it.`,
      ],
    };
  },
};

/** Why this service deactivated an endpoint. No mail is sent for a deactivation that the owner requested. */
type DeactivationReason = Exclude<components['schemas']['WebhookEndpoint']['deactivated_because'], 'asked' | null>;

const WHEN_IT_RESPONDS = 'Activate it again when it responds';

const DEACTIVATIONS: Record<DeactivationReason, { why: string; remedy: string }> = {
  gone: { why: 'it responded 410 Gone', remedy: WHEN_IT_RESPONDS },
  failing: { why: 'every delivery to it has failed for 5 days', remedy: WHEN_IT_RESPONDS },
  stolen: {
    why: 'it was set with credentials that were stolen',
    remedy: 'If it is yours, give it a new signing secret and activate it again',
  },
};

/** The words of a reason. Throws for one that this version does not know: then a newer one sends the mail. */
function deactivated(because: string) {
  if (!Object.hasOwn(DEACTIVATIONS, because)) throw new Error(`Unknown reason of a deactivation ${because}`);
  return DEACTIVATIONS[because as DeactivationReason]; // as: just proven
}

/** The template of mails whose text an app supplies for one of its users. */
const TEXT_BY_APP = 'notification';

/**
 * A mail's subject, text and HTML. All data is escaped, except in a mail whose text an app supplies. Throws for an
 * unknown template.
 */
export function renderMail(name: string, data: Data, secret: string): { subject: string; text: string; html: string } {
  if (name === TEXT_BY_APP) return textByApp(data);
  const template = templates[name];
  if (!template) throw new Error(`Unknown mail template ${name}`);
  const content = template(data, secret);
  return { subject: oneLine(content.subject), text: asText(content), html: asHtml(content) };
}

const textByApp = ({ subject = '', text = '', html = '' }: Data) => ({ subject: oneLine(subject), text, html });

/** Removes line breaks: the data comes from people, and a subject is one line. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ');

function asText({ lines, secret }: Text): string {
  const [first, ...others] = lines;
  const shown = !secret ? [] : ['code' in secret ? secret.code : secret.link];
  return `${[first, ...shown, ...others].join('\n\n')}\n`;
}

function asHtml({ subject, lines, secret }: Text): string {
  const [first = '', ...others] = lines;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<title>${escaped(subject)}</title></head>`,
    '<body style="font-family:sans-serif;max-width:36em;line-height:1.5">',
    `<p>${escaped(first)}</p>${secret ? shownSecret(secret) : ''}`,
    ...others.map((line) => `<p>${escaped(line)}</p>`),
    '</body></html>',
  ].join('');
}

function shownSecret(secret: NonNullable<Text['secret']>): string {
  if ('link' in secret) return `<p><a href="${escaped(secret.link)}">${escaped(secret.label)}</a></p>`;
  return `<p style="font-size:1.4em;word-break:break-all"><strong>${escaped(secret.code)}</strong></p>`;
}
