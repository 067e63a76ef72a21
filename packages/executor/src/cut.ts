import { type BufferSpec, type Capabilities, type Cut, Fault, type Plan } from "@tunelab/contract";
import type { Budgets } from "./types.ts";

/** A run of consecutive batch items that are submitted together. */
export interface Piece {
  readonly first: number;
  readonly items: number;
}

export interface CutRequest {
  readonly plan: Plan;
  readonly limits: Capabilities["limits"];
  readonly budgets: Budgets;
  /** GPU time of one batch item in ms; without it time cuts nothing. */
  readonly msPerItem?: number;
  /** Compute units of the device, where known. */
  readonly computeUnits?: number;
  /** Buffers that the caller brings: they cost this instance no memory and have no pristine copy. */
  readonly borrowed?: ReadonlySet<string>;
}

export interface BatchCut {
  readonly cut: Cut;
  /** In order; they cover every item exactly once. */
  readonly pieces: readonly Piece[];
  /** Every piece but the last holds a multiple of this many items, so that its ranges can be bound. */
  readonly unit: number;
  /** Fewest items of a piece, unless the batch has less; a multiple of `unit` unless it is `most`. */
  readonly fewest: number;
  /** Most items of a piece that the hard limits (memory, binding) allow; a multiple of `unit` unless it is the batch. */
  readonly most: number;
}

/**
 * Cuts a plan's batch into pieces, none of which exceeds the time, memory or binding budget. Pieces are as even as the
 * quantum and the alignment of bound ranges allow. Fewest items: as many as the device has compute units (items run side by side, so
 * that fewer take no less time), or the plan's `minimum` where nobody knows or items are carried. They outweigh the time budget; hard
 * limits outweigh them.
 * Items keep their order, so a carried batch is cut like an independent one.
 * @throws Fault `unsupported`, naming the number and the limit, when not even the smallest piece fits.
 */
export function cutBatch(request: CutRequest): BatchCut {
  const { plan, limits, budgets } = request;
  const { items, minimum, quantum } = plan.batch;
  const borrowed = request.borrowed ?? new Set<string>();
  checkBuffers(request.plan.buffers, items, limits);

  const unit = plan.buffers
    .filter(isSliced)
    .reduce((all, { itemBytes }) => lcm(all, alignedItems(itemBytes, limits)), quantum);
  const binding = bindingCap(plan.buffers, limits);
  const memory = memoryCap(plan.buffers, items, borrowed, budgets.memoryBytes);
  const hard = Math.min(binding.items, memory.items);
  const tight = binding.items <= memory.items ? binding : memory;

  const whole = (cap: number): boolean => cap >= items;
  const most = whole(hard) ? items : floorTo(hard, unit);
  if (most < 1) {
    const per = unit === 1 ? "one item" : `the smallest piece, ${unit} items,`;
    throw new Fault(
      "unsupported",
      `${per} of buffer ${tight.buffer} needs ${tight.bytesOf(Math.min(unit, items))} bytes, over ${tight.limit} = ${tight.have}: choose a smaller problem`,
      { limit: tight.limit, need: tight.bytesOf(Math.min(unit, items)), have: tight.have },
    );
  }

  const time = request.msPerItem ? budgets.submitMs / request.msPerItem : Number.POSITIVE_INFINITY;
  const units = plan.batch.order === "independent" ? request.computeUnits : undefined;
  const floor = Math.min(most, ceilTo(units ?? minimum, unit));
  const largest = whole(time)
    ? most
    : Math.min(most, Math.max(floor, floorTo(time, unit), Math.min(unit, most)));
  // Even pieces: 103 items at most 100 a piece are 52 + 51, not 100 + 3.
  const even = (count: number): number =>
    count === 1 ? items : Math.max(floor, ceilTo(Math.ceil(items / count), unit));
  let count = Math.ceil(items / largest);
  // The last piece, too, keeps all compute units busy: 103 items on 16 of them are 4 x 21 + 19, not 6 x 16 + 7.
  while (units !== undefined && count > 1 && lastOf(items, even(count)) < floor && even(count - 1) <= most)
    count--;
  const itemsPerPiece = even(count);
  const pieces: Piece[] = [];
  for (let first = 0; first < items; first += itemsPerPiece) {
    pieces.push({ first, items: Math.min(itemsPerPiece, items - first) });
  }
  const boundBy = pieces.length === 1 ? "whole" : largest < most ? "time" : tight.by;
  return { cut: { pieces: pieces.length, itemsPerPiece, boundBy }, pieces, unit, fewest: floor, most };
}

/** Whether a piece binds its own range of the buffer. */
export function isSliced(buffer: BufferSpec): boolean {
  return buffer.itemBytes > 0 && !isScratch(buffer);
}

/** Whether the buffer is allocated for a piece and reused by the next. */
export function isScratch({ role }: BufferSpec): boolean {
  return role === "scratch" || role === "counter" || role === "probe";
}

interface Cap {
  readonly by: "memory" | "binding";
  readonly items: number;
  readonly buffer: string;
  readonly limit: string;
  readonly have: number;
  bytesOf(items: number): number;
}

/** Refuses what no cut can help: fixed buffers over a limit, and whole-batch buffers that cannot be created. */
function checkBuffers(buffers: readonly BufferSpec[], items: number, limits: Capabilities["limits"]): void {
  for (const buffer of buffers) {
    const refuse = (need: number, limit: "maxBufferSize" | "maxStorageBufferBindingSize"): never => {
      throw new Fault(
        "unsupported",
        `buffer ${buffer.name} needs ${need} bytes, over ${limit} = ${limits[limit]}: choose a smaller problem`,
        { limit, need, have: limits[limit] },
      );
    };
    const whole = buffer.fixedBytes + (isScratch(buffer) ? 0 : buffer.itemBytes * items);
    if (whole > limits.maxBufferSize) refuse(whole, "maxBufferSize");
    if (buffer.fixedBytes > limits.maxStorageBufferBindingSize)
      refuse(buffer.fixedBytes, "maxStorageBufferBindingSize");
  }
}

/** Most items whose range of every item buffer can be bound (and, for scratch, allocated). */
function bindingCap(buffers: readonly BufferSpec[], limits: Capabilities["limits"]): Cap {
  const caps = buffers
    .filter(({ itemBytes }) => itemBytes > 0)
    .map((buffer): Cap => {
      const byBuffer = isScratch(buffer) && limits.maxBufferSize < limits.maxStorageBufferBindingSize;
      const limit = byBuffer ? "maxBufferSize" : "maxStorageBufferBindingSize";
      return {
        by: "binding",
        items: Math.floor(limits[limit] / buffer.itemBytes),
        buffer: buffer.name,
        limit,
        have: limits[limit],
        bytesOf: (items) => items * buffer.itemBytes,
      };
    });
  return tightest(caps, "binding", "maxStorageBufferBindingSize", limits.maxStorageBufferBindingSize);
}

/** Most items whose scratch fits in what whole-batch buffers and pristine copies leave of the memory budget. */
function memoryCap(
  buffers: readonly BufferSpec[],
  items: number,
  borrowed: ReadonlySet<string>,
  budget: number,
): Cap {
  let resident = 0;
  let perItem = 0;
  let hungriest: BufferSpec | undefined;
  for (const buffer of buffers) {
    if (borrowed.has(buffer.name)) continue;
    if (isScratch(buffer) && buffer.itemBytes > 0) {
      perItem += buffer.itemBytes;
      if (buffer.itemBytes > (hungriest?.itemBytes ?? 0)) hungriest = buffer;
      continue;
    }
    const copies = buffer.role === "inout" ? 2 : 1;
    resident += copies * (buffer.fixedBytes + buffer.itemBytes * items);
  }
  if (resident > budget) {
    throw new Fault(
      "unsupported",
      `ports and constants need ${resident} bytes, over the memory budget of ${budget}: raise memoryBytes or choose a smaller problem`,
      { limit: "memoryBytes", need: resident, have: budget },
    );
  }
  return {
    by: "memory",
    items: perItem ? Math.floor((budget - resident) / perItem) : Number.POSITIVE_INFINITY,
    buffer: hungriest?.name ?? "",
    limit: "memoryBytes",
    have: budget,
    bytesOf: (count) => resident + count * perItem,
  };
}

function tightest(caps: readonly Cap[], by: Cap["by"], limit: string, have: number): Cap {
  const none: Cap = { by, items: Number.POSITIVE_INFINITY, buffer: "", limit, have, bytesOf: () => 0 };
  return caps.reduce((least, cap) => (cap.items < least.items ? cap : least), none);
}

/** Least number of items whose bytes are a multiple of the offset alignment. */
function alignedItems(itemBytes: number, limits: Capabilities["limits"]): number {
  const alignment = limits.minStorageBufferOffsetAlignment;
  return alignment / gcd(itemBytes, alignment);
}

/** Items of the last piece. */
const lastOf = (items: number, each: number): number => items - (Math.ceil(items / each) - 1) * each;

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
const lcm = (a: number, b: number): number => (a / gcd(a, b)) * b;
const floorTo = (value: number, unit: number): number => Math.floor(value / unit) * unit;
const ceilTo = (value: number, unit: number): number => Math.ceil(value / unit) * unit;
