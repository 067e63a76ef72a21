/** A map that keeps what was used last: a page that varies its batch must not grow for ever. */
export class Recent<V> {
  readonly #kept: number;
  readonly #values = new Map<string, V>();

  constructor(kept: number) {
    this.#kept = kept;
  }

  /** The value of a key, made when it is not there. */
  get(key: string, make: () => V): V {
    const known = this.#values.get(key);
    if (known !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, known);
      return known;
    }
    return this.set(key, make());
  }

  set(key: string, value: V): V {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#kept && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }

  get size(): number {
    return this.#values.size;
  }
}
