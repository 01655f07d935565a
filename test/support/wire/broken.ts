import fc from 'fast-check';

const LARGE = `{"data":[${'"0123456789abcdef",'.repeat(110_000)}0]}`;
const LARGE_TEXT = 'x'.repeat(2_000_000);

/** Every way in which a body of an upstream is wrong, from one that is right. */
export const KINDS = {
  whole: (body) => body,
  cut: (body) => body.slice(0, Math.floor(body.length / 2)),
  empty: () => '',
  string: () => '"service unavailable"',
  null: () => 'null',
  number: () => '0',
  true: () => 'true',
  list: () => '[]',
  object: () => '{}',
  nested: () => '[[["x"]]]',
  error_text: () => '{"error":"overloaded"}',
  error_null: () => '{"error":null,"status":"ok","response":null}',
  error_list: () => '{"error":[{"code":[]}],"data":{},"success":"true"}',
  html: () => '<html><body><h1>502 Bad Gateway</h1></body></html>',
  bytes: () => '\u0000\ufffd\ud800{',
  large: () => LARGE,
  large_text: () => LARGE_TEXT,
} satisfies Record<string, (body: string) => string>;

/** Values of a wrong type, or out of any range. */
const WRONG = [
  null,
  true,
  -1,
  0,
  1e308,
  'x',
  '',
  '0x',
  '0xzz',
  'NaN',
  '-0',
  '9'.repeat(400),
  [],
  [null],
  {},
  { id: 1 },
] as const;

/** What to replace in a JSON text: the member at this position of all, with this value; undefined: delete it. */
export type Change = { at: number; value: unknown };

export const changes = fc.array(
  fc.record({ at: fc.nat(10_000), value: fc.constantFrom<unknown>(undefined, ...WRONG) }),
  { minLength: 1, maxLength: 4 },
);

/** A JSON text with members of a wrong type. Any other text is returned unchanged. */
export function changed(text: string, list: readonly Change[]): string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return text;
  }
  const root: Holder = { json };
  for (const { at, value } of list) {
    const slots = slotsOf(root);
    const [holder, name] = slots[at % slots.length] ?? [root, 'json'];
    if (value === undefined && !Array.isArray(holder)) delete holder[name];
    else holder[name] = structuredClone(value);
  }
  return JSON.stringify(root.json) ?? '';
}

type Holder = Record<string, unknown>;

function slotsOf(holder: Holder): [Holder, string][] {
  return Object.entries(holder).flatMap(([name, value]): [Holder, string][] => [
    [holder, name],
    ...(typeof value === 'object' && value !== null ? slotsOf(value as Holder) : []), // as: any object has named members
  ]);
}
