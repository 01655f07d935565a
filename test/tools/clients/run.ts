import { deepStrictEqual as deepEqual } from 'node:assert';
import { parseArgs } from 'node:util';
import { stopPostgres } from '../../support/postgres.ts';
import { startService, type TestService } from '../../support/service.ts';
import { generate } from './folder.ts';
import { type Generator, readGenerators } from './guide.ts';

/*
 * npm run clients [-- --only NAME] follows the guide of other generators: generates a client of a running service with
 * each, compiles it with the guide's program under strict TypeScript, and runs that. The ledger of the sandbox network
 * must then show the order once, as asked. `--only` may be repeated. Installs from the npm registry, in folders of its own.
 */
const { values: options } = parseArgs({ options: { only: { type: 'string', multiple: true } } });

const all = await readGenerators();
const chosen = options.only ? all.filter(({ name }) => options.only?.includes(name)) : all;
if (chosen.length === 0) throw new Error(`No such generator; there are ${all.map(({ name }) => name).join(', ')}.`);

const service = await startService();
let failures = 0;
for (const generator of chosen) {
  const startedAt = performance.now();
  const steps: string[] = [];
  const failure = await prove(service, generator, steps).catch((error: Error & { stdout?: string }) => error);
  const seconds = `${Math.round((performance.now() - startedAt) / 1_000)} s`;
  console.log([generator.name, generator.version, ...steps, ...(failure ? ['FAILED'] : []), seconds].join('  '));
  if (!failure) continue;
  failures += 1;
  console.error(failure.message, failure.stdout ?? '');
}
await service.stop();
await stopPostgres();
console.log(`${chosen.length - failures} of ${chosen.length} generators work`);
process.exit(failures === 0 ? 0 : 1);

/** Throws where something is not as the guide says; `steps` names what was reached. */
async function prove({ miner, trader, url }: TestService, generator: Generator, steps: string[]): Promise<void> {
  const { key, traderId } = await trader();
  const folder = await generate(generator, url);
  try {
    await folder.compile();
    steps.push('compiled');
    const [order = '', ...others] = await folder.run({ KEY: key, TRADER: traderId });
    const [, orderUuid] = /^order (\S+) completed$/.exec(order) ?? [];
    deepEqual(others, ['listed BTCUSDC', 'error V1_NO_POSITION none'], order);
    const effects = miner.ledger
      .entries()
      .filter(({ subaccount_id, kind }) => subaccount_id === Number(traderId) && kind !== 'subaccount')
      .map(({ key, kind, pair, detail: { side, leverage } }) => ({ key, kind, pair, side, leverage }));
    deepEqual(effects, [{ key: orderUuid, kind: 'market', pair: 'BTCUSDC', side: 'LONG', leverage: 0.1 }]);
    steps.push('placed');
  } finally {
    await folder.remove();
  }
}
