import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { document } from '../../src/contract/document.ts';
import { EVENTS, namesIn } from '../../src/contract/events.ts';

type Json = Record<string, unknown>;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const EMITTED =
  /\b(?:emit_events?|emit_payment|emit_protection|record_events?|test_endpoint)\(\s*[^,]+,\s*'([a-z_]+(?:\.[a-z_]+)+)'/g;
/** A statement takes these names from the step of a payment, which names them one by one. */
const OF_PAYMENTS = /'(payment\.[a-z]+)'/g;
const OF_STREAM = ['snapshot', 'closed'];

/** The names that code emits, by the calls of functions that write events. */
async function emitted(): Promise<string[]> {
  const files = await Array.fromAsync(glob(['sql/functions/**/*.sql', 'src/capabilities/**/*.ts'], { cwd: ROOT }));
  const texts = await Promise.all(files.map((file) => readFile(`${ROOT}/${file}`, 'utf8')));
  const steps = await readFile(`${ROOT}/src/capabilities/payments/rules.ts`, 'utf8');
  const names = [...texts.flatMap((text) => [...text.matchAll(EMITTED)]), ...steps.matchAll(OF_PAYMENTS)];
  return [...new Set(names.map(([, name = '']) => name))];
}

const hooksOf = (contract: Json): string[] => Object.keys(contract.webhooks as Json);
const streamNodeOf = (contract: Json): Json => {
  const { get } = (contract.paths as Record<string, { get: { responses: Record<string, Json> } }>)['/v1/stream'] ?? {};
  return get?.responses['200']?.['x-events'] as Json;
};
const streamOf = (contract: Json): string[] => Object.keys(streamNodeOf(contract));

/** Where table, contract and code differ, both ways. */
function differences(names: readonly string[], contract: Json, calls: readonly string[]): string[] {
  const lacks = (list: readonly string[], wanted: readonly string[], where: string) =>
    wanted.filter((name) => !list.includes(name)).map((name) => `${name} is not in ${where}`);
  const stream = streamOf(contract).filter((name) => !OF_STREAM.includes(name));
  return [
    ...lacks(hooksOf(contract), names, 'webhooks'),
    ...lacks(names, hooksOf(contract), 'the table, but in webhooks'),
    ...lacks(stream, namesIn('partner'), 'the stream'),
    ...lacks(namesIn('partner'), stream, 'the table, but in the stream'),
    ...lacks(calls, names, 'any call that emits'),
    ...lacks(names, calls, 'the table, but emitted'),
  ];
}

describe('events', () => {
  const names = Object.keys(EVENTS);

  it('are the same in the table, the contract and the code that emits them', async () => {
    expect(differences(names, document, await emitted())).to.deep.equal([]);
  });

  it('can be subscribed to, each in its own log, but for the test of an endpoint', () => {
    expect([...new Set([...namesIn('app'), ...namesIn('partner'), 'webhook.test'])]).to.have.members(names);
  });

  it('that one of the three has alone are found', async () => {
    const calls = await emitted();
    const more = structuredClone(document);
    Object.assign(more.webhooks as Json, { 'more.here': {} });

    expect(differences(names, more, calls)).to.deep.equal(['more.here is not in the table, but in webhooks']);
    const stream = structuredClone(document);
    const events = streamNodeOf(stream);
    delete events['order.updated'];
    Object.assign(events, { 'more.streamed': {} });
    expect(differences(names, stream, calls)).to.deep.equal([
      'order.updated is not in the stream',
      'more.streamed is not in the table, but in the stream',
    ]);
    expect(differences([...names, 'more.there'], document, calls)).to.deep.equal([
      'more.there is not in webhooks',
      'more.there is not in any call that emits',
    ]);
    expect(differences(names, document, [...calls, 'more.sent'])).to.deep.equal([
      'more.sent is not in the table, but emitted',
    ]);
    for (const name of calls)
      expect(
        differences(
          names,
          document,
          calls.filter((one) => one !== name),
        ),
        name,
      ).to.have.length(1);
  });
});
