import type { FieldError } from '../kernel/errors.ts';

/** The member of a schema that says in a sentence what its conditions demand. */
export const MESSAGE_KEYWORD = 'x-message';

/** A failed check as ajv reports it, with the schema that failed. */
type Failure = {
  keyword: string;
  instancePath: string;
  schemaPath: string;
  params: Record<string, unknown>;
  message?: string;
  parentSchema?: Record<string, unknown>;
};

const MAX_SPOKEN = 3; // a message names at most this many faults; all are listed under `fields`

/**
 * The faults that ajv found in a part of a request. A condition with a sentence of its own (`x-message`) is reported by it,
 * once, and not by the faults in each of its branches.
 */
export function fieldErrors(errors: readonly Failure[], place: string): FieldError[] {
  const explained = errors.filter((error) => COMPOSITE.has(error.keyword) && sentenceOf(error) !== undefined);
  const inside = ({ schemaPath }: Failure) => explained.some((whole) => schemaPath.startsWith(`${whole.schemaPath}/`));
  return errors
    .filter((error) => error.keyword !== 'if' && !inside(error)) // a failed `if` only repeats the errors of its branch
    .filter((error) => !errors.some((other) => isNarrower(other, error)))
    .map((error) => fieldError(error, place));
}

/** Whether two conditions list the values of one member, and the first one lists fewer: it names them all. */
const isNarrower = (one: Failure, other: Failure) =>
  one.keyword === 'enum' &&
  other.keyword === 'enum' &&
  one.instancePath === other.instancePath &&
  valuesOf(one).length < valuesOf(other).length;

const valuesOf = ({ params }: Failure) => [params.allowedValues].flat();

const COMPOSITE = new Set(['oneOf', 'anyOf', 'not']);

const sentenceOf = ({ parentSchema }: Failure) => parentSchema?.[MESSAGE_KEYWORD] as string | undefined; // as: text by its rule

function fieldError(error: Failure, place: string): FieldError {
  const { instancePath, params, keyword } = error;
  const member = params.missingProperty ?? params.additionalProperty;
  const path = instancePath
    .split('/')
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  return {
    loc: [place, ...path, ...(member === undefined ? [] : [String(member)])],
    msg: ruleOf(error),
    type: keyword,
  };
}

/** What the value must be, in words. */
function ruleOf(error: Failure): string {
  const { keyword, params, message = '' } = error;
  if (COMPOSITE.has(keyword)) return sentenceOf(error) ?? message;
  switch (keyword) {
    case 'enum':
      return `must be one of ${valuesOf(error).join(', ')}`;
    case 'const':
      return `must be ${params.allowedValue}`;
    case 'required':
      return 'must be given';
    case 'additionalProperties':
      return 'is not a member of this request';
    case 'type':
      return `must be ${[params.type].flat().join(' or ')}`;
    case 'format':
      return `must be a valid ${params.format}`;
    case 'pattern':
      return sentenceOf(error) ?? formOf(String(params.pattern));
    case 'minProperties':
      return sentenceOf(error) ?? `must have at least ${params.limit} members`;
    case 'uniqueItems':
      return 'must have no entry twice';
    default:
      return LENGTHS[keyword]?.(Number(params.limit)) ?? message;
  }
}

/** The form that a pattern demands: mostly that of an id with a prefix. */
function formOf(pattern: string): string {
  const prefix = /^\^([a-z]+_)\[/.exec(pattern)?.[1];
  return prefix ? `must be an id that begins with ${prefix}` : `must have the form ${pattern}`;
}

const LENGTHS: Record<string, (limit: number) => string> = {
  minLength: (limit) => `must have at least ${limit} character${limit === 1 ? '' : 's'}`,
  maxLength: (limit) => `must have at most ${limit} characters`,
  minItems: (limit) => `must have at least ${limit} entr${limit === 1 ? 'y' : 'ies'}`,
  maxItems: (limit) => `must have at most ${limit} entries`,
};

/** The faults in words: each names its field and its rule, but for a sentence that names them itself. */
export function describe(fields: readonly FieldError[]): string {
  const spoken = fields.slice(0, MAX_SPOKEN).map(({ loc, msg }) => {
    if (/^[A-Z]/.test(msg) && loc.length === 1) return msg;
    const [place, ...path] = loc;
    const name = path.length > 0 ? path.join('.') : place;
    return /^[A-Z]/.test(msg) ? `${name}: ${msg}` : `${name} ${msg}.`;
  });
  const more = fields.length - spoken.length;
  return more > 0 ? `${spoken.join(' ')} ${more} more under fields.` : spoken.join(' ');
}
