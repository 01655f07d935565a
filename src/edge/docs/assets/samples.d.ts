/** A request to be shown as code. Members without a value are variables of the environment, named in capitals. */
export type SampledCall = {
  method: string;
  /** With its parameters in braces. */
  path: string;
  /** The schemes of the contract's security that the request passes. */
  schemes: readonly string[];
  members: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
  takesKey: boolean;
  /** Whether it is rejected without one. */
  needsKey?: boolean;
  streams: boolean;
  body?: { type: string; value: unknown } | undefined;
};

/** The languages in which a request is shown: their name, their label, and how one is written. */
export const languages: readonly { lang: string; label: string; write(call: SampledCall): string }[];
