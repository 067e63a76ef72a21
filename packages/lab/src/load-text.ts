import { Fault, type MachineLoad } from "@tunelab/contract";
import { formatPercent, significant } from "@tunelab/report";

/** Who else is at work: "load 1.2 on 2 cores; others take 0.9 cores (chrome 0.7, make 0.2)". */
export function loadText({ cores, loadAverage, othersCores, competitors, gpu }: MachineLoad): string {
  const parts = [`load ${loadAverage.toFixed(1)} on ${cores} cores`];
  if (othersCores !== undefined) {
    const names = competitors.map((one) => `${one.name} ${significant(one.cores, 2)}`).join(", ");
    const taken = othersCores >= 0.005 ? `${significant(othersCores, 2)} cores` : "no core";
    parts.push(`others take ${taken}${names ? ` (${names})` : ""}`);
  }
  if (gpu) {
    const programs = gpu.programs.length > 0 ? ` (${gpu.programs.join(", ")})` : "";
    parts.push(`the GPU is ${formatPercent(gpu.utilisation)} in use${programs}`);
  }
  return parts.join("; ");
}

/** The line before anything is measured: a busy machine is named as such. */
export function busyLine(load: MachineLoad): string {
  return load.busy ? `The machine is BUSY: ${loadText(load)}` : `The machine is quiet: ${loadText(load)}`;
}

/** What `--require-quiet` refuses with. */
export function busyFault(load: MachineLoad): Fault {
  return new Fault(
    "environment",
    `the machine is busy (${loadText(load)}): stop what runs there, or leave --require-quiet out`,
  );
}
