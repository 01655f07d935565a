import type { Reported, Route } from './upstream.ts';

/** The body of a control call. */
export type Body = Record<string, unknown>;

/**
 * A control call of an upstream: what it does, and an example and a description of each member of its body. A name that ends in `?` is
 * of a member that may be left out. A call that reads has none.
 */
export type ControlCall = {
  does: string;
  reads?: true;
  members: Record<string, readonly [example: unknown, description: string]>;
};

/** An example of a body: the members that must be given, or all of them if none must. */
export function exampleOf({ members }: ControlCall): Body {
  const required = Object.entries(members).filter(([name]) => !name.endsWith('?'));
  const shown = required.length > 0 ? required : Object.entries(members);
  return Object.fromEntries(shown.map(([name, [example]]) => [name.replace('?', ''), example]));
}

/** The routes of control calls, each of which has an act. */
export const routesOf = <Name extends string>(
  calls: Record<Name, ControlCall>,
  acts: Record<NoInfer<Name>, (body: Body) => Reported>,
): Route[] =>
  (Object.keys(calls) as Name[]).map((name) => ({
    method: calls[name].reads ? 'GET' : 'POST',
    path: `/control/${name}`,
    response: ({ json }) => acts[name](Object(json) as Body), // as: every member is checked or converted
  }));
