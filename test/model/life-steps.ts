import fc from 'fast-check';
import { sql } from 'slonik';
import { z } from 'zod';
import { accountActs } from './life-accounts.ts';
import type { Act } from './life-act.ts';
import { appActs } from './life-apps.ts';
import { deeds } from './life-deeds.ts';
import { peopleActs } from './life-people.ts';
import { rulings } from './life-rulings.ts';
import { foreignReads, gateTries, ownReads } from './life-sight.ts';
import { userOf } from './life-state.ts';
import { streamsEnd, watch } from './life-streams.ts';
import { totpActs } from './life-totp.ts';
import type { World } from './life-world.ts';

type Builds = (world: World, who: number, n: number) => Act | null | Promise<Act | null>;
const acts: Record<string, Builds> = {
  ...peopleActs,
  ...totpActs,
  ...accountActs,
  ...rulings,
  ...deeds,
  ...appActs,
  watch,
};
/** How often each is chosen beside the others. */
const OFTEN: Record<string, number> = {
  logIn: 4,
  open: 3,
  checkOut: 3,
  pay: 5,
  judge: 3,
  mintKey: 4,
  reset: 3,
  askForReset: 2,
  watch: 3,
  sign: 2,
  enroll: 2,
  confirm: 3,
  lose: 2,
  endDispute: 4,
  reinstate: 2,
  provision: 2,
  enable: 3,
};

type One = { does: string; who: number; n: number };
/** `way`: once, twice under one key at once, twice under two keys at once, or at once with something else. */
export type Step = { way: 'once' | 'twin' | 'double' | 'with' | 'again' | 'jobs'; one: One; other: One };

const one: fc.Arbitrary<One> = fc.record({
  does: fc.oneof(...Object.keys(acts).map((name) => ({ weight: OFTEN[name] ?? 1, arbitrary: fc.constant(name) }))),
  who: fc.constantFrom(0, 0, 1, 2),
  n: fc.nat(11),
});

/** A step of a run. */
export const steps: fc.Arbitrary<Step> = fc.record({
  way: fc.constantFrom('once', 'once', 'once', 'once', 'twin', 'double', 'with', 'with', 'again', 'jobs'),
  one,
  other: one,
});

const opening = (...names: string[]): Step[] =>
  names.map((name) => {
    const [does = '', n = '1'] = name.split(' ');
    const each = { does, who: 0, n: Number(n) };
    return { way: 'once', one: each, other: each };
  });

/** Where a run begins: most of what can go wrong needs an account, or an authenticator. */
export const openings: Step[][] = [
  [],
  opening('open', 'mintKey'),
  opening('checkOut', 'pay', 'mintKey'),
  opening('checkOut', 'pay', 'judge', 'mintKey'),
  opening('checkOut', 'pay', 'mintKey', 'watch', 'lose', 'endDispute'),
  opening('enroll', 'confirm', 'logIn'),
  opening('network', 'open', 'checkOut', 'pay', 'network'),
  opening('logIn', 'beginKyc', 'enroll', 'sign'),
  opening('open', 'mintKey', 'logIn', 'mintKey', 'askForReset'),
  opening('open', 'watch', 'checkOut', 'disable', 'pay 4'),
  opening('checkOut', 'disable', 'pay 4', 'enable 0'),
];

/** Takes one step, and then compares what its person and a stranger may see, and who may trade. */
export async function take(world: World, { way, one: chosen, other }: Step): Promise<void> {
  for (const { who } of way === 'with' ? [chosen, other] : [chosen]) await prepare(world, who, chosen.n);
  const act = await acts[chosen.does]?.(world, chosen.who, chosen.n);
  const second = way === 'with' ? await acts[other.does]?.(world, other.who, other.n) : way === 'double' ? act : null;
  if (way === 'again') await world.again(chosen.n);
  else if (way === 'jobs') await runAgain(world);
  else if (act && way === 'twin') await world.twin(act);
  else if (act && second && isFree(act, second)) await world.perform(act, second);
  else if (act) await world.perform(act);
  await streamsEnd(world);
  await look(world, chosen.who, chosen.n);
}

/** What a person reads, what a stranger does not, and who may trade the person's accounts. */
export async function look(world: World, who: number, n: number): Promise<void> {
  await world.look(ownReads(world, who, n));
  await world.look(foreignReads(world, who, (who + 1 + (n % 2)) % 3, n));
  await world.look(gateTries(world, who, n));
  await world.rest();
}

/** Most steps are those of a user who has got somewhere: valid credentials, where they can be had without another step. */
async function prepare(world: World, who: number, n: number): Promise<void> {
  const { app } = userOf(world.now, who);
  if (n % 4 !== 0 && !world.now.apps[app].isActive) await world.perform(appActs.enable(world, who, n));
  if (n % 8 !== 0 && !hasToken(world, who)) await world.perform(appActs.newToken(world, who, 0));
  if (n % 4 === 0 || !hasToken(world, who)) return;
  const { state, sessions } = userOf(world.now, who);
  if (state === 'none') await world.perform(peopleActs.signUp(world, who, 0));
  if (state !== 'verified') await world.perform(await peopleActs.verify(world, who, 0));
  if (sessions.every(({ isAlive }) => !isAlive)) await world.perform(peopleActs.logIn(world, who, 0));
}

const hasToken = (world: World, who: number) =>
  world.now.apps[userOf(world.now, who).app].tokens.some(({ isAlive }) => isAlive);

/**
 * Of two things that happen at once at most one happens at an upstream by its own will: there each is done once. Nor are two mails with a code
 * caused at once: which of them comes last says nothing of which is valid.
 */
const isFree = (one: Act, other: Act): boolean =>
  (typeof one.request !== 'function' || typeof other.request !== 'function') &&
  ![one, other].every(({ name }) => /^(signUp|resend|askForReset) /.test(name));

/** A worker that was killed before its job was removed: each job of these apps runs once more, and each notification comes again. */
async function runAgain(world: World): Promise<void> {
  const { db, processor } = world.stage.service;
  const owners = sql.array(
    Object.values(world.now.apps).map(({ id }) => id),
    'text',
  );
  await db.query(sql.type(z.object({}))`
    select graphile_worker.add_job(i.kind, json_build_object('intent_id', i.id))
    from intents i
    where i.owner = any(${owners})`);
  const ours = world.now.users.flatMap(({ payments }) => payments.map(({ processorId }) => processorId));
  const isOurs = (object: object) => Object.values(object).some((value) => ours.includes(value));
  for (const event of processor.events) if (isOurs(event.data.object)) await world.stage.service.notify(event);
  await world.rest();
}
