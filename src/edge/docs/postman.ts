import { listOperations, type Operation } from '../../contract/document.ts';
import type { SampledCall } from './assets/samples.js';
import { sampledCalls } from './samples.ts';
import type { Json } from './schemas.ts';
import { servedContract } from './served-contract.ts';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/** The header of each scheme, with a variable of the collection. */
const CREDENTIALS: Record<string, [name: string, value: string]> = {
  partnerKey: ['Authorization', 'Bearer {{partner_key}}'],
  appToken: ['Authorization', 'Bearer {{app_token}}'],
  traderKey: ['X-Api-Key', '{{trader_key}}'],
  userSession: ['X-Session-Token', '{{session_token}}'],
  adminBearer: ['Authorization', 'Bearer {{operator_token}}'],
  processorSignature: ['Stripe-Signature', '{{processor_signature}}'],
};

/** Variables that a person sets once. A token of an app is stored by the request that issues it. */
const VARIABLES = {
  base_url: 'http://127.0.0.1:3000',
  ...{ partner_key: '', client_id: '', client_secret: '', app_token: '', trader_key: '', session_token: '' },
  ...{ operator_token: '', processor_signature: '', trader_id: '' },
};

type Spec = Json & { summary: string; description?: string; tags: [string] };

/** All operations as a Postman collection (format 2.1), in a folder for each tag. */
export function postmanCollection(): object {
  const contract = servedContract();
  const paths = contract.paths as Record<string, Record<string, Spec>>;
  const items = listOperations().flatMap((operation) => {
    const spec = paths[operation.path]?.[operation.method];
    return spec ? [{ tag: spec.tags[0], item: itemOf(operation, spec) }] : [];
  });
  const tags = contract.tags as { name: string; description: string }[]; // as: the contract was checked
  return {
    info: { name: 'Trading Partner Service', schema: SCHEMA },
    variable: Object.entries(VARIABLES).map(([key, value]) => ({ key, value })),
    item: tags.map(({ name, description }) => ({
      ...{ name, description },
      item: items.filter(({ tag }) => tag === name).map(({ item }) => item),
    })),
  };
}

function itemOf(operation: Operation, spec: Spec) {
  const [call] = sampledCalls(operation, spec);
  if (!call) throw new Error(`${operation.id} has no request`); // one without a body is always there
  return {
    name: `${spec.summary} (${operation.id})`,
    ...(operation.id === 'issueAccessToken' && { event: [STORES_TOKEN] }),
    request: {
      method: call.method.toUpperCase(),
      description: spec.description ?? '',
      auth: { type: 'noauth' },
      header: headersOf(call),
      url: urlOf(operation, call),
      ...(call.body && { body: bodyOf(call.body) }),
    },
  };
}

const STORES_TOKEN = {
  listen: 'test',
  script: {
    type: 'text/javascript',
    exec: ["if (pm.response.code === 200) pm.collectionVariables.set('app_token', pm.response.json().access_token);"],
  },
};

function headersOf({ schemes, headers, body, takesKey }: SampledCall) {
  const credentials = schemes.flatMap((scheme) => (CREDENTIALS[scheme] ? [CREDENTIALS[scheme]] : []));
  const named = Object.entries(headers).filter(([name]) => !credentials.some(([each]) => each === name));
  return [
    ...credentials,
    ...named.map(([name, value]): [string, string] => [name, value || `{{${variable(name)}}}`]),
    ...(takesKey ? [['Idempotency-Key', '{{$guid}}']] : []),
    ...(body ? [['Content-Type', body.type]] : []),
  ].map(([key, value]) => ({ key, value }));
}

/** Optional parameters of the query are there, but not sent until somebody switches them on. */
function urlOf({ parameters }: Operation, { path, members, query }: SampledCall) {
  const segments = path.slice(1).replace(/\{([\w-]+)\}/g, ':$1');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const required = Object.entries(query).map(([key, value]) => `${key}=${value}`);
  return {
    raw: `{{base_url}}/${segments}${required.length > 0 ? `?${required.join('&')}` : ''}`,
    host: ['{{base_url}}'],
    path: segments.split('/'),
    variable: Object.entries(members).map(([key, value]) => ({ key, value })),
    query: inQuery.map(({ name, required: isSent }) => ({
      key: name,
      value: query[name] ?? '',
      ...(!isSent && { disabled: true }),
    })),
  };
}

function bodyOf({ type, value }: NonNullable<SampledCall['body']>) {
  if (type.includes('json'))
    return { mode: 'raw', raw: JSON.stringify(value, null, 2), options: { raw: { language: 'json' } } };
  const credentials: Record<string, string> = { client_id: '{{client_id}}', client_secret: '{{client_secret}}' };
  const members = Object.entries(Object(value) as Json);
  return {
    mode: 'urlencoded',
    urlencoded: members.map(([key, each]) => ({ key, value: credentials[key] ?? `${each}` })),
  };
}

const variable = (name: string) => name.replaceAll('-', '_').toLowerCase();
