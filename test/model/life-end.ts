import { appActs, enabling } from './life-apps.ts';
import type { AppKey, Happened, State } from './life-state.ts';
import type { World } from './life-world.ts';

type Event = { id: string; type: string; origin: string; data: Record<string, unknown>; timestamp: string };

/** At the end both apps are enabled, and read their logs: each thing that happened is there once, and nothing else. */
export async function holdsAtEnd(world: World): Promise<void> {
  for (const [who, key] of [
    [0, 'a'],
    [2, 'b'],
  ] as const) {
    await world.perform(enabling(world, key, 'send'));
    await world.perform(appActs.newToken(world, who, 0));
  }
  for (const key of ['a', 'b'] as const) await holdsOf(world, key);
}

async function holdsOf(world: World, key: AppKey): Promise<void> {
  const token = world.token(key);
  const { body: log } = await world.send({ as: 'caller', path: '/v2/events?limit=500', token });
  const { id } = world.now.apps[key];
  const delivered = world.stage.receiver.ledger
    .filter(({ path }) => path === `/${id}`)
    .map(({ body }) => JSON.parse(body) as Event);
  const why = world.truths.map((truth) => [
    ...wrongOfLog(truth, key, log),
    ...wrongOfDeliveries(truth, key, log, delivered),
  ]);
  if (why.every((wrong) => wrong.length > 0)) throw new Error(`The log of ${key}:\n  ${why[0]?.join('\n  ')}`);
}

/** What is wrong about a log if this is the truth. */
function wrongOfLog(truth: State, key: AppKey, log: Event[]): string[] {
  const expected = truth.events.filter(({ app }) => app === key);
  const subjects = new Set([...expected.map(({ about }) => about)]);
  const left = [...log];
  const wrong: string[] = [];
  for (const about of subjects) {
    let from = -1;
    for (const each of expected.filter((event) => event.about === about)) {
      const at = left.findIndex((event, n) => n > from && matches(event, each));
      if (at < 0) wrong.push(`missing, or too early: ${each.type} ${JSON.stringify(each.data)}`);
      else {
        left.splice(at, 1);
        from = at - 1;
      }
    }
  }
  return [...wrong, ...left.map(({ type, data }) => `nobody expects ${type} ${JSON.stringify(data)}`)];
}

function matches({ type, data, origin }: Event, wanted: Happened): boolean {
  const isFrom = origin === (wanted.type === 'life.told' ? 'app' : 'service');
  const members = Object.entries(wanted.data);
  return (
    isFrom &&
    type === wanted.type &&
    members.every(([name, value]) => JSON.stringify(data[name]) === JSON.stringify(value))
  );
}

/** What is wrong about what an app's endpoint received. */
function wrongOfDeliveries(truth: State, key: AppKey, log: Event[], delivered: Event[]): string[] {
  const wrong: string[] = [];
  const expected = truth.events.filter(({ app }) => app === key);
  for (const each of delivered) {
    const event = log.find(({ id }) => id === each.id);
    if (!event) wrong.push(`delivered, and not in the log: ${each.type} ${JSON.stringify(each.data)}`);
    else if (JSON.stringify(event.data) !== JSON.stringify(each.data))
      wrong.push(`delivered otherwise: ${JSON.stringify(each.data)}`);
  }
  for (const event of log) {
    const fates = expected.filter((each) => matches(event, each)).map(({ fate }) => fate);
    const isThere = delivered.some(({ id }) => id === event.id);
    if (!fates.includes('dropped') && !isThere)
      wrong.push(`never delivered: ${event.type} ${JSON.stringify(event.data)}`);
    if (!fates.includes('sent') && isThere)
      wrong.push(`delivered although it was dropped: ${event.type} ${JSON.stringify(event.data)}`);
  }
  return wrong;
}
