import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { document, listOperations } from '../../src/contract/document.ts';
import { EVENTS } from '../../src/contract/events.ts';
import { errors } from '../../src/kernel/error-codes.ts';

const GUIDES = [
  'index',
  'getting-started',
  'selling',
  'trading-both',
  'writes',
  'errors',
  'webhooks',
  'streams',
  'sandbox',
  'limits',
];
const read = (file: string) => readFile(new URL(`../../src/${file}`, import.meta.url), 'utf8');

type Hook = { post: { requestBody: { content: Record<string, { schema: { $ref: string }; example: object }> } } };
const hooks = document.webhooks as unknown as Record<string, Hook>; // as: the contract was checked

/** How a program of the guide is run; the others are compiled or need a runtime that few machines have. */
const RUNTIMES: Record<string, [string, string]> = {
  js: ['node', '-e'],
  python: ['python3', '-c'],
  php: ['php', '-r'],
  ruby: ['ruby', '-e'],
};
const SECRET = `whsec_${Buffer.alloc(33, 7).toString('base64')}`;

/** The headers of a delivery, signed by the libraries of others. */
function signed(body: string, at = Math.floor(Date.now() / 1000)) {
  return {
    SECRET,
    SIGNATURE: Stripe.webhooks.generateTestHeaderString({ payload: body, secret: SECRET, timestamp: at }),
    ID: 'whd_1',
    AT: String(at),
    STANDARD: new Webhook(SECRET).sign('whd_1', new Date(at * 1000), body),
  };
}

async function exitOf(language: string, program: string, body: string, env: Record<string, string>) {
  const [command, flag] = RUNTIMES[language] ?? ['', ''];
  const child = spawn(command, [flag, program.replace(/^<\?php/, '')], { env: { ...process.env, ...env } });
  child.stdin.end(body);
  const [code] = await once(child, 'exit');
  return code;
}

describe('the guide of webhooks', () => {
  for (const language of Object.keys(RUNTIMES))
    it(`verifies deliveries in ${language}, and rejects other bodies, other secrets and old ones`, async function () {
      const [command = ''] = RUNTIMES[language] ?? [];
      if (spawnSync(command, ['--version']).status !== 0) this.skip(); // the runtime is not on this machine
      const guide = await read('docs/webhooks.md');
      const program = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(guide)?.[1] ?? '';
      const body = '{"id":"evt_1","type":"payment.succeeded","data":{"name":"Zoë"}}';
      const right = signed(body);
      const [long, other] = [Math.floor(Date.now() / 1000) - 301, signed(`${body} `)];

      const exits = await Promise.all([
        exitOf(language, program, body, right),
        exitOf(language, program, `${body} `, right),
        exitOf(language, program, body, { ...right, SECRET: `whsec_${Buffer.alloc(33, 8).toString('base64')}` }),
        exitOf(language, program, body, signed(body, long)),
        exitOf(language, program, body, { ...right, SIGNATURE: other.SIGNATURE }),
        exitOf(language, program, body, { ...right, STANDARD: other.STANDARD }),
      ]);

      expect(exits).to.deep.equal([0, 1, 1, 1, 1, 1]);
    });

  it('lists every event, with an example that fits its schema', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema(document, 'contract');

    expect(Object.keys(hooks)).to.have.members(Object.keys(EVENTS));
    for (const [type, { post }] of Object.entries(hooks)) {
      const media = post.requestBody.content['application/json'];
      const check = ajv.getSchema(`contract${media?.schema.$ref}`);
      expect(check?.(media?.example), `${type}: ${ajv.errorsText(check?.errors)}`).to.equal(true);
      expect(media?.example).to.include({ type });
    }
  });

  it('and the others name only operations and errors that exist', async () => {
    const texts = await Promise.all([...GUIDES.map((name) => read(`docs/${name}.md`)), read('kernel/error-laws.ts')]);
    const known = new Set(listOperations().map(({ method, path }) => `${method.toUpperCase()} ${path}`));
    const named = texts.join('\n').matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/v[12][^\s`?]*)/g);
    const codes = texts.join('\n').matchAll(/`([A-Z][A-Z0-9]*_[A-Z_]+)`/g);

    expect(
      [...named].map(([, operation = '']) => operation).filter((operation) => !known.has(operation)),
    ).to.deep.equal([]);
    const unknown = [...codes]
      .map(([, code = '']) => code)
      .filter((code) => /^(V[12]|VENUE|PROCESSOR)_/.test(code) && !(code in errors));
    expect(unknown).to.deep.equal([]);
  });
});
