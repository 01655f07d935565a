const OWNER =
  'owner|app|app_id|user_id|partner_id|admin_id|session_id|trader|ex_address|ex_wallet|account|address|scope|email|digest';
const LIFE =
  'revoked_at|used_at|superseded_at|verified_at|disabled_at|retired_at|totp_enabled_at|totp_enrolled_at|expires_at|seen_at|attempts_left|totp_step|active';
/** What stands before a condition, so that assignments are left alone. */
const BEFORE = String.raw`(?<=\b(?:where|and|on|when) \(?|fragment\`)`;
const VALUE = String.raw`(?:any\(\$\{.*?\}\)|\$\{[^}]*(?:\([^}]*\))?[^}]*\}|[\w.]+(?: ->> '\w+')?)`;
const CONDITIONS = [
  new RegExp(String.raw`${BEFORE}(?:\w+\.)?(?:${OWNER}) (?:=|<>) ${VALUE}`, 'g'),
  new RegExp(
    String.raw`${BEFORE}(?:\w+\.)?(?:${LIFE}) (?:is (?:not )?null|[<>]=? (?:now\(\)(?: - (?:interval '[^']+'|make_interval\([^)]*\)))?|${VALUE}))`,
    'g',
  ),
];

/** A condition of a file: its text, and where it begins. */
export type Condition = { text: string; at: number; line: number };

/** The conditions of SQL on owners and on the life of credentials, in TypeScript or SQL; comments have none. */
export const listConditions = (source: string): Condition[] =>
  CONDITIONS.flatMap((pattern) => [...source.matchAll(pattern)])
    .map(({ 0: text, index }) => ({ text, at: index, line: source.slice(0, index).split('\n').length }))
    .sort((a, b) => a.at - b.at);

/** The source with a condition that is always met. */
export const without = (source: string, { text, at }: Condition): string =>
  `${source.slice(0, at)}true${source.slice(at + text.length)}`;
