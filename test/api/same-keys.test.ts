import { expect } from 'chai';
import { listOperations, type Operation } from '../../src/contract/document.ts';
import { partnerWithIds } from '../support/foreign.ts';
import type { Ask, Data } from '../support/identity.ts';
import { NAMED_IDS } from '../support/named-ids.ts';
import { sampleOf } from '../support/samples.ts';
import { startTrading, type Trading } from '../support/trading.ts';

/** Two callers of one kind, each with what it owns. */
type Caller = { ask: Ask; ids: Record<string, string | undefined> };
type Kind = 'partners' | 'apps' | 'users of one app';

const isShown = ({ security }: Operation, scheme: string) => security.flat().some((each) => each.scheme === scheme);
const kindOf = (operation: Operation): Kind | null => {
  if (operation.method === 'get' || isShown(operation, 'adminBearer')) return null;
  if (isShown(operation, 'partnerKey')) return 'partners';
  if (isShown(operation, 'userSession')) return 'users of one app';
  return isShown(operation, 'appToken') ? 'apps' : null;
};

/** What ends the caller's credentials, or what others are about, comes last. */
const WRITES = listOperations()
  .filter((operation) => kindOf(operation))
  .sort((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));

describe('a write under the Idempotency-Key of another caller', function () {
  this.timeout(180_000);
  let service: Trading;
  let callers: Record<Kind, readonly [Caller, Caller]>;
  const done = new Set<string>();
  before(async () => {
    service = await startTrading();
    const [ann, bob] = [await service.propTrader(), await service.propTrader()];
    const [one, two] = [await service.app(['*']), await service.app(['*'])];
    const user = ({ ask, account }: typeof ann) => ({ ask, ids: { account: account.id } });
    callers = {
      partners: [await partnerWithIds(service), await partnerWithIds(service)],
      'users of one app': [user(ann), user(bob)],
      apps: [
        { ask: one.ask, ids: {} },
        { ask: two.ask, ids: {} },
      ],
    };
  });
  after(() => service.stop());

  /** The same request by each, about what it owns. */
  function send(operation: Operation, { ask, ids }: Caller): Promise<Data> {
    const { method, path, headers, body } = sampleOf(operation);
    const own = NAMED_IDS.filter(({ operation: of, kind }) => of === operation.id && ids[kind]);
    const idsAt = (place: string) =>
      Object.fromEntries(
        own.filter((slot) => slot.place === place).map(({ member, kind }) => [member, ids[kind] ?? '']),
      );
    const filled = Object.entries(idsAt('path')).reduce(
      (text, [name, id]) => text.replace(`{${name}}`, id),
      operation.path,
    );
    return ask(method, filled.includes('{') ? path : filled, {
      headers: { ...headers, ...idsAt('header'), 'Idempotency-Key': `of-all-${operation.id}`, Prefer: 'wait=0' },
      ...(body && { json: body }),
    });
  }

  for (const operation of WRITES)
    it(`is a write of its own: ${operation.id}`, async () => {
      const [first, second] = callers[kindOf(operation) as Kind]; // as: WRITES have one

      const theirs = await send(operation, first);
      const ours = await send(operation, second);

      expect(ours.headers.get('idempotent-replayed')).to.equal(null);
      expect(ours.body?.error?.code, JSON.stringify(ours.body)).to.equal(theirs.body?.error?.code);
      expect(ours.status).to.equal(theirs.status);
      const intent = theirs.headers.get('intent-id');
      if (intent !== null) expect(`${[...ours.headers]} ${JSON.stringify(ours.body)}`).not.to.include(intent);
      if (ours.status < 300) done.add(operation.id);
    });

  it('and many of these writes were done', () => {
    expect(done.size).to.be.above(25);
  });
});
