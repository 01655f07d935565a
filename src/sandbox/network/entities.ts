import type { Call, Route } from '../upstream.ts';
import type { World } from './world.ts';

/**
 * The simulated entities: the first, whose miner accepts `minerKey`, and any other, which a call selects with the key
 * `<minerKey>:<entity>`. All entities share prices and markets.
 */
export type Entities = {
  first: World;
  all(): World[];
  byKey(key: string | undefined): World | null;
  byName(entityHotkey: string): World | undefined;
};

/** Creates the entities: the stored ones, and those that `open` creates on demand. */
export const openEntities = (
  { entityHotkey, minerKey }: { entityHotkey: string; minerKey: string },
  known: readonly World[],
  open: (entityHotkey: string) => World,
): Entities => {
  const worlds = new Map(known.map((world) => [world.entityHotkey, world]));
  const named = (name: string) => {
    const world = worlds.get(name) ?? open(name);
    worlds.set(name, world);
    return world;
  };
  const first = named(entityHotkey);
  return {
    first,
    all: () => [...worlds.values()],
    byKey: (key) => {
      if (key === minerKey) return first;
      return key?.startsWith(`${minerKey}:`) ? named(key.slice(minerKey.length + 1)) : null;
    },
    byName: (name) => worlds.get(name),
  };
};

/** Passes a call to the entity whose miner key it carries; 401 for any other key. */
export const ofEntity =
  (entities: Entities, response: (world: World, call: Call) => ReturnType<Route['response']>): Route['response'] =>
  (call) => {
    const world = entities.byKey(call.headers.authorization?.replace(/^Bearer /, ''));
    return world ? response(world, call) : { status: 401, body: { error: 'Unauthorized access' } };
  };
