import type { ClientBase } from 'pg';
import type { Definition } from './definitions.ts';

/** A definition without a file that stays. `text` creates it; of a view only, since functions stay in place. */
export type KeptDefinition = Pick<Definition, 'kind' | 'name' | 'sha256'> & { text: string | null };

type Gone = Pick<KeptDefinition, 'kind' | 'name' | 'sha256'>;

/** Of the definitions that have no file any more, those that are called, and those that these use in turn. */
export async function findKept(
  client: ClientBase,
  gone: Gone[],
  isCalled: (name: string) => boolean,
): Promise<KeptDefinition[]> {
  if (!gone.some(({ name }) => isCalled(name))) return [];
  const texts = await textsOf(client, gone);
  const kept = new Set(gone.filter(({ name }) => isCalled(name)));
  for (const each of kept) // grows while it is walked
    for (const other of gone) if (names(texts.get(each.name) ?? '', other.name)) kept.add(other);
  return [...kept].map((each) => ({
    ...each,
    text: each.kind === 'view' ? `create view ${each.name} as ${texts.get(each.name)}` : null,
  }));
}

async function textsOf(client: ClientBase, gone: Gone[]): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string; text: string }>(
    `select w.name, coalesce(p.prosrc, pg_get_viewdef(to_regclass(w.name))) as text
     from unnest($1::text[]) as w (name)
     left join pg_proc p on p.oid = to_regproc(w.name)`,
    [gone.filter(({ kind }) => kind !== 'trigger').map(({ name }) => name)],
  );
  return new Map(rows.map(({ name, text }) => [name, text]));
}

const names = (text: string, name: string): boolean => new RegExp(`\\b${name.replace('.', '\\.')}\\b`).test(text);

/** Creates kept views again, each after those that it reads. */
export async function makeKept(client: ClientBase, kept: KeptDefinition[]): Promise<void> {
  const views = kept.filter(({ text }) => text !== null);
  const reads = (one: KeptDefinition, other: KeptDefinition) => one !== other && names(one.text ?? '', other.name);
  const made = new Set<KeptDefinition>();
  const make = async (view: KeptDefinition): Promise<void> => {
    if (made.has(view)) return;
    made.add(view);
    for (const other of views) if (reads(view, other)) await make(other);
    await client.query(view.text ?? '');
  };
  for (const view of views) await make(view);
}
