import type { WithIds } from '../kernel/ids.ts';
import type { bodyDefaults, operations } from './types.ts';

type JsonOrForm<Op extends keyof operations> = operations[Op] extends {
  requestBody?: { content: { 'application/json': infer Members } };
}
  ? Members
  : operations[Op] extends { requestBody?: { content: { 'application/x-www-form-urlencoded': infer Members } } }
    ? Members
    : undefined;

/** `Members` with the members `Names` present, whether the caller sent them or not. */
type Filled<Members, Names> = Members & { [Name in Names & keyof Members]-?: Exclude<Members[Name], undefined> };

type Bodies = {
  [Op in keyof operations]: Op extends keyof bodyDefaults ? Filled<JsonOrForm<Op>, bodyDefaults[Op]> : JsonOrForm<Op>;
};

/**
 * The JSON body or form of an operation as its handler receives it: validated, with defaults filled in. The schemas of
 * `types.ts` describe what a client sends; there members with a default are optional.
 */
export type Body<Op extends keyof operations> = WithIds<Bodies[Op]>;
