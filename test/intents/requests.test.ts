import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { z } from 'zod';
import { provision } from '../../src/capabilities/accounts/provision.ts';
import { session } from '../../src/capabilities/kyc/session.ts';
import { checkout } from '../../src/capabilities/payments/checkout.ts';
import { intentFor } from '../../src/intents/accept.ts';
import { objectWith } from '../../src/intents/define.ts';
import { cancel } from '../../src/venues/exchange/orders/cancel.ts';
import { followUp } from '../../src/venues/exchange/orders/follow-up.ts';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

type Verb = { kind: string; request: z.ZodObject; payload: z.ZodObject };

async function listVerbs(): Promise<Verb[]> {
  const verbs: Verb[] = [];
  for await (const file of glob(`${SRC}/**/*.ts`)) {
    if (!/^export const \w+ = define(Processor)?Intent\(/m.test(await readFile(file, 'utf8'))) continue;
    const exported = Object.values((await import(pathToFileURL(file).href)) as Record<string, Partial<Verb>>);
    verbs.push(...exported.filter((value): value is Verb => value.kind !== undefined && value.payload !== undefined));
  }
  return verbs;
}

describe('the requests and payloads of every verb', () => {
  it('are checked: a member that is not optional is neither absent nor of another type', async () => {
    const verbs = await listVerbs();
    const unchecked = verbs.flatMap(({ kind, request, payload }) =>
      Object.entries({ request, payload }).flatMap(([part, { shape }]) =>
        Object.entries(shape)
          .filter(([, member]) => !(member instanceof z.ZodOptional))
          .filter(([, member]) => [undefined, Symbol('no JSON')].some((value) => z.safeParse(member, value).success))
          .map(([name]) => `${kind}: ${part}.${name}`),
      ),
    );

    expect(verbs).to.have.length.above(15);
    expect(unchecked).to.deep.equal([]);
  });
});

describe('objectWith', () => {
  const signal = objectWith<{ uuid: string; size?: number }>({ uuid: z.string() });

  it('rejects what is no object, or lacks a required member', () => {
    const wrong = [undefined, null, 'uuid', 1, [], {}, { uuid: 1 }, { size: 1 }];

    expect(wrong.filter((value) => signal.safeParse(value).success)).to.deep.equal([]);
  });

  it('passes every other member unchanged', () => {
    const whole = { uuid: 'u', size: 2, deeper: { of: [1] } };

    expect(signal.parse(whole)).to.deep.equal(whole);
  });

  it('asks for a schema of each required member, of its type', () => {
    // @ts-expect-error: `uuid` is missing
    const none = objectWith<{ uuid: string; size?: number }>({});
    // @ts-expect-error: `uuid` is a text
    const wrong = objectWith<{ uuid: string; size?: number }>({ uuid: z.number() });

    expect([none.safeParse({}).success, wrong.safeParse({ uuid: 1 }).success]).to.deep.equal([true, true]);
  });
});

describe('a submission', () => {
  const submission = { context: { owner: 'app_1', digest: '', request_id: 'r' }, deadlineMs: 1_000 };

  it('has the kind and the request of its verb', () => {
    const { kind, request, deadline_s } = intentFor(submission, session, { user_id: 'usr_1' });

    expect({ kind, request, deadline_s }).to.deep.equal({
      kind: 'kyc/session',
      request: { user_id: 'usr_1' },
      deadline_s: 1,
    });
  });

  it('does not compile with a request of another shape', () => {
    const { id: intent } = intentFor(submission, session, { user_id: 'usr_1' });
    const wrong = [
      // @ts-expect-error: a member is misspelt
      intentFor(submission, session, { userId: 'usr_1' }),
      // @ts-expect-error: an intent is no user
      intentFor(submission, session, { user_id: intent }),
      // @ts-expect-error: the request of another verb
      intentFor(submission, checkout, { user_id: 'usr_1' }),
      // @ts-expect-error: a member is missing
      intentFor(submission, provision, { prop_account_id: 'prop_1' }),
      // @ts-expect-error: a follow-up is a submission too
      followUp({ id: intent, owner: 'ptn_1' }, cancel, { wallet: '0x', oid: [1] }),
    ];

    expect(wrong.map(({ kind }) => kind)).to.have.length(5);
  });
});
