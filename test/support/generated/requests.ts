import fc, { type Arbitrary } from 'fast-check';
import { listOperations, type Operation, type Parameter } from '../../../src/contract/document.ts';
import { examplesOf, nodeAt } from '../samples.ts';
import { broken, mutated, mutatedForm, type Written } from './mutations.ts';
import { allowedBy, type Json } from './schemas.ts';
import type { Outgoing } from './wire.ts';

/** A request of an operation, or of an unknown path. `as` names the credentials, `how` the kind of body. */
export type Generated = Outgoing & { operation: Operation | null; as: string; how: string };

/** The callers, and the existing resources. */
export type Cast = {
  /** The headers that present a security scheme of the contract. */
  credentials: Record<string, Record<string, string>>;
  /**
   * Existing ids, by the name of their parameter, with the generation of the contract before it where both have one.
   */
  known: Record<string, string[]>;
};

const junkIds = [
  '%00', '%ff', '%zz', '%', '%E0%A4%A', '..', '.', '%2e%2e%2f', '..%2F..%2Fetc', '__proto__', 'constructor', 'null', '0', '-1',
  '1e3', '9'.repeat(25), 'a'.repeat(300), 'x'.repeat(6_000), '%F0%9F%98%80', '%C2%A0', "'%20or%201=1--", '%22', '*', ';a=b', ',', ':',
  '%0d%0aX-Injected:1', '\u00e9\u00ff', '01890a5d-ac96-774b-bcce-b302099a8057', '%30%31', '~', '@', '$&', '{id}', '[0]',
]; // biome-ignore format: a table

const junkQueries = [
  'unheard=1', '__proto__=1', '__proto__[a]=1', 'constructor=1', 'limit=NaN', 'limit=1e3', 'limit=-1', 'limit=0', 'limit=201',
  'limit=99999999999999999999', 'limit=1&limit=2', 'limit[]=1', 'limit=%00', 'cursor=%00', 'cursor=%ff', 'cursor=', 'cursor=a&cursor=b',
  'cursor=9999999999999999999999', 'cursor=-1', 'after=%00', 'after=evt_x', 'cursor=whe_unknown', 'cursor=null', '&&&', '=', '%', '?', '#',
  `cursor=${'x'.repeat(5_000)}`, 'trade_pair=%00', 'trade_pair=../BTC', 'interval_ms=1e9', 'interval_ms=-1', 'since=never', 'status=%00',
  'cursor=2020-01-01T00:00:00.000Z', 'cursor=2020-13-45', 'open=maybe', 'cursor=%ED%A0%80', 'cursor=eyJhIjoxfQ', 'limit=1.5', 'limit= 1',
].map((query) => query.replaceAll(' ', '%20').replaceAll('#', '%23')); // biome-ignore format: a table

const junkHeaders: [name: string, value: string][] = [
  ['Trader-ID', ''], ['Trader-ID', '\u00ff\u00fe'], ['Trader-ID', '__proto__'], ['Trader-ID', '9'.repeat(400)], ['Trader-ID', '-1'],
  ['X-Prop-Account', '\u00e9'], ['X-Prop-Account', 'x'.repeat(500)], ['X-Prop-Account', 'prop_nobody'], ['X-Prop-Account', 'null'],
  ['X-Request-Id', '\u00ff'], ['X-Request-Id', 'x'.repeat(5_000)], ['X-Request-Id', '{"a":1}'], ['Idempotency-Key', 'with space'],
  ['Idempotency-Key', '\u00e9'], ['Idempotency-Key', 'x'.repeat(300)], ['Prefer', 'wait=99999999999'], ['Prefer', 'wait=-1, ,;='],
  ['Prefer', `${'wait=0,'.repeat(900)}`], ['X-End-User-Address', 'nowhere'], ['X-End-User-Address', '\u00ff'.repeat(64)],
  ['X-End-User-Address', '::ffff:1.2.3.4'], ['X-End-User-Address', 'fe80::1%eth0'], ['X-Forwarded-For', '1.2.3.4, \u00ff, ::'],
  ['X-Forwarded-Host', 'evil.example'], ['Last-Event-ID', '\u00ff'], ['Last-Event-ID', 'prop_x:99999999999999999999'],
  ['Last-Event-ID', '-1'], ['Origin', 'null'], ['Origin', 'https://evil.example'], ['Cookie', '__Host-admin_session=adm_x; ='],
  ['Cookie', 'a'.repeat(6_000)], ['Accept', '\u00ff/*'], ['Accept-Encoding', 'nonsense'], ['Expect', 'nonsense'], ['Range', 'bytes=9-1'],
  ['If-None-Match', '*'], ['Stripe-Signature', 't=1,v1=\u00ff'], ['Stripe-Signature', 't=NaN,v1='], ['Authorization', 'Basic %%%'],
  ['Authorization', `Basic ${Buffer.from('%zz:%').toString('base64')}`], ['Authorization', `Bearer ${'x'.repeat(6_000)}`],
  ['Authorization', 'Bearer \u00ff'], ['X-Api-Key', '\u00ff.\u00ff'], ['X-Session-Token', 'x'.repeat(6_000)], ['X-Long', 'x'.repeat(20_000)],
  ['X-HTTP-Method-Override', 'DELETE'], ['Content-Language', '\u00ff'], ['Upgrade', 'websocket'], ['TE', 'trailers'],
]; // biome-ignore format: a table

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND', 'TRACE'];

/**
 * A number of requests of every operation of the contract, and of unknown paths: right, nearly right, and wrong in
 * every part. One seed gives the same requests again; an added or removed operation does not change the requests of the
 * others.
 */
export function requestsOf(cast: Cast, { each, seed }: { each: number; seed: number }): Generated[] {
  const drawn = (requests: Arbitrary<Generated>) => fc.sample(requests, { numRuns: each, seed });
  const lists = [...listOperations().map((operation) => drawn(requestOf(operation, cast))), drawn(astray(cast))];
  return Array.from({ length: each }, (_, n) => lists.map((list) => list[n] as Generated)).flat();
}

const requestOf = (operation: Operation, cast: Cast): Arbitrary<Generated> =>
  fc
    .record({
      credentials: credentialsFor(operation, cast),
      path: pathOf(operation, cast),
      query: queryOf(operation, cast),
      headers: headersOf(operation, cast),
      junk: fc.option(fc.constantFrom(...junkHeaders), { freq: 8 }),
      key: fc.option(keyOf(operation), { freq: 5 }),
      body: bodyOf(operation),
    })
    .map(({ credentials, path, query, headers, junk, key, body }) => ({
      operation,
      as: credentials.as,
      how: body?.how ?? 'no body',
      method: operation.method.toUpperCase(),
      path: query ? `${path}?${query}` : path,
      headers: {
        Prefer: 'wait=0',
        ...headers,
        ...(key !== null && { 'Idempotency-Key': key }),
        ...credentials.headers,
        ...body?.headers,
        ...(junk && { [junk[0]]: junk[1] }),
      },
      body: body?.bytes,
    }));

/** Mostly one of the operation's own, which may come twice; else one that other operations use too. */
const keyOf = ({ id }: Operation): Arbitrary<string> =>
  mostly(
    fc.nat(200).map((n) => `${id}-${n}`),
    fc.nat(200).map((n) => `key-${n}`),
  );

/** Mostly the right ones; else wrong ones, those of another caller, or none. */
function credentialsFor({ security }: Operation, { credentials }: Cast) {
  const sets = security
    .map((set) => set.map(({ scheme }) => scheme))
    .filter((set) => set.length > 0 && set.every((scheme) => credentials[scheme])); // a ticket opens one stream and is gone
  const right = sets.map((set) => ({ as: set.join('+'), headers: shown(set, credentials) }));
  const others = Object.entries(credentials).map(([as, headers]) => ({ as: `only ${as}`, headers }));
  const wrong = right.map(({ as, headers }) => ({ as: `wrong ${as}`, headers: spoilt(headers) }));
  const none = { as: 'nobody', headers: {} };
  return fc.oneof(
    { weight: 15, arbitrary: fc.constantFrom(...(right.length > 0 ? right : [none])) },
    { weight: 2, arbitrary: fc.constantFrom(none, ...wrong) },
    { weight: 2, arbitrary: fc.constantFrom(...others) },
  );
}

const shown = (schemes: string[], credentials: Cast['credentials']): Record<string, string> =>
  Object.assign({}, ...schemes.map((scheme) => credentials[scheme]));

const spoilt = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value.slice(0, -3)}xyz`]));

const mostly = <T>(good: Arbitrary<T>, bad: Arbitrary<T>, weight = 6): Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: good }, { weight: 1, arbitrary: bad });

const pathOf = (operation: Operation, cast: Cast): Arbitrary<string> =>
  fc
    .tuple(
      ...operation.path.split('/').map((segment) => {
        const name = /^\{(\w+)\}$/.exec(segment)?.[1];
        return name ? mostly(valueFor(operation, name, cast), fc.constantFrom(...junkIds), 4) : fc.constant(segment);
      }),
    )
    .map((segments) => segments.join('/'));

/** An existing value of a parameter if there is one, else one its schema allows, encoded for a URL. */
function valueFor({ path, parameters }: Operation, name: string, { known }: Cast): Arbitrary<string> {
  const ids = known[`${path.slice(1, 3)}:${name}`] ?? known[name];
  const parameter = parameters.find((one) => one.name === name);
  const allowed = parameter ? allowedValue(parameter) : fc.constant('x');
  return ids ? mostly(fc.constantFrom(...ids), allowed, 3) : allowed;
}

const allowedValue = ({ pointer }: Parameter): Arbitrary<string> =>
  allowedBy(nodeAt(pointer) as Json).map((value) => encodeURIComponent(String(value).toWellFormed()));

function queryOf(operation: Operation, cast: Cast): Arbitrary<string> {
  const fixture = operation.parameters.filter(({ in: place }) => place === 'query');
  const pairs = fixture.map(({ name, required }) =>
    fc.oneof(
      { weight: required ? 1 : 4, arbitrary: fc.constant('') },
      { weight: required ? 19 : 1, arbitrary: valueFor(operation, name, cast).map((value) => `${name}=${value}`) },
    ),
  );
  const good = fc.tuple(...pairs).map((data) => data.filter(Boolean).join('&'));
  return mostly(
    good,
    fc.tuple(good, fc.constantFrom(...junkQueries)).map(([a, b]) => [a, b].filter(Boolean).join('&')),
    4,
  );
}

function headersOf(operation: Operation, cast: Cast): Arbitrary<Record<string, string>> {
  const fixture = operation.parameters.filter(({ in: place, name }) => place === 'header' && cast.known[name]);
  return fc.record(Object.fromEntries(fixture.map(({ name }) => [name, valueFor(operation, name, cast)])), {
    requiredKeys: fixture.filter(({ required }) => required).map(({ name }) => name),
  });
}

type Body = Written & { how: string };

function bodyOf({ body }: Operation): Arbitrary<Body | undefined> {
  if (!body)
    return fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant(stray) });
  const example = examplesOf(body.pointer.replace(/\/schema$/, ''));
  const allowed = allowedBy(nodeAt(body.pointer) as Json);
  const good = example.length > 0 ? fc.oneof(allowed, fc.constantFrom(...example)) : allowed;
  const isForm = body.contentType !== 'application/json';
  const write = isForm ? formText : (value: unknown) => JSON.stringify(value).toWellFormed();
  const plain =
    (how: string) =>
    (text: string): Body => ({
      how,
      bytes: Buffer.from(text),
      headers: { 'Content-Type': body.contentType },
    });
  return fc.oneof(
    { weight: 5, arbitrary: good.map(write).map(plain('allowed')) },
    { weight: 4, arbitrary: (isForm ? mutatedForm(good.map(write)) : mutated(good)).map(plain('mutated')) },
    { weight: 2, arbitrary: broken(good.map(write)).map((sent) => ({ how: 'broken', ...sent })) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const stray: Body = { how: 'stray', bytes: Buffer.from('{"a":1}'), headers: { 'Content-Type': 'application/json' } };

const formText = (value: unknown) =>
  new URLSearchParams(
    Object.fromEntries(Object.entries(value as Json).map(([name, member]) => [name, String(member)])),
  ).toString();

/** Requests for what does not exist: other methods, other paths. */
const astray = ({ credentials }: Cast): Arbitrary<Generated> =>
  fc
    .record({
      method: fc.constantFrom(...METHODS),
      path: fc.oneof(
        fc.constantFrom(...listOperations().map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x'))),
        fc.constantFrom(
          '/',
          '//',
          '/v1',
          '/v2/',
          '/V1/balance',
          '/docs/../x',
          '/docs/%2e%2e/x',
          '/.env',
          '/v1//balance',
          '*',
        ),
        fc.constantFrom(...junkIds).map((id) => `/v2/${id}`),
      ),
      who: fc.constantFrom({}, ...Object.values(credentials)),
    })
    .map(({ method, path, who }) => ({
      operation: null,
      as: 'astray',
      how: 'no body',
      method,
      path,
      headers: { ...who },
      body: undefined,
    }));
