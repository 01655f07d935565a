import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { parseJson } from '../../src/adapters/http.ts';
import { type InDoubtStage, isWrite, openInDoubtStage } from '../support/in-doubt/stage.ts';
import { SUBJECTS, type Subject } from '../support/in-doubt/subjects.ts';
import { eventually } from '../support/money.ts';
import type { Passing, Reply } from '../support/relay.ts';
import { realSockets } from '../support/sockets.ts';

const json = (status: number, body: unknown): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '1' }) },
  body: JSON.stringify(body),
});
const page = (status: number): Reply => ({ status, headers: { 'content-type': 'text/html' }, body: '<html></html>' });

/** An error in a form that each upstream uses for its own. */
const ERROR = {
  error: { type: 'invalid_request_error', code: 'account_invalid', message: 'x' },
  success: false,
  status: 'err',
  response: 'User or API Wallet 0x00 does not exist.',
  message: 'x',
};
const REJECTIONS = [400, 401, 402, 403, 404, 409, 422, 429, 500, 502, 503];
const REPLIES: [string, Reply][] = [
  ...REJECTIONS.map((status): [string, Reply] => [`${status}`, json(status, ERROR)]),
  ...[200, 401, 404, 503].map((status): [string, Reply] => [`${status} with a page`, page(status)]),
  ['no response', 'lost'],
];
const FEW = REPLIES.filter(([name]) => ['401', '404', '503 with a page', 'no response'].includes(name));

const TRUTHS = ['done', 'never'] as const;
type Truth = (typeof TRUTHS)[number];
/** What broken requests a look-up made, and whether it sent something that may take effect. */
type Run = { broken: Set<string>; written: boolean };

describe('of every kind of intent, whose first response was lost,', () => {
  let stage: InDoubtStage;
  let unmocked: () => void;
  const prepared = new Map<string, () => Promise<string>>();
  const nameOf = ({ verb }: Subject, truth: Truth) => `${verb.kind} ${truth}`;
  before(async function () {
    this.timeout(120_000);
    unmocked = realSockets();
    stage = await openInDoubtStage();
    const all = SUBJECTS.flatMap((subject) => TRUTHS.map((truth) => ({ subject, truth })));
    await Promise.all(
      all.map(async ({ subject, truth }) => prepared.set(nameOf(subject, truth), await subject.given(stage))),
    );
    await stage.service.stopWorkers();
  });
  after(async () => {
    await stage.close();
    unmocked();
  });

  it('there are no others', async () => {
    const kinds = await stage.service.db.any(
      sql.type(z.object({ kind: z.string(), is_exit: z.boolean() }))`select kind, is_exit from intent_kinds`,
    );

    expect(SUBJECTS.map(({ verb }) => verb.kind)).to.have.members(kinds.map(({ kind }) => kind));
    const exits = SUBJECTS.filter(({ verb }) => 'isExit' in verb && verb.isExit === true).map(({ verb }) => verb.kind);
    expect(exits).to.have.members(kinds.filter(({ is_exit }) => is_exit).map(({ kind }) => kind));
  });

  /** An intent that was sent once: the upstream has executed it or never received it, and its response was lost. */
  async function lost(subject: Subject, truth: Truth): Promise<string> {
    const id = String(await prepared.get(nameOf(subject, truth))?.());
    let writes = 0;
    stage.handle(async (passing) => {
      if (!isWrite(passing)) return passing.forward();
      writes += 1;
      if (truth === 'done') await passing.forward();
      return 'lost';
    });
    if ((await stage.state(id)) === 'queued') await stage.run(subject.verb, id);
    else await sendTo(subject, id);
    expect(writes, 'requests that were lost').to.equal(1);
    expect(await stage.state(id)).to.equal('in_doubt');
    return id;
  }

  async function sendTo({ verb }: Subject, id: string) {
    const { sent, deps } = await stage.inDoubt(verb, id);
    return verb.send(sent, deps, { notAfter: Date.now() + 60_000, signal: new AbortController().signal });
  }

  /**
   * Responds to the requests that `isBroken` selects with this reply; the others reach their upstream. The response to a
   * read is remembered until something is written: the records of the upstream are the same until then.
   */
  function replying(isBroken: (request: string) => boolean, reply: Reply, reads: Map<string, Reply>): Run {
    const run: Run = { broken: new Set(), written: false };
    stage.handle(async (passing) => {
      const request = requestOf(passing);
      if (isBroken(request)) {
        run.broken.add(request);
        return reply;
      }
      if (isWrite(passing)) {
        run.written ||= !request.endsWith('noop');
        reads.clear();
        return passing.forward();
      }
      const asked = `${passing.name}?${passing.query} ${passing.text}`;
      const replied = reads.get(asked) ?? (await passing.forward());
      if (replied !== 'lost') reads.set(asked, replied);
      return replied;
    });
    return run;
  }

  /** What settles the intent wrongly, over every request of its look-up and every response. */
  async function wronglySettled({ verb }: Subject, id: string, truth: Truth): Promise<string[]> {
    const wrong: string[] = [];
    const healthy = new Set<string>();
    const reads = new Map<string, Reply>();
    let isDone = truth === 'done';
    const reconcile = async (isBroken: (request: string) => boolean, reply: Reply) => {
      const { sent, deps } = await stage.inDoubt(verb, id);
      const run = replying(isBroken, reply, reads);
      const { kind } = await verb.reconcile(sent, deps);
      isDone ||= run.written;
      return { ...run, kind };
    };
    for (;;) {
      const reached = new Set<string>();
      for (const [name, reply] of REPLIES) {
        const { kind, broken } = await reconcile((request) => !healthy.has(request), reply);
        if (broken.size === 0) return wrong;
        for (const request of broken) reached.add(request);
        const isFound = kind === 'accepted' && isDone; // by a record that was read before
        if (kind !== 'unknown' && !isFound) wrong.push(`${kind} when ${[...broken]} and all after it get ${name}`);
      }
      for (const request of reached)
        for (const [name, reply] of FEW) {
          const { kind } = await reconcile((one) => one === request, reply);
          const isTrue = kind === 'unknown' || (kind === 'accepted') === isDone;
          if (!isTrue) wrong.push(`${kind} when only ${request} gets ${name}`);
        }
      for (const request of reached) healthy.add(request);
    }
  }

  for (const subject of SUBJECTS)
    for (const truth of TRUTHS)
      it(`${subject.verb.kind} (${truth}) is settled by no rejection of a look-up or a repeat`, async function () {
        this.timeout(120_000);
        const id = await lost(subject, truth);

        expect(await wronglySettled(subject, id, truth)).to.deep.equal([]);

        if (subject.endsAs) {
          stage.handle(({ forward }) => forward());
          await stage.inDoubt(subject.verb, id);
          const ended = await eventually(async () => {
            await stage.run(subject.verb, id);
            const state = await stage.state(id);
            return state !== 'in_doubt' && state; // absence at the network counts only from a look-up with a response on
          });
          expect(ended).to.equal(subject.endsAs[truth]);
        }
      });

  for (const subject of SUBJECTS)
    it(`${subject.verb.kind} is not ended by a response to its first send that proves nothing`, async () => {
      const id = String(await prepared.get(`${subject.verb.kind} never`)?.());
      stage.handle(async (passing) => (isWrite(passing) ? 'lost' : passing.forward()));
      if ((await stage.state(id)) === 'queued') await stage.run(subject.verb, id);
      const wrong: string[] = [];

      for (const [name, reply] of REPLIES.filter(([name]) => !name.startsWith('4'))) {
        stage.handle(async (passing) => (isWrite(passing) ? reply : passing.forward()));
        const { kind } = await sendTo(subject, id);
        if (kind !== 'unknown') wrong.push(`${kind} by ${name}`);
      }
      expect(wrong).to.deep.equal([]);
    });
});

/** A request by its route and, where all share one route, by what it asks for. */
function requestOf({ name, text }: Passing): string {
  const { type, method, action } = Object(parseJson(text)) as {
    type?: string;
    method?: string;
    action?: { type: string };
  }; // as: only names it
  return [name, type ?? method ?? action?.type].filter(Boolean).join(' ');
}
