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

/** A condition of a file: its text, where it begins, and the statement or function that it is part of. */
export type Condition = { text: string; at: number; line: number; of: string };

const NAMES = /(?:prepared\([^'"`]*['"`]|const |function )(\w+)/g;
const nameBefore = (source: string) => [...source.matchAll(NAMES)].at(-1)?.[1] ?? '';

/** The conditions of SQL on owners and on the life of credentials, in TypeScript or SQL; comments have none. */
export const listConditions = (source: string): Condition[] =>
  CONDITIONS.flatMap((pattern) => [...source.matchAll(pattern)])
    .map(({ 0: text, index }) => {
      const before = source.slice(0, index);
      return { text, at: index, line: before.split('\n').length, of: nameBefore(before) };
    })
    .sort((a, b) => a.at - b.at);

/** The source with a condition that is always met. */
export const without = (source: string, { text, at }: Condition): string =>
  `${source.slice(0, at)}true${source.slice(at + text.length)}`;

/** Notes for Stryker's global which test executes the statement, and says whether the condition is the active mutant. */
const SWITCH = `
function leavesOut(id) {
  const context = (globalThis.__stryker__ ??= {});
  const { static: whileLoading, perTest } = (context.mutantCoverage ??= { static: {}, perTest: {} });
  const executed = context.currentTestId ? (perTest[context.currentTestId] ??= {}) : whileLoading;
  executed[id] = 1;
  return context.activeMutant === id;
}
`;

/** The source of TypeScript in which each condition is always met while its mutant is active. */
export const switchable = (source: string, conditions: (Condition & { id: string })[]): string =>
  conditions.reduceRight(
    (text, { id, at, text: condition }) =>
      `${text.slice(0, at)}\${leavesOut('${id}') ? sql.fragment\`true\` : sql.fragment\`${condition}\`}${text.slice(at + condition.length)}`,
    source,
  ) + SWITCH;
