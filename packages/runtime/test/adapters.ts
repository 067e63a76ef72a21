/** What adapters say in the field, by where it was seen; fields that are left out are empty. */
export interface SeenAdapter {
  readonly where: string;
  readonly info: Partial<Pick<GPUAdapterInfo, "vendor" | "architecture" | "device" | "description">> & {
    readonly isFallbackAdapter?: boolean;
    readonly subgroupMinSize?: number;
    readonly subgroupMaxSize?: number;
  };
  /** Whose table it takes first among `KNOWN`, and how close that is. */
  readonly takes: keyof typeof KNOWN;
  readonly closeness: string;
}

const wide = { subgroupMinSize: 32, subgroupMaxSize: 32 };

/** Devices with a table, as the laboratory identifies them through Dawn. */
export const KNOWN = {
  h200: { vendor: "nvidia", architecture: "", device: "nvidia-h200", description: "NVIDIA H200" },
  rtx3090: {
    ...{ vendor: "nvidia", architecture: "ampere" },
    ...{ device: "nvidia-geforce-rtx-3090", description: "NVIDIA GeForce RTX 3090" },
  },
  radeon: {
    ...{ vendor: "amd", architecture: "rdna-3" },
    ...{ device: "amd-radeon-rx-7900-xtx", description: "AMD Radeon RX 7900 XTX" },
  },
  m2: { vendor: "apple", architecture: "metal-3", device: "apple-m2", description: "Apple M2" },
  arc: { vendor: "intel", architecture: "xe-2lpg", device: "intel-arc-140v", description: "Intel Arc 140V" },
  swiftshader: {
    ...{ vendor: "google", architecture: "swiftshader" },
    ...{ device: "swiftshader-device-llvm-10-0-0", description: "SwiftShader Device (LLVM 10.0.0)" },
  },
  llvmpipe: {
    ...{ vendor: "mesa", architecture: "", device: "llvmpipe-llvm-19-1-7-256-bits" },
    description: "llvmpipe (LLVM 19.1.7, 256 bits)",
  },
} as const;

export const SEEN: readonly SeenAdapter[] = [
  {
    where: "an H200 in Node (Dawn), whose description is its driver",
    info: { vendor: "nvidia", device: "nvidia-h200", description: "NVIDIA: 580.159.04 580.159.4.0", ...wide },
    takes: "h200",
    closeness: "device",
  },
  {
    where: "an H200 in Chromium: no architecture has a name, like the table's",
    info: { vendor: "nvidia", ...wide },
    takes: "h200",
    closeness: "vendor",
  },
  {
    where: "an H200 in Deno (wgpu): decimal ids",
    info: { vendor: "4318", device: "9013", description: "NVIDIA H200" },
    takes: "h200",
    closeness: "device",
  },
  {
    where: "an RTX 3080 in Chromium",
    info: { vendor: "nvidia", architecture: "ampere", ...wide },
    takes: "rtx3090",
    closeness: "architecture",
  },
  {
    where: "an RTX 3090 in Chromium with the developer flag: hexadecimal ids",
    info: {
      ...{ vendor: "nvidia", architecture: "ampere", device: "0x2204" },
      ...{ description: "NVIDIA GeForce RTX 3090", ...wide },
    },
    takes: "rtx3090",
    closeness: "device",
  },
  {
    where: "an RTX 5090 in Chromium: certainly no Ampere, perhaps like what has no name",
    info: { vendor: "nvidia", architecture: "blackwell", ...wide },
    takes: "h200",
    closeness: "vendor",
  },
  {
    where: "a Radeon in wgpu-native: the vendor's id in hexadecimal",
    info: { vendor: "0x1002", device: "0x1636", description: "AMD Radeon(TM) Graphics" },
    takes: "radeon",
    closeness: "vendor",
  },
  {
    where: "a Radeon 780M in Chromium",
    info: { vendor: "amd", architecture: "rdna-3", subgroupMinSize: 32, subgroupMaxSize: 64 },
    takes: "radeon",
    closeness: "architecture",
  },
  {
    where: "an M1 in Chromium: metal-3 is a feature level of every Mac since, not an architecture",
    info: { vendor: "apple", architecture: "metal-3", ...wide },
    takes: "m2",
    closeness: "vendor",
  },
  {
    where: "any Apple device in Safari",
    info: { vendor: "apple", architecture: "apple", device: "apple", description: "apple" },
    takes: "m2",
    closeness: "vendor",
  },
  {
    where: "an Intel Iris Xe in Chromium",
    info: { vendor: "intel", architecture: "gen-12lp", subgroupMinSize: 8, subgroupMaxSize: 32 },
    takes: "arc",
    closeness: "vendor",
  },
  {
    where: "anything in Firefox: every field empty; of the devices with subgroups of 32 the first by path",
    info: wide,
    takes: "m2",
    closeness: "similar",
  },
  {
    where: "a phone of a vendor that no table has: half as wide is alike still",
    info: { vendor: "qualcomm", architecture: "adreno-7xx", subgroupMinSize: 64, subgroupMaxSize: 128 },
    takes: "radeon",
    closeness: "similar",
  },
  {
    where: "SwiftShader in Chromium",
    info: { vendor: "google", architecture: "swiftshader", subgroupMinSize: 4, subgroupMaxSize: 4 },
    takes: "swiftshader",
    closeness: "device",
  },
  {
    where: "SwiftShader in Deno: Google's id in decimal, no feature subgroups to tell a width by",
    info: {
      vendor: "6880",
      device: "49374",
      description: "SwiftShader Device (Subzero)",
      isFallbackAdapter: true,
    },
    takes: "swiftshader",
    closeness: "device",
  },
  {
    where: "llvmpipe in Node (Dawn), whose description is its driver",
    info: {
      ...{ vendor: "mesa", architecture: "software", device: "llvmpipe-llvm-15-0-6-256-bits-" },
      description: "llvmpipe: Mesa 25.0.7-2~bpo12+1 (LLVM 15.0.6) 0.0.1",
      ...{ subgroupMinSize: 8, subgroupMaxSize: 8 },
    },
    takes: "llvmpipe",
    closeness: "device",
  },
  {
    where: "llvmpipe in Chromium: vendor and architecture alone",
    info: {
      vendor: "mesa",
      architecture: "software",
      isFallbackAdapter: true,
      subgroupMinSize: 8,
      subgroupMaxSize: 8,
    },
    takes: "llvmpipe",
    closeness: "vendor",
  },
  {
    where: "llvmpipe in Deno: Khronos's id of Mesa",
    info: { vendor: "65541", device: "0", description: "llvmpipe (LLVM 19.1.7, 256 bits)" },
    takes: "llvmpipe",
    closeness: "device",
  },
  {
    where: "Windows' software rasteriser in Chromium: software is like software",
    info: { vendor: "microsoft", isFallbackAdapter: true, subgroupMinSize: 4, subgroupMaxSize: 4 },
    takes: "swiftshader",
    closeness: "similar",
  },
];
