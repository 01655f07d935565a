import { exchangeOrders } from './exchange-orders.ts';
import { exchangeSession } from './exchange-session.ts';
import { type Chapter, openGuide, StepFailed } from './guide.ts';
import { networkFaults } from './network-faults.ts';
import { networkOrders } from './network-orders.ts';
import { networkRegistration } from './network-registration.ts';
import { findService } from './service.ts';
import { freeAccount } from './v2-free.ts';
import { appAndUser } from './v2-people.ts';
import { boughtAccount } from './v2-purchase.ts';

/*
 * npm run tour: goes through the service with the TypeScript client, shows every request with its response, and compares
 * each step with the sandbox's ledgers. Exits with 0 only if every step had the expected result.
 */
const chapters: Chapter[] = [
  networkRegistration,
  networkOrders,
  networkFaults,
  exchangeSession,
  exchangeOrders,
  appAndUser,
  boughtAccount,
  freeAccount,
];

const say = (line: string) => process.stdout.write(`${line}\n`);

async function walk(): Promise<void> {
  say('Finding a service to walk through …');
  const service = await findService();
  say(`It is at ${service.url}; its reference is at ${service.url}/docs.`);
  try {
    const guide = await openGuide(service, say);
    const notes = new Map<string, string>();
    for (const [n, chapter] of chapters.entries()) {
      say(`\n${n + 1}. ${chapter.title}`);
      await chapter.walk({ ...guide, say: (line) => say(`\n  ${line}`) }, notes);
    }
  } finally {
    await service.stop();
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
try {
  await walk();
  say('\nEvery step had the expected result.');
} catch (error) {
  say(`\n  ✗   ${error instanceof StepFailed ? error.message : error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
}
