import { cpus } from 'node:os';
import { stopPostgres } from '../../support/postgres.ts';
import { runWith } from '../../webhooks/hanging.ts';
import { deliverThroughKills } from '../../webhooks/kills.ts';

/*
 * Deliveries of webhooks next to endpoints that hang, and through kills, at full size (R6, R7).
 *   node test/tools/bench/webhooks.ts [hanging|kills]
 */
const parts: Record<string, () => Promise<void>> = { hanging, kills };
const args = process.argv.slice(2);
process.stdout.write(`${cpus().length} cores, ${cpus()[0]?.model}\n`);
for (const [name, part] of Object.entries(parts)) if (args.length === 0 || args.includes(name)) await part();
await stopPostgres();
process.exit(0);

/** 20 of 100 endpoints never respond: the effect on the others. */
async function hanging(): Promise<void> {
  const load = { endpoints: 100, hanging: 20, perS: 100, forS: 20, seed: 7 };
  const baseline = await runWith(load, false);
  const beside = await runWith(load, true);
  print(
    'R7',
    `healthy p95 ${baseline.p95.toFixed(1)} ms, with 20 of 100 hanging ${beside.p95.toFixed(1)} ms: ${(beside.p95 / baseline.p95).toFixed(2)} times`,
  );
}

/** 10,000 events through kills, with receivers that fail 30 %. */
async function kills(): Promise<void> {
  print(
    'R6',
    JSON.stringify(await deliverThroughKills({ events: 10_000, endpoints: 50, kills: 10, failing: 0.3, seed: 11 })),
  );
}

function print(name: string, figures: string): void {
  process.stdout.write(`${name.padEnd(16)}${figures}\n`);
}
