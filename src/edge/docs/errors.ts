import { type ErrorCode, errors } from '../../kernel/error-codes.ts';
import { effects } from '../../kernel/error-effects.ts';
import { type Law, laws } from '../../kernel/error-laws.ts';
import { escaped } from '../../kernel/html.ts';

/** The error catalogue as a table: code, status, meaning, effect, repeat, what to do, and an anchor for each code. */
export function errorTable(): string {
  const codes = Object.keys(errors) as ErrorCode[]; // as: its own keys
  return `<table>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th><th scope="col">Effect</th><th scope="col">Repeat</th><th scope="col">What to do</th></tr></thead>
<tbody>
${codes.map(row).join('\n')}
</tbody>
</table>
`;
}

const row = (code: ErrorCode): string => {
  const [status, meaning] = errors[code];
  const effect = effects[code] ?? '`none`';
  const cells = [String(status), meaning, effect, repeat(laws[code], effect), laws[code].advice];
  return `<tr id="${code}"><th scope="row"><a href="#${code}">${code}</a></th>${cells.map(cell).join('')}</tr>`;
};

/** Whether, and under which key, the same request may be sent again. A new key after an unknown effect could have it twice. */
const repeat = ({ spends, retryAfterS }: Law, effect: string): string => {
  if (retryAfterS !== null) return `same key, after ${retryAfterS} s unless \`Retry-After\` says more`;
  if (effect.includes('`unknown`')) return 'as the next column says; a new key only after effect `none`';
  return spends ? 'no; another request has a new key' : 'same key, once that is done';
};

const cell = (text: string) => `<td>${escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')}</td>`;
