/** WebGPU's flag values (W3C WebGPU 5.1, 8.1, 9.3): the global namespaces of these names exist in browsers only. */
export const USAGE = {
  mapRead: 0x0001,
  copySource: 0x0004,
  copyTarget: 0x0008,
  uniform: 0x0040,
  storage: 0x0080,
  indirect: 0x0100,
  queryResolve: 0x0200,
} as const;

/** Usage of a buffer that a caller binds to a port and the executor writes, poisons and reads. */
export const PORT_USAGE: number = USAGE.storage | USAGE.copySource | USAGE.copyTarget;

export const MAP_READ = 0x0001;
export const STAGE_COMPUTE = 0x4;
