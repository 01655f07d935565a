type Json = Record<string, unknown>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const WITH_QUOTA = new Set(['partnerKey', 'appToken', 'userSession', 'traderKey', 'partnerTicket', 'accountTicket']);
/** The component of each status. Operations with RFC 6749 errors use the component with the prefix `OAuth`. */
const COMPONENTS: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  422: 'Unprocessable',
  429: 'TooManyRequests',
  500: 'Internal',
  503: 'Unavailable',
};

/**
 * Adds the error responses that follow from an operation's declaration: from its security, from its body, and those of
 * every operation: 400 for a path, query, header or body that is no UTF-8, 422 and 500. The checked-in YAML omits them;
 * a response it contains stays unchanged.
 */
export function completeDocument(written: Json): Json {
  const paths = Object.entries(written.paths as Record<string, Json>).map(([path, item]) => {
    const members = Object.entries(item).map(([key, value]) => [
      key,
      METHODS.includes(key) ? completeOperation(value as Json, (written.security ?? []) as Json[]) : value,
    ]);
    return [path, Object.fromEntries(members)];
  });
  return { ...written, paths: Object.fromEntries(paths) };
}

function completeOperation(operation: Json, inherited: Json[]): Json {
  const security = (operation.security ?? inherited) as Json[];
  const prefix = operation['x-oauth-errors'] === true ? 'OAuth' : '';
  const implied = [
    400,
    ...ofSecurity(security, prefix),
    ...ofBody(operation.requestBody as Json | undefined),
    422,
    500,
  ];
  const responses = implied.map((status) => [
    status,
    { $ref: `#/components/responses/${prefix}${COMPONENTS[status]}` },
  ]);
  return { ...operation, responses: { ...Object.fromEntries(responses), ...(operation.responses as Json) } };
}

/**
 * 503: credentials are read from the database, which may be down. 403: scopes, roles or a cookie's origin may forbid.
 * 429: all callers but operators and the processor have a quota.
 */
function ofSecurity(security: Json[], prefix: string): number[] {
  const requirements = security.flatMap((set) => Object.entries(set));
  if (requirements.length === 0) return [];
  const canForbid = requirements.some(([scheme, roles]) => scheme === 'adminCookie' || (roles as string[]).length > 0);
  const hasQuota = prefix === '' && requirements.some(([scheme]) => WITH_QUOTA.has(scheme));
  return [401, ...(canForbid && prefix === '' ? [403] : []), ...(hasQuota ? [429] : []), 503];
}

/** 413: a body may be too large. 415: a JSON body may have another type. Token endpoints reject other types with 422. */
function ofBody(body: Json | undefined): number[] {
  if (!body) return [];
  return Object.hasOwn(body.content as Json, 'application/json') ? [413, 415] : [413];
}
