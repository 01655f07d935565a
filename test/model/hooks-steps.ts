import { expect } from 'chai';
import { until } from '../support/processes.ts';
import {
  checkDeliveries,
  checkRequests,
  type EmittedEvent,
  missedBy,
  type OwnedEndpoint,
  receives,
} from './hooks-truth.ts';
import { atRest, type Behaviour, ENDPOINTS, listDeliveries, type World, type WorldApp } from './hooks-world.ts';

const MOST_ENDPOINTS = 3;

type Of = { which: number };
/** What an app, its receivers and the world do. */
export type Step =
  | { do: 'emit'; type: string; times: number }
  | ({ do: 'behave'; behaviour: Behaviour } & Of)
  | { do: 'wait'; times: number }
  | { do: 'create'; events: string[] }
  | ({ do: 'subscribe'; events: string[] } & Of)
  | ({ do: 'move' | 'disable' | 'delete' | 'enable' | 'test' | 'recover' } & Of)
  | ({ do: 'rotate'; overlapS: number } & Of)
  | ({ do: 'redeliver'; nth: number } & Of)
  | ({
      do: 'meanwhile';
      behaviour: Behaviour;
      act: 'redeliver' | 'disable' | 'delete' | 'move' | 'rotate' | 'kill' | 'away';
    } & Of)
  | { do: 'kill' };
/** A step, and whether what it began may end before the next. */
export type Move = { step: Step; isCalm: boolean };

/** An app, what it knows of its endpoints, and the events that were sent. */
export type Game = { world: World; app: WorldApp; known: OwnedEndpoint[]; sent: EmittedEvent[]; paths: number };

/** Begins with an endpoint for every event. */
export async function begin(world: World): Promise<Game> {
  const game: Game = { world, app: world.app(), known: [], sent: [], paths: 0 };
  await create(game, ['*']);
  return game;
}

const newPath = (game: Game) => `/${game.app.appId}/${game.paths++}`;

async function create(game: Game, events: string[]): Promise<void> {
  if (game.known.length === MOST_ENDPOINTS) return;
  const [path, at] = [newPath(game), game.world.now()];
  const { body } = await game.app.ask('POST', ENDPOINTS, { json: { url: game.world.receivers.url + path, events } });
  const secrets = [{ secret: body.secret, from: at, until: Number.POSITIVE_INFINITY }];
  const since = {
    silences: [],
    before: new Map<string, number>(),
    checked: new Map<string, string>(),
  };
  game.known.push({ id: body.id, paths: [path], events, active: true, createdAt: at, secrets, ...since });
}

/** Takes a step. Throws unless everything is as it has to be, once nothing is under way. */
export async function play(game: Game, { step: one, isCalm }: Move): Promise<void> {
  const { world, known, sent } = game;
  await take(game, one);
  if (!isCalm) return;
  await calm(game);
  for (const each of known) {
    checkRequests(each, world.receivers.ledger, sent);
    await checkDeliveries(world, game.app, each, sent, false);
  }
}

async function calm(game: Game): Promise<void> {
  await atRest(
    game.world,
    game.app,
    game.known.map(({ id }) => id),
  );
  await sync(game);
}

/** Learns which endpoints the service has deactivated, and whether it had a reason. */
async function sync({ app, world, known }: Game): Promise<void> {
  const { body } = await app.ask('GET', ENDPOINTS);
  for (const each of known.filter(({ active }) => active)) {
    const { active, deactivated_because: because } = body.find(({ id }: { id: string }) => id === each.id);
    if (active) continue;
    const statuses = world.receivers.ledger
      .filter(({ path }) => path === each.paths.at(-1))
      .map(({ status }) => status);
    if (because === 'gone') expect(statuses).to.include(410);
    else expect(because).to.equal('failing');
    silence(each);
  }
}

function silence(known: OwnedEndpoint): void {
  if (!known.active) return;
  known.active = false;
  known.silences.push({ fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY });
}

async function take(game: Game, one: Step): Promise<void> {
  const { world, known } = game;
  if (one.do === 'emit') for (let n = 0; n < one.times; n += 1) await emit(game, one.type);
  if (one.do === 'wait') for (let n = 0; n < one.times; n += 1) await toNextAttempt(game);
  if (one.do === 'create') await create(game, one.events);
  if (one.do === 'kill') await world.kill();
  if (!('which' in one)) return;
  const target = known[one.which % known.length] as OwnedEndpoint;
  if (one.do === 'behave') world.receivers.behave(String(target.paths.at(-1)), one.behaviour);
  else if (one.do === 'meanwhile') await meanwhile(game, target, one);
  else await change(game, target, one);
}

/** While a receiver works on an event, something else is done with it. */
async function meanwhile(
  game: Game,
  target: OwnedEndpoint,
  { which, behaviour, act }: Extract<Step, { do: 'meanwhile' }>,
): Promise<void> {
  const { receivers } = game.world;
  receivers.behave(String(target.paths.at(-1)), behaviour);
  const before = receivers.ledger.length;
  await emit(game, 'kyc.updated');
  await until('it arrives', () => receivers.ledger.length > before || null, 1_000).catch(() => {}); // it may be inactive
  if (act === 'kill') await take(game, { do: act });
  else if (act === 'away') {
    await take(game, { do: 'disable', which });
    await emit(game, 'kyc.updated');
    await take(game, { do: 'enable', which });
    await take(game, { do: 'recover', which });
  } else await take(game, { do: act, which, nth: -1, overlapS: 0 } as Step); // as: each takes what it needs
}

async function emit(game: Game, type: string): Promise<void> {
  const { app, known, sent, world } = game;
  await sync(game);
  const before = known.filter((each) => receives(each, type));
  const n = sent.length;
  const json = { subject: 's', html: 'h', fanout_event: type, payload: { n } };
  const at = world.now();
  const { status, body } = await app.ask('POST', '/v2/notifications/send', { json });
  expect(status, JSON.stringify(body)).to.equal(200);
  await sync(game);
  const to = known.filter((each) => receives(each, type));
  expect(body.webhook_deliveries_queued).to.be.within(to.length, before.length);
  await noteEvents(game, { type, n, at, to, isTest: false });
}

/** The event that was written last is in the log, behind all that were before. */
async function noteEvents({ app, sent }: Game, event: Omit<EmittedEvent, 'id'>): Promise<void> {
  const last = sent.at(-1);
  const { body } = await app.ask('GET', `/v2/events?limit=500${last ? `&after=${last.id}` : ''}`);
  expect(body.map(({ type }: { type: string }) => type)).to.deep.equal([event.type]);
  sent.push({ ...event, id: body[0].id });
}

/** Time passes until the next attempt that waits is due. */
async function toNextAttempt(game: Game): Promise<void> {
  const { world, app, known } = game;
  await calm(game);
  const lists = await Promise.all(known.map(({ id }) => listDeliveries(app, id)));
  const due = lists.flat().flatMap(({ next_attempt_at: at }) => (at ? [Date.parse(at)] : []));
  if (due.length === 0) return;
  await world.advance(Math.max(0, Math.min(...due) - Date.now()) / 1_000 + 0.1);
  await calm(game);
}

async function change(
  game: Game,
  target: OwnedEndpoint,
  one: Exclude<Step, { do: 'behave' | 'meanwhile' }> & Of,
): Promise<void> {
  const { app, world, sent } = game;
  const at = `${ENDPOINTS}/${target.id}`;
  const patch = async (json: object) => expect((await app.ask('PATCH', at, { json })).status).to.equal(200);
  if (one.do === 'subscribe') {
    await patch({ events: one.events });
    target.events = one.events;
  } else if (one.do === 'move') {
    const path = newPath(game);
    target.paths.push(path);
    await patch({ url: world.receivers.url + path });
  } else if (one.do === 'enable') {
    await sync(game);
    const last = target.silences.at(-1);
    if (last && !target.active) last.toMs = Date.now();
    await patch({ active: true });
    target.active = true;
  } else if (one.do === 'rotate') {
    const from = world.now();
    const { body } = await app.ask('POST', `${at}/rotate-secret`, { json: { overlap_seconds: one.overlapS } });
    for (const each of target.secrets) each.until = Math.min(each.until, from + one.overlapS * 1_000);
    target.secrets.push({ secret: body.secret, from, until: Number.POSITIVE_INFINITY });
  } else if (one.do === 'test') {
    const asked = world.now();
    const { status } = await app.ask('POST', `${at}/test`);
    if (target.active && status === 409) await sync(game);
    expect(status).to.equal(target.active ? 200 : 409);
    if (status === 200) await noteEvents(game, { type: 'webhook.test', n: -1, at: asked, to: [target], isTest: true });
  } else if (one.do === 'redeliver') await redeliver(game, target, one.nth);
  else if (one.do === 'recover') await recover(game, target, sent);
  else {
    const { status } =
      one.do === 'delete' ? await app.ask('DELETE', at) : await app.ask('PATCH', at, { json: { active: false } });
    expect(status).to.equal(200);
    silence(target);
  }
}

async function redeliver(game: Game, target: OwnedEndpoint, nth: number): Promise<void> {
  const listed = await listDeliveries(game.app, target.id);
  const one = nth < 0 ? listed.at(-1) : listed[nth % Math.max(1, listed.length)];
  if (!one) return;
  const { status, body } = await game.app.ask('POST', `/v2/webhook-deliveries/${one.id}/redeliver`);
  if (target.active && status === 409) await sync(game);
  expect(status).to.equal(target.active ? 200 : 409);
  if (status !== 200) return;
  expect(body.status).to.equal('pending');
  target.before.set(one.id, body.attempts);
}

async function recover(game: Game, target: OwnedEndpoint, sent: EmittedEvent[]): Promise<void> {
  await calm(game);
  const listed = await listDeliveries(game.app, target.id);
  const json = { since: '2020-01-01T00:00:00Z' };
  const { status, body } = await game.app.ask('POST', `${ENDPOINTS}/${target.id}/recover`, { json });
  expect(status, JSON.stringify(body)).to.be.oneOf(target.active ? [200, 429] : [409]);
  if (status !== 200) return;
  expect(body.queued).to.equal(missedBy(target, sent, listed));
  for (const one of listed) if (['failed', 'cancelled'].includes(one.status)) target.before.set(one.id, one.attempts);
}

/** In the end every receiver responds: what waits for one that is active arrives. */
export async function finish(game: Game): Promise<void> {
  const { world, app, known, sent } = game;
  world.receivers.allRespond();
  for (let left = 3; left > 0; left -= 1) {
    await calm(game);
    await world.advance(44 * 3_600);
  }
  await calm(game);
  for (const each of known) {
    checkRequests(each, world.receivers.ledger, sent);
    await checkDeliveries(world, app, each, sent, true);
  }
}
