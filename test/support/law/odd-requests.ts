import { bearer } from '../identity.ts';
import { keyed, type Scenes, type Stage } from './scene.ts';

const URL = 'https://hooks.example.com/x';
const hook = (more: object = {}) => ({ url: URL, events: ['*'], ...more });

/** What the client cannot send: requests that are none of the contract. */
export function oddRequestScenes({ service, asking, counts }: Stage): Scenes {
  const makes = counts.rows('webhook_endpoints');
  const partner = async () => asking(bearer((await service().partner()).key));
  return {
    async UNSUPPORTED_MEDIA_TYPE() {
      const ask = await partner();
      return {
        makes,
        send: () => ask('POST', '/v1/webhook-endpoints', { form: { url: URL } }),
        instead: (key) => ask('POST', '/v1/webhook-endpoints', keyed(key, hook())),
      };
    },
    async MALFORMED_BODY() {
      const ask = await partner();
      return {
        makes,
        send: () => ask('POST', '/v1/webhook-endpoints', { json: hook({ description: '\ud800' }) }),
        instead: (key) => ask('POST', '/v1/webhook-endpoints', keyed(key, hook())),
      };
    },
    async BODY_TOO_LARGE() {
      const ask = await partner();
      return {
        makes,
        send: () => ask('POST', '/v1/webhook-endpoints', { json: hook({ description: 'x'.repeat(2_000_000) }) }),
        instead: (key) => ask('POST', '/v1/webhook-endpoints', keyed(key, hook())),
      };
    },
    async NOT_FOUND() {
      const ask = await partner();
      return { shows: Array.isArray, send: () => ask('GET', '/v1/event'), instead: () => ask('GET', '/v1/events') };
    },
    async METHOD_NOT_ALLOWED() {
      const ask = await partner();
      return {
        shows: Array.isArray,
        send: () => ask('DELETE', '/v1/events'),
        instead: (_, { headers }) => ask(/\bGET\b/.exec(headers.get('allow') ?? '')?.[0] ?? 'HEAD', '/v1/events'),
      };
    },
  };
}
