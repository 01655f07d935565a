import { type Budget, budgets, type CapacityClass, type CapacitySettings } from '../../capacity/budgets.ts';

/** The sizes are those of a deployment that sets nothing. */
const DEFAULTS: CapacitySettings = { NETVENUE_MINER_THREADS: 10, NETVENUE_SIGNALS_PER_MIN: 10 };

const NAMES: Record<CapacityClass, string> = { exit: 'exits', look_up: 'look-ups', entry: 'entries', read: 'reads' };

/** The shared budgets as a table in Markdown: what has one, how much there is, and what is kept for the more urgent calls. */
export const budgetTable = (): string => {
  const rows = Object.values<Budget>(budgets).map(({ each, unit, size, kept, spared, settings }) => {
    const parts = (Object.keys(kept) as CapacityClass[]).map(
      (name) => `${whole(kept[name]?.(DEFAULTS))} for ${NAMES[name]}`,
    ); // as: its own keys
    if (spared) parts.push(`${whole(spared(DEFAULTS))} for tenants within their share`);
    const by = settings.map((setting) => `\`${setting}\``).join(', ');
    return `| ${each} | ${size(DEFAULTS)} ${unit} | ${parts.join(', ')} | ${by} |`;
  });
  return ['| for each | there are | kept | set by |', '|---|---|---|---|', ...rows].join('\n');
};

/** Parts of a budget are products of fractions: 36 may be 36.00000000000001. */
const whole = (size = 0): number => Math.round(size);
