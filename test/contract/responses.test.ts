import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { document } from '../../src/contract/document.ts';

type Spec = {
  operationId: string;
  security?: Record<string, string[]>[];
  requestBody?: { content: object };
  responses: Record<string, { $ref?: string }>;
  'x-oauth-errors'?: true;
};

/** Every kind of caller in the contract, and the errors that follow from accepting it. */
const byCallers: Record<string, number[]> = {
  '': [],
  clientBasic: [401, 503],
  partnerKey: [401, 503],
  processorSignature: [401, 503],
  appToken: [401, 503],
  'appToken(api)': [401, 403, 503],
  'appToken(webhooks)': [401, 403, 503],
  'appToken(api) userSession': [401, 403, 503],
  'appToken(api) userSession|appToken(api)': [401, 403, 503],
  'appToken(payouts:write) userSession': [401, 403, 503],
  'appToken(trading) userSession': [401, 403, 503],
  'appToken(trading) userSession|appToken(trading)': [401, 403, 503],
  'appToken(trading) userSession|appToken(trading)|traderKey': [401, 403, 503],
  'appToken(trading) userSession|appToken(trading)|traderKey|accountTicket': [401, 403, 503],
  'partnerKey|partnerTicket': [401, 503],
  'adminBearer(enrolled viewer)|adminCookie(enrolled viewer)|appToken(*)': [401, 403, 503],
  ...Object.fromEntries(
    ['viewer', 'enrolled viewer', 'enrolled support', 'enrolled finance', 'enrolled admin'].map((roles) => [
      `adminCookie(${roles})|adminBearer(${roles})`,
      [401, 403, 503],
    ]),
  ),
};
const byBody: Record<string, number[]> = {
  '': [],
  'application/json': [413, 415],
  'application/x-www-form-urlencoded': [413], // another type is 422 there, as the specification requires
};
/** A path or query that is no UTF-8 is 400 everywhere, a query that is not in the contract 422, and every operation can fail. */
const always = [400, 422, 500];
/** Errors that the YAML itself lists beyond the rule, and why. */
const named: Record<string, number[]> = {
  createAppRequest: [503], // stores the request
  showRevealPage: [503], // reads the link
  revealCredentials: [503], // reads the link
  getAuthorizationServer: [503], // declared, though it reads nothing
  acceptInvitation: [403, 503], // the credential is in the body
  logInAdmin: [401, 403, 503], // the credentials are in the body; 403: another operator must release the account
  getReadiness: [503], // its description says so
  registerNetvenueTrader: [403], // a wallet that is not proven
  registerExvenueTrader: [403], // the same
};
const implied = [400, 401, 403, 413, 415, 422, 500, 503];

describe('the errors that every operation implies', () => {
  for (const { spec, security } of specsOf(document))
    it(`are exactly those of ${spec.operationId}`, () => {
      const callers = security.map(shown).filter(Boolean).join('|');
      const type = Object.keys(spec.requestBody?.content ?? {})[0] ?? '';

      const expected = [
        ...(byCallers[callers] ?? [`no row for ${callers}`]),
        ...(byBody[type] ?? [`no row for ${type}`]),
        ...always,
        ...(named[spec.operationId] ?? []),
      ];

      const present = Object.keys(spec.responses).map(Number);
      expect(present.filter((status) => implied.includes(status))).to.have.members(expected);
    });

  it('are 429 for every caller with a quota', () => {
    const bare = specsOf(document).filter(
      ({ spec, security }) => security.some((set) => 'partnerKey' in set) && !spec.responses[429],
    );

    expect(bare.map(({ spec }) => spec.operationId)).to.deep.equal([]);
  });

  it('are problem documents, at the token endpoints those of RFC 6749', () => {
    const references = specsOf(document).flatMap(({ spec }) =>
      implied
        .map((status) => ({ spec, status, reference: spec.responses[status]?.$ref }))
        .filter(({ reference }) => reference !== undefined),
    );

    const prefixes = references.map(({ spec, status, reference }) => ({
      at: `${spec.operationId} ${status}`,
      isOAuth: reference?.startsWith('#/components/responses/OAuth'),
      declared: spec['x-oauth-errors'] === true,
    }));

    expect(prefixes.filter(({ isOAuth, declared }) => isOAuth !== declared)).to.deep.equal([]);
  });

  it('are all responses of the document that the YAML does not list', async () => {
    const written = load(
      await readFile(new URL('../../src/contract/openapi.yaml', import.meta.url), 'utf8'),
    ) as typeof document;
    const reduced = structuredClone(document);
    const writtenSpecs = specsOf(written);

    for (const [n, { spec }] of specsOf(reduced).entries())
      for (const status of [...implied, 429])
        if (!writtenSpecs[n]?.spec.responses[status]) delete spec.responses[status];

    expect(reduced).to.deep.equal(written);
  });
});

function specsOf(contract: Record<string, unknown>): { spec: Spec; security: Record<string, string[]>[] }[] {
  const inherited = contract.security as Spec['security'];
  return Object.values(contract.paths as Record<string, Record<string, Spec>>)
    .flatMap((item) => Object.values(item))
    .map((spec) => ({ spec, security: spec.security ?? inherited ?? [] }));
}

/** A set of requirements in the table's notation: `appToken(api) userSession`. */
const shown = (set: Record<string, string[]>) =>
  Object.entries(set)
    .map(([scheme, roles]) => (roles.length > 0 ? `${scheme}(${roles.join(' ')})` : scheme))
    .join(' ');
