import {
  asFault,
  type Config,
  type DeviceInfo,
  Fault,
  type ProfileName,
  problemKey,
  type Route,
  type RouteRequest,
} from "@tunelab/contract";
import { variantLabel } from "../label.ts";
import { algorithmOf, planSubject } from "../subject.ts";
import { drawVariants } from "./draw.ts";
import { ownFault, type SideModule } from "./module.ts";

/** A choice before it is planned. */
interface Choice {
  readonly algorithm: string;
  readonly config: Config;
  readonly from: string;
}

/**
 * The variants that a side runs a problem with, by its own tables and its own selection, each planned. What does not fit is a
 * refusal with its reason; never empty.
 */
export async function routesOf(
  module: SideModule,
  request: RouteRequest,
  device: DeviceInfo,
  profile: ProfileName,
): Promise<readonly Route[]> {
  try {
    const refused = module.suite.operation.refuse(request.problem);
    if (refused) return [{ refused }];
    const choices = await choicesOf(module, request, device, request.source.profile ?? profile);
    return await Promise.all(choices.map((choice) => planned(module, request, choice, device)));
  } catch (error) {
    return [{ refused: asFault(ownFault(error), "unsupported").message }];
  }
}

async function choicesOf(
  module: SideModule,
  { problem, wanted }: RouteRequest,
  { identity, capabilities }: DeviceInfo,
  profile: ProfileName,
): Promise<readonly Choice[]> {
  const { suite, tables = [], select } = module;
  const { operation } = suite;
  if (wanted.kind === "pinned") return [await pinned(module, wanted.variant, problem, capabilities)];
  if (wanted.kind === "drawn") {
    const drawn = await drawVariants(module, problem, wanted, capabilities);
    return drawn.map((one) => ({ ...one, from: `drawn with seed ${wanted.seed}` }));
  }
  if (wanted.kind === "shipped") {
    const key = problemKey(problem);
    const loaded = await Promise.all(tables.map(async (table) => ("load" in table ? table.load() : table)));
    const here = loaded.filter(
      ({ device, profile: theirs }) =>
        theirs === profile &&
        device.identity.description === identity.description &&
        device.identity.compiler === identity.compiler,
    );
    // Without a table of this device's every shipped row is one that somebody's device would run.
    const rows = (here.length > 0 ? here : loaded)
      .flatMap(({ entries }) => entries)
      .filter((entry) => problemKey(entry.problem) === key)
      .flatMap((entry) => entry.rows);
    const seen = new Map(rows.map((row) => [row.variant, row]));
    return [...seen.values()].map(({ algorithm, config }) => ({ algorithm, config, from: "shipped" }));
  }
  if (wanted.kind === "default" || !select) return [await firstDefault(module, problem, capabilities)];
  const { candidates } = await select({ tables, operation, problem, capabilities, identity, profile });
  const [first] = candidates;
  if (!first) throw new Fault("unsupported", `no variant of ${operation.name} fits this device`);
  const { origin } = first;
  const from =
    origin.kind === "table"
      ? `${origin.table}${origin.distance > 0 ? ", nearest problem" : ""}`
      : origin.kind;
  return [{ algorithm: first.algorithm.name, config: first.config, from }];
}

async function firstDefault(
  { suite: { operation } }: SideModule,
  problem: RouteRequest["problem"],
  capabilities: DeviceInfo["capabilities"],
): Promise<Choice> {
  const [name, load] = Object.entries(operation.algorithms)[0] ?? [];
  if (!name || !load) throw new Fault("unsupported", `${operation.name} has no algorithm`);
  return { algorithm: name, config: (await load()).defaultConfig(problem, capabilities), from: "default" };
}

async function pinned(
  { suite, parseId, parseConfig }: SideModule,
  id: string,
  problem: RouteRequest["problem"],
  capabilities: DeviceInfo["capabilities"],
): Promise<Choice> {
  if (!parseId || !parseConfig)
    throw new Fault("unsupported", `this side cannot read variant ids: it has no package @tunelab/variants`);
  const { algorithm: name, settings } = parseId(id);
  const algorithm = await algorithmOf(suite, { algorithm: name });
  const defaults = algorithm.defaultConfig(problem, capabilities);
  return {
    algorithm: name,
    config: parseConfig(algorithm.space(problem), settings, defaults),
    from: "pinned",
  };
}

async function planned(
  { suite }: SideModule,
  { problem }: RouteRequest,
  { algorithm: name, config, from }: Choice,
  { capabilities }: DeviceInfo,
): Promise<Route> {
  const label = variantLabel(name, config);
  try {
    const algorithm = await algorithmOf(suite, { algorithm: name });
    const variant = variantLabel(name, config, algorithm.space(problem));
    const { planHash } = await planSubject(suite, algorithm, { problem, config }, capabilities);
    return { variant, algorithm: name, config, planHash, from };
  } catch (error) {
    return { refused: `${label}: ${asFault(ownFault(error), "unsupported").message}` };
  }
}
