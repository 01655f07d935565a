import { listOperations, nodeAt } from '../../../src/contract/document.ts';
import type { Ask } from '../../support/identity.ts';
import type { Site } from '../stage.ts';

const RUNS = 20;
const TOO_LONG_MS = 2_000;
const UNKNOWN = 'x'.repeat(20); // behind the prefix of an id that nothing has
const P95 = Math.ceil(RUNS * 0.95) - 1;

/** The slow twentieth of each query of operators, in ms, by its name, slowest first. */
export type Queries = [name: string, ms: number][];

/** Times every read of the console, with each value of its filters, and every view and explanation of `ops`. */
export async function timeOperatorQueries(site: Site, ask: Ask): Promise<Queries> {
  const known = await knownIds(site);
  const times: Queries = [];
  for (const path of consolePaths(known)) {
    const read = async () => {
      const { status, body } = await ask('GET', path);
      const isAnswer = status === 200 || (status === 404 && path.includes(UNKNOWN));
      if (!isAnswer && body.error?.code !== 'SERVICE_UNAVAILABLE')
        // that one took too long
        throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    };
    times.push([path, await slowest(read)]);
  }
  for (const text of await statementsOf(site, known)) times.push([text, await slowest(() => site.rows(text))]);
  return times.sort(([, a], [, b]) => b - a);
}

/** What is slower than 95 % of the runs; the first run that takes so long that no more are needed to know. */
async function slowest(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < RUNS; n++) {
    const startedAt = performance.now();
    await run();
    const ms = performance.now() - startedAt;
    if (ms > TOO_LONG_MS) return ms;
    times.push(ms);
  }
  return times.sort((a, b) => a - b)[P95] as number; // as: there are so many
}

type Ids = Record<string, string>;

/** Ids in the middle of what is stored, as an operator is given them. */
async function knownIds({ rows }: Site): Promise<Ids> {
  const [ids] = await rows<Ids>(`
    select p.id as partner_id, i.id as intent_id, i.request_id, d.id as delivery_id, d.event_id, d.endpoint_id, i.kind, o.trader,
      to_char(now(), 'YYYY-MM') as month
    from partners p
    cross join lateral (select * from intents i where i.owner = p.id and i.created_at < now() - interval '200 days' order by i.id desc limit 1) i
    cross join lateral (select * from webhook_deliveries d where d.owner = p.id order by d.id limit 1) d
    cross join lateral (select o.trader from orders o where o.owner = p.id limit 1) o
    limit 1`);
  if (!ids) throw new Error('Nothing is stored');
  return ids;
}

/** Every path of the console, with the known ids, and with each value of each filter that has a list of them. */
function consolePaths(known: Ids): string[] {
  const reads = listOperations().filter(({ method, path }) => method === 'get' && path.startsWith('/v2/admin/'));
  return reads.flatMap(({ path, parameters }) => {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => known[name] ?? unknownOf(name, parameters));
    const filters = parameters.filter(({ in: place }) => place === 'query');
    const needed = filters
      .filter(({ required }) => required)
      .map(({ name, pointer }) => [name, valuesOf(name, pointer, known)[0]]);
    const pathWith = (more: object) => `${filled}?${new URLSearchParams({ ...Object.fromEntries(needed), ...more })}`;
    const each = filters.flatMap(({ name, pointer }) =>
      valuesOf(name, pointer, known).map((value) => pathWith({ [name]: value })),
    );
    return [pathWith({}), ...each];
  });
}

/** An id of the right form that nothing has. */
function unknownOf(name: string, parameters: { name: string; pointer: string }[]): string {
  const { pattern = '' } = nodeAt(parameters.find((each) => each.name === name)?.pointer ?? '') as { pattern?: string };
  return `${/^\^(\w+_)/.exec(pattern)?.[1] ?? ''}${UNKNOWN}`;
}

function valuesOf(name: string, pointer: string, known: Ids): string[] {
  const { enum: values } = nodeAt(pointer) as { enum?: string[] };
  if (values) return values;
  if (name === 'owner' || name === 'app_id') return [known.partner_id as string];
  if (name === 'q')
    return ['intent_id', 'request_id', 'delivery_id', 'event_id', 'endpoint_id', 'trader'].map(
      (id) => known[id] as string,
    );
  return known[name] ? [known[name]] : [];
}

/** Every view of `ops` as psql shows its first rows, and each function that explains. */
async function statementsOf({ rows }: Site, known: Ids): Promise<string[]> {
  const views = await rows<{ name: string }>(
    `select viewname as name from pg_views where schemaname = 'ops' order by 1`,
  );
  return [
    ...views.map(({ name }) => `select * from ops.${name} limit 100`),
    ...['history', 'why', 'safe_to_rerun'].map((name) => `select * from ops.${name}('${known.intent_id}')`),
    `select * from ops.find('${known.request_id}')`,
    `select * from ops.intents where request_id = '${known.request_id}'`,
  ];
}
