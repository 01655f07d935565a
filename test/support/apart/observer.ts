import type { Data } from '../identity.ts';

/** Members whose values are of the moment. */
const OF_THE_MOMENT =
  /^(processing_time|expires_in|fence|attempts|reconcile_attempts|position|seq|polls|lanes|nonce|body|first_id|address|hint|totp_step|signed_head|timestamp|.*hash|.*_?ms)$/;
/** Members that an upstream counts for all of its customers. */
const COUNTED =
  /^(id|oid|ex_order_id|tp_order_id|sl_order_id|parent_ex_order_id|exits_cancelled|lane|account|trade_id|subaccount_id|trader_id|reference|exchange_number)$/;
/** Members that are secrets, which may look like anything. */
const SECRET = /secret$/;
/** Headers that say something of the moment. */
const LEFT_OUT = /^(date|x-request-id|content-length|keep-alive|connection|transfer-encoding|etag|set-cookie)$/;

const ID =
  /^(?:[a-z]{2,7}_[\w-]{16,36}|sess_[\w-]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[a-z]{2}_\d{1,6}|acct_\w+)$/i;
const PATTERNS: [RegExp, string][] = [
  [/\bwhsec_[\w+/=-]+/g, '<secret>'],
  [/[\w-]{40,}/g, '<secret>'],
  [/\b([a-z]{2,7})_[A-Za-z0-9_.-]{16,}/g, '<$1>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d(?::?\d\d)?)?/g, '<time>'],
  [/\b(?:pi|ch|re|py|tr|vs|acct|evt|txn|po)_\w+/g, '<processor>'],
  [/0x[0-9a-f]{32,}/gi, '<hex>'],
  [/\btest_entity_\d+/g, '<hotkey>'],
  [/;([rt])=\d+/g, ';$1=<n>'],
  [/127\.0\.0\.1:\d+/g, '<host>'],
  [/\bapp-\d+-\d+\b/g, '<slug>'],
];

/** What a tenant observes, as it was and in a form that does not differ between two runs in which the same happens. */
export type Observer = {
  /** All of it as it was. */
  raw(): string;
  said: Record<string, unknown>;
  /** The ids that it has learned, as it was shown them. */
  ids(): string[];
  /** Gives an id a name. */
  name(id: string, name: string): void;
  /** Notes a response under a label, and names the ids in it. */
  reply(label: string, reply: Data): void;
  /** Notes entries in any order, each kind once if `isSet`. */
  entries(label: string, entries: readonly unknown[], isSet?: boolean): void;
};

/** Makes an observer who knows nothing. */
export function observer(): Observer {
  const raw: string[] = [];
  const names = new Map<string, string>();
  const said: Record<string, unknown> = {};

  function learn(label: string, value: unknown): void {
    if (typeof value === 'string' && ID.test(value) && !names.has(value)) names.set(value, `<${label}>`);
    if (value === null || typeof value !== 'object') return;
    for (const [key, member] of Object.entries(value)) if (!SECRET.test(key)) learn(`${label}.${key}`, member);
  }

  const named = (text: string): string => {
    let rest = text;
    for (const [id, name] of [...names].sort(([a], [b]) => b.length - a.length)) rest = rest.replaceAll(id, name);
    return PATTERNS.reduce((now, [pattern, by]) => now.replace(pattern, by), rest);
  };

  function normal(value: unknown, key = ''): unknown {
    if (value === null) return null;
    if (OF_THE_MOMENT.test(key) || (COUNTED.test(key) && /^\d+$/.test(String(value)))) return '<value>';
    if (SECRET.test(key)) return '<secret>';
    if (typeof value === 'string') return value.startsWith('{') ? normal(JSON.parse(value)) : named(value);
    if (Array.isArray(value)) return value.map((each) => normal(each, key));
    if (typeof value !== 'object') return value;
    const members = Object.entries(value).map(([name, member]) => [named(name), normal(member, name)] as const);
    return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  return {
    raw: () => raw.join('\n'),
    said,
    ids: () => [...names.keys()],
    name: (id, name) => void names.set(id, name),
    reply(label, { status, headers, body }) {
      const heads = [...headers].filter(([name]) => !LEFT_OUT.test(name));
      raw.push(`${label} ${JSON.stringify([body, ...heads])}`);
      learn(label, body);
      const heard = { status, body: normal(body), headers: heads.map(([name, value]) => `${name}: ${named(value)}`) };
      said[label in said ? `${label} ${Object.keys(said).length}` : label] = heard;
    },
    entries(label, entries, isSet = false) {
      raw.push(`${label} ${JSON.stringify(entries)}`);
      const all = entries.map((entry) => JSON.stringify(normal(entry))).sort();
      said[label] = isSet ? [...new Set(all)] : all;
    },
  };
}
