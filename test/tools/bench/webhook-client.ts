import { webhooks } from '../../../src/adapters/webhook/index.ts';

/*
 * The HTTP client alone: posts and signs the same bodies to the same receivers, without a database and a queue.
 *   node test/tools/bench/webhook-client.ts <url> <endpoints> <posts> <in flight>
 */
const [url = '', endpoints = 1, posts = 0, inFlight = 1] = process.argv
  .slice(2)
  .map((arg, n) => (n === 0 ? arg : Number(arg))) as [string, number, number, number];

const adapter = webhooks({ allowLoopback: true });
const secrets = [`whsec_${Buffer.alloc(33, 's').toString('base64')}`];
const body = JSON.stringify({
  id: `evt_${'0'.repeat(32)}`,
  type: 'bench',
  data: { n: 100_000 },
  timestamp: new Date().toISOString(),
});

let sent = 0;
const startedAt = performance.now();
await Promise.all(
  Array.from({ length: inFlight }, async () => {
    while (sent < posts) {
      const n = sent++;
      await adapter.send({ deliveryId: `whd_${n}`, eventType: 'bench', url: `${url}/${n % endpoints}`, body, secrets });
    }
  }),
);
adapter.close();
process.stdout.write(`${JSON.stringify({ perS: posts / ((performance.now() - startedAt) / 1000) })}\n`);
