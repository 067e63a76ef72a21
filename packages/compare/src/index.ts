export { refusalsOf } from "./describe.ts";
export { type Git, git } from "./git.ts";
export * from "./offer.ts";
export { type OfferRequest, offerOf } from "./offer-side.ts";
export { type Revision, resolveRevision, WORKTREE } from "./revision.ts";
export * from "./run.ts";
export { type ReferenceOptions, runReferences } from "./run-reference.ts";
export {
  contractRefusal,
  copySide,
  type OwnContract,
  ownContract,
  prepareSide,
  readSide,
  type Side as SideFolder,
  type SideOperation,
} from "./side.ts";
