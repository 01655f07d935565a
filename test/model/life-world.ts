import { randomUUID } from 'node:crypto';
import { sql } from 'slonik';
import { z } from 'zod';
import { asking, bearer, codeIn, codeOf, fresh, resetTokenIn } from '../support/identity.ts';
import { until } from '../support/processes.ts';
import {
  type Act,
  explained,
  firstOf,
  isAlive,
  ordersOf,
  type Reply,
  type Request,
  type Stage,
  type Watched,
} from './life-act.ts';
import { type AppKey, person, type State, Unexplained, userOf } from './life-state.ts';

const SETTLES_WITHIN_MS = 30_000;
const nothing = z.object({});

/** Two apps with their people, and every truth that explains all replies so far. */
export class World {
  truths: State[] = [];
  readonly watched: Watched[] = [];
  readonly stage: Stage;
  readonly #replayable: { act: Act; reply: Reply; key: string }[] = [];
  #seenEvents: number;

  constructor(stage: Stage) {
    this.stage = stage;
    this.#seenEvents = stage.service.processor.events.length;
  }

  async open(): Promise<this> {
    const email = `${fresh('ann')}@example.com`;
    const apps = { a: await this.#openApp('a'), b: await this.#openApp('b') };
    const users = [person('a', email), person('a', `${fresh('bob')}@example.com`), person('b', email)];
    this.truths = [{ apps, users, events: [], network: 'works' }];
    return this;
  }

  async #openApp(key: AppKey) {
    const { service, admin, receiver } = this.stage;
    const name = fresh(`Life ${key}`);
    const scopes = ['api', 'webhooks'];
    const made = await admin.ask('POST', '/v2/admin/apps', { json: { name, slug: fresh('life'), scopes } });
    const { app_id: id, client_secret: value } = made.body;
    const { body } = await service.token({ appId: id, secret: value });
    const json = { url: `${receiver.url}/${id}`, events: ['*'] };
    await asking(service.url, bearer(body.access_token))('POST', '/v2/webhook-endpoints', { json });
    const token = { value: body.access_token, secret: value, scopes, isAlive: true };
    return {
      id,
      name,
      isActive: true,
      scopes,
      secrets: [{ value, ends: 'never' as const }],
      tokens: [token],
      signed: [],
    };
  }

  /** The first truth: what a step is chosen by. */
  get now(): State {
    const [first] = this.truths;
    if (!first) throw new Error('Nothing is true');
    return first;
  }

  /** The newest token of an app that is valid, or the newest. */
  token(app: AppKey): string | undefined {
    const { tokens } = this.now.apps[app];
    return (tokens.findLast(({ isAlive }) => isAlive) ?? tokens.at(-1))?.value;
  }

  /** A session of a user, mostly a valid one. */
  session(who: number, n = 0): string | undefined {
    const { sessions } = userOf(this.now, who);
    const valid = sessions.filter(({ isAlive }) => isAlive);
    const from = valid.length > 0 && n % 6 !== 5 ? valid : sessions;
    return from[n % Math.max(1, from.length)]?.token;
  }

  async send(request: Request, key: string = randomUUID()): Promise<Reply> {
    const { as, method = 'GET', path, json, form, token, session, apiKey, account } = request;
    const { service, admin } = this.stage;
    const headers = {
      ...(method !== 'GET' && !form && { 'Idempotency-Key': key }),
      ...(token && bearer(token)),
      ...(session && { 'X-Session-Token': session }),
      ...(apiKey && { 'X-Api-Key': apiKey }),
      ...(account && { 'X-Prop-Account': account }),
    };
    const ask = as === 'operator' ? admin.ask : service.ask;
    const {
      status,
      body,
      headers: got,
    } = await ask(method, path, { headers, ...(json && { json }), ...(form && { form }) });
    return {
      status,
      body,
      code: body?.error?.code ?? body?.detail?.code,
      isReplay: got.get('idempotent-replayed') === 'true',
    };
  }

  /** Carries acts out, at once if they are several. At least one order of them explains every reply. */
  async perform(...acts: Act[]): Promise<void> {
    const keys = acts.map(() => randomUUID());
    const replies = await Promise.all(
      acts.map(({ request }, n) => (typeof request === 'function' ? request() : this.send(request, keys[n]))),
    );
    for (const [n, act] of acts.entries()) this.#keep(act, replies[n] as Reply, keys[n] as string); // as: one for each
    this.#conclude(acts, replies);
    await this.rest();
  }

  #keep(act: Act, reply: Reply, key: string): void {
    const isKeyed = typeof act.request !== 'function' && act.request.method !== undefined && !act.request.form;
    if (isKeyed && reply.status === 200) this.#replayable.push({ act, reply, key });
  }

  #conclude(acts: Act[], replies: Reply[]): void {
    const why = new Set<string>();
    const explain = (isChecked: 'before' | 'in turn') =>
      this.truths.flatMap((truth) =>
        ordersOf(acts.map((_, n) => n)).flatMap((order) =>
          order.reduce<State[]>(
            (states, n) =>
              states.flatMap((s) =>
                explained({ act: acts[n], reply: replies[n], s, start: isChecked === 'before' ? truth : null }, why),
              ),
            [truth],
          ),
        ),
      );
    const truths = explain('in turn');
    if (truths.length === 0 && acts.length > 1) truths.push(...explain('before')); // credentials are checked as a request begins
    this.truths = [...new Map(truths.map((truth) => [JSON.stringify(truth), truth])).values()].slice(0, 64);
    if (this.truths.length > 0) return;
    const said = acts.map(({ name }, n) => `${name} → ${replies[n]?.status} ${JSON.stringify(replies[n]?.body)}`);
    throw new Error(`Nothing explains\n  ${[...said, ...why].join('\n  ')}`);
  }

  /** Reads, which change nothing: truths that one of them contradicts are none. */
  async look(reads: Act[]): Promise<void> {
    const replies = await Promise.all(
      reads.map(({ request }) => (typeof request === 'function' ? request() : this.send(request))),
    );
    for (const [n, read] of reads.entries()) this.#conclude([read], [replies[n] as Reply]); // as: one for each
  }

  /** The same request twice at the same time under one key: what is done once has one response; what is rejected is no more than tried. */
  async twin(act: Act): Promise<void> {
    const { request } = act;
    if (typeof request === 'function' || request.form) return this.perform(act);
    const key = randomUUID();
    const replies = await Promise.all([this.send(request, key), this.send(request, key)]);
    const [one, other] = replies;
    const isOne = one.status === 200 && other.status === 200;
    if (isOne && JSON.stringify(one.body) !== JSON.stringify(other.body))
      throw new Error(`${act.name}: one key has two responses\n  ${JSON.stringify(replies)}`);
    this.#keep(act, other.status === 200 ? other : one, key);
    this.#conclude(isOne ? [act] : [act, act], isOne ? [one] : replies);
    await this.rest();
  }

  /** Repeats an earlier request under its key, after whatever has happened since. */
  async again(n: number): Promise<void> {
    const earlier = this.#replayable[n % Math.max(1, this.#replayable.length)];
    if (!earlier || typeof earlier.act.request === 'function') return;
    const { act, reply, key } = earlier;
    const { token, session } = earlier.act.request;
    const request = earlier.act.request;
    await this.perform({
      name: `again: ${act.name}`,
      request: () => this.send(request, key),
      explain: (s, { status, body, isReplay }) => {
        if (status === 401 || status === 403) {
          const alive = isAlive(s, token, session);
          if (alive) throw new Unexplained('a repeat of what was accepted is rejected');
          return;
        }
        const isSame = JSON.stringify(firstOf(body)) === JSON.stringify(firstOf(reply.body));
        if (status !== 200 || !isReplay || !isSame)
          throw new Unexplained(`the first response was ${JSON.stringify(reply.body)}`);
      },
    });
  }

  /** Waits until every notification is taken, and every job and intent has ended. */
  async rest(): Promise<void> {
    const { service } = this.stage;
    const { events } = service.processor;
    while (this.#seenEvents < events.length) {
      const event = events[this.#seenEvents++];
      if (event) await service.notify(event);
    }
    const owners = sql.array(
      Object.values(this.now.apps).map(({ id }) => id),
      'text',
    );
    await until(
      'the jobs have run',
      async () =>
        !(await service.db.exists(sql.type(nothing)`
          select from queue_jobs j where j.run_at <= now()
          union all
          select from intents i where i.owner = any(${owners}) and i.settled_at is null`)),
      SETTLES_WITHIN_MS,
    );
    if (this.truths.some(({ users }) => users.some(({ totp }) => totp !== 'off')))
      await service.db.query(sql.type(nothing)`
        update users set totp_step = totp_step - 10 where app_id = any(${owners}) and totp_step is not null`);
    for (const { users } of this.truths) for (const user of users) user.spent = [];
  }

  /** The code of the `n`th mail with one to a person; of any form if there is none. */
  async code(who: number, n: number): Promise<string> {
    return n < 0 ? '000000' : codeIn(await this.#mail(who, 'Your code for', n));
  }

  async resetToken(who: number, n: number): Promise<string> {
    return n < 0 ? 'rst_none' : resetTokenIn(await this.#mail(who, 'Reset your password for', n));
  }

  async #mail(who: number, subject: string, n: number): Promise<string> {
    const { app, email } = userOf(this.now, who);
    const wanted = `${subject} ${this.now.apps[app].name}`;
    const found = () => this.stage.service.mailbox.mails(email).filter((mail) => mail.subject === wanted);
    return (await until(wanted, () => found()[n], SETTLES_WITHIN_MS)).text;
  }

  totpCode = (who: number): string => codeOf(userOf(this.now, who).seed || 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP');
}
