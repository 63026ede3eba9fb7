import { Dexie } from "dexie";
// node_modules/uuid/dist/stringify.js
var byteToHex = [];
for (let i = 0; i < 256; ++i) byteToHex.push((i + 256).toString(16).slice(1));
function unsafeStringify(arr, offset = 0) {
	return (byteToHex[arr[offset + 0]] + byteToHex[arr[offset + 1]] + byteToHex[arr[offset + 2]] + byteToHex[arr[offset + 3]] + "-" + byteToHex[arr[offset + 4]] + byteToHex[arr[offset + 5]] + "-" + byteToHex[arr[offset + 6]] + byteToHex[arr[offset + 7]] + "-" + byteToHex[arr[offset + 8]] + byteToHex[arr[offset + 9]] + "-" + byteToHex[arr[offset + 10]] + byteToHex[arr[offset + 11]] + byteToHex[arr[offset + 12]] + byteToHex[arr[offset + 13]] + byteToHex[arr[offset + 14]] + byteToHex[arr[offset + 15]]).toLowerCase();
}
// node_modules/uuid/dist/rng.js
var rnds8 = /* @__PURE__ */ new Uint8Array(16);
function rng() {
	return crypto.getRandomValues(rnds8);
}
// node_modules/uuid/dist/v4.js
function v4(options, buf, offset) {
	if (!buf && !options && crypto.randomUUID) return crypto.randomUUID();
	return _v4(options, buf, offset);
}
function _v4(options, buf, offset) {
	options = options || {};
	const rnds = options.random ?? options.rng?.() ?? rng();
	if (rnds.length < 16) throw new Error("Random bytes length must be >= 16");
	rnds[6] = rnds[6] & 15 | 64;
	rnds[8] = rnds[8] & 63 | 128;
	if (buf) {
		offset = offset || 0;
		if (offset < 0 || offset + 16 > buf.length) throw new RangeError(`UUID byte range ${offset}:${offset + 15} is out of buffer bounds`);
		for (let i = 0; i < 16; ++i) buf[offset + i] = rnds[i];
		return buf;
	}
	return unsafeStringify(rnds);
}
// node_modules/uuid/dist/v7.js
var _state = {};
function v7(options, buf, offset) {
	let bytes;
	if (options) bytes = v7Bytes(options.random ?? options.rng?.() ?? rng(), options.msecs, options.seq, buf, offset);
	else {
		const now = Date.now();
		const rnds = rng();
		updateV7State(_state, now, rnds);
		bytes = v7Bytes(rnds, _state.msecs, _state.seq, buf, offset);
	}
	return buf ?? unsafeStringify(bytes);
}
function updateV7State(state, now, rnds) {
	state.msecs ??= -Infinity;
	state.seq ??= 0;
	if (now > state.msecs) {
		state.seq = v7Sequence(rnds);
		state.msecs = now;
	} else {
		state.seq = state.seq + 1 | 0;
		if (state.seq === 0) state.msecs++;
	}
	return state;
}
function v7Bytes(rnds, msecs, seq, buf, offset = 0) {
	if (rnds.length < 16) throw new Error("Random bytes length must be >= 16");
	if (!buf) {
		buf = /* @__PURE__ */ new Uint8Array(16);
		offset = 0;
	} else if (offset < 0 || offset + 16 > buf.length) throw new RangeError(`UUID byte range ${offset}:${offset + 15} is out of buffer bounds`);
	msecs ??= Date.now();
	seq ??= v7Sequence(rnds);
	buf[offset++] = msecs / 1099511627776 & 255;
	buf[offset++] = msecs / 4294967296 & 255;
	buf[offset++] = msecs / 16777216 & 255;
	buf[offset++] = msecs / 65536 & 255;
	buf[offset++] = msecs / 256 & 255;
	buf[offset++] = msecs & 255;
	buf[offset++] = 112 | seq >>> 28 & 15;
	buf[offset++] = seq >>> 20 & 255;
	buf[offset++] = 128 | seq >>> 14 & 63;
	buf[offset++] = seq >>> 6 & 255;
	buf[offset++] = seq << 2 & 255 | rnds[10] & 3;
	buf[offset++] = rnds[11];
	buf[offset++] = rnds[12];
	buf[offset++] = rnds[13];
	buf[offset++] = rnds[14];
	buf[offset++] = rnds[15];
	return buf;
}
function v7Sequence(rnds) {
	return (rnds[6] & 127) << 24 | rnds[7] << 16 | rnds[8] << 8 | rnds[9];
}
// sync/client/background.ts
/**
* Lets work go on that nobody waits for. It may fail when its database is closed or lost; whatever it was meant to
* do is looked at again at the next trigger or by the watchdog.
*/
function background(work) {
	work.catch(() => {});
}
// shared/connection.ts
var HEALTH_INTERVAL_MS = 5e3;
/** "Connection Restored" stays on the screen this long. */
var RESTORED_SHOWN_MS = 4e3;
// node_modules/zod/v4/core/util.js
function getEnumValues(entries) {
	const numericValues = Object.values(entries).filter((v) => typeof v === "number");
	return Object.entries(entries).filter(([k, _]) => numericValues.indexOf(+k) === -1).map(([_, v]) => v);
}
function jsonStringifyReplacer(_, value) {
	if (typeof value === "bigint") return value.toString();
	return value;
}
var Cached = class {
	constructor(getter) {
		this._getter = getter;
		this._value = void 0;
	}
	get value() {
		const getter = this._getter;
		if (getter !== void 0) {
			this._value = getter();
			this._getter = void 0;
		}
		return this._value;
	}
};
function cached(getter) {
	return new Cached(getter);
}
function nullish(input) {
	return input === null || input === void 0;
}
function cleanRegex(source) {
	const start = source.startsWith("^") ? 1 : 0;
	const end = source.endsWith("$") ? source.length - 1 : source.length;
	return source.slice(start, end);
}
function assignProp(target, prop, value) {
	Object.defineProperty(target, prop, {
		value,
		writable: true,
		enumerable: true,
		configurable: true
	});
}
/**
* Whichever object a def's `shape` currently answers from: the one the caller passed until the first read, the frozen copy after it.
*
* Its keys and descriptors read without invoking anything, which is what lets a discriminated union check its discriminator, and the cycle walk read a shape, without resolving a getter that references the schema being constructed. A def that answers `shape` from an accessor of its own has none.
*/
function rawShape(def) {
	const desc = Object.getOwnPropertyDescriptor(def, "shape");
	return desc?.get ? desc.get.raw : desc?.value;
}
var captureStackTrace = "captureStackTrace" in Error ? Error.captureStackTrace : (..._args) => {};
function isObject(data) {
	return typeof data === "object" && data !== null && !Array.isArray(data);
}
var propertyKeyTypes = /* @__PURE__*/ new Set([
	"string",
	"number",
	"symbol"
]);
function escapeRegex(str) {
	return str.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
function clone(inst, def, params) {
	const cl = new inst._zod.constr(def ?? inst._zod.def);
	if (!def || params?.parent) cl._zod.parent = inst;
	return cl;
}
function normalizeParams(_params) {
	const params = _params;
	if (!params) return {};
	if (typeof params === "string") return { error: () => params };
	if (params?.message !== void 0) {
		if (params?.error !== void 0) throw new Error("Cannot specify both `message` and `error` params");
		params.error = params.message;
	}
	delete params.message;
	if (typeof params.error === "string") return {
		...params,
		error: () => params.error
	};
	return params;
}
function optionalKeys(shape) {
	return Object.keys(shape).filter((k) => {
		return shape[k]._zod.optin !== void 0 && shape[k]._zod.optout === "optional";
	});
}
var NUMBER_FORMAT_RANGES = /*@__PURE__*/ (() => ({
	safeint: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
	int32: [-2147483648, 2147483647],
	uint32: [0, 4294967295],
	float32: [-34028234663852886e22, 34028234663852886e22],
	float64: [-Number.MAX_VALUE, Number.MAX_VALUE]
}))();
function aborted(x, startIndex = 0) {
	if (x.aborted === true) return true;
	for (let i = startIndex; i < x.issues.length; i++) if (x.issues[i]?.continue !== true) return true;
	return false;
}
function explicitlyAborted(x, startIndex = 0) {
	if (x.aborted === true) return true;
	for (let i = startIndex; i < x.issues.length; i++) if (x.issues[i]?.continue === false) return true;
	return false;
}
function prefixIssues(path, issues) {
	return issues.map((iss) => {
		var _a;
		(_a = iss).path ?? (_a.path = []);
		iss.path.unshift(path);
		return iss;
	});
}
function unwrapMessage(message) {
	return typeof message === "string" ? message : message?.message;
}
/** The leading size checks of `defChecks` that set an upper bound, each paired with it. */
function sizeCaps(defChecks) {
	const caps = [];
	for (const ch of defChecks ?? []) {
		const d = ch._zod.def;
		if (!/_(length|size)$|_equals$/.test(d.check)) break;
		const max = d.maximum ?? d.length ?? d.size;
		if (max >= 0) caps.push([max, ch]);
	}
	return caps;
}
function attachSchema(issues, start, inst) {
	var _a;
	for (let i = start; i < issues.length; i++) (_a = issues[i]).schema ?? (_a.schema = inst);
}
function finalizeIssue(iss, ctx, config) {
	var _a;
	const traits = iss.inst?._zod?.traits;
	if (traits?.has("$ZodType")) {
		if (traits.has("$ZodCheck")) (_a = iss).schema ?? (_a.schema = iss.inst);
		else iss.schema = iss.inst;
	}
	const schemaError = iss.schema !== iss.inst ? iss.schema?._zod.def?.error : void 0;
	const message = iss.message ? iss.message : unwrapMessage(iss.inst?._zod.def?.error?.(iss)) ?? unwrapMessage(schemaError?.(iss)) ?? unwrapMessage(ctx?.error?.(iss)) ?? unwrapMessage(config.customError?.(iss)) ?? unwrapMessage(config.localeError?.(iss)) ?? "Invalid input";
	const full = {};
	for (const k of Object.keys(iss)) {
		if (k === "inst" || k === "schema" || k === "continue" || k === "input" || k === "__proto__") continue;
		full[k] = iss[k];
	}
	full.path ?? (full.path = []);
	full.message = message;
	if (ctx?.reportInput) full.input = iss.input;
	return full;
}
var highSurrogate = /[\uD800-\uDBFF]/;
function codePointLength(str) {
	const units = str.length;
	if (!highSurrogate.test(str)) return units;
	let count = units;
	for (let i = 0; i < units - 1; i++) if ((str.charCodeAt(i) & 64512) === 55296 && (str.charCodeAt(i + 1) & 64512) === 56320) {
		count--;
		i++;
	}
	return count;
}
function getLengthableOrigin(input) {
	if (Array.isArray(input)) return "array";
	if (typeof input === "string") return "string";
	return "unknown";
}
function issue(...args) {
	const [iss, input, inst] = args;
	if (typeof iss === "string") return {
		message: iss,
		code: "custom",
		input,
		inst
	};
	return { ...iss };
}
/**
* Installs a trait's members on its prototype. Each value builds that member for the instance on first read; the built value shadows the accessor as an own property, so a detached `const { parse } = schema` keeps working.
*
* Call this from a `proto` initializer, which runs once per prototype — never per instance.
*/
function members(proto, table) {
	for (const key in table) {
		const desc = Object.getOwnPropertyDescriptor(table, key);
		if (desc.get) Object.defineProperty(proto, key, {
			...desc,
			enumerable: false
		});
		else defineBound(proto, key, desc.value);
	}
}
/** Shadows a prototype member with an own value, so a getter that builds from the instance runs once. */
function own(inst, key, value, enumerable = true) {
	Object.defineProperty(inst, key, {
		configurable: true,
		writable: true,
		enumerable,
		value
	});
	return value;
}
/** Like {@link own}, for a member that was never an own data property and has to stay out of `Object.keys`. */
function hide(inst, key, value) {
	return own(inst, key, value, false);
}
function defineBound(proto, key, fn) {
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			return this == null ? fn : own(this, key, fn.bind(this));
		},
		set(value) {
			own(this, key, value);
		}
	});
}
/** Returns the prototype to install on, or `undefined` if this group is already installed on it. */
function claim(inst, sentinel) {
	const proto = Object.getPrototypeOf(inst);
	return sentinel in proto ? void 0 : proto;
}
var installing;
var broke = false;
var breaker = {
	configurable: true,
	get() {
		broke = true;
	}
};
/**
* Installs a lazily-derived internal on the `_zod` prototype of `inst`'s
* constructor, computed from the internals object itself and cached there on
* first read. One accessor per constructor rather than one per instance.
*/
function defineLazyInternal(inst, key, compute) {
	const proto = Object.getPrototypeOf(inst._zod);
	if (key in proto && installing !== inst._zod) {
		installing = void 0;
		return;
	}
	installing = inst._zod;
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			Object.defineProperty(this, key, breaker);
			const outer = broke;
			broke = false;
			try {
				const value = compute(this);
				if (broke) delete this[key];
				else Object.defineProperty(this, key, {
					configurable: true,
					writable: true,
					value
				});
				broke = broke || outer;
				return value;
			} catch (err) {
				delete this[key];
				broke = broke || outer;
				throw err;
			}
		},
		set(value) {
			Object.defineProperty(this, key, {
				configurable: true,
				writable: true,
				value
			});
		}
	});
}
/**
* Installs `key` on `inst`'s prototype, computed by `make` on first read and cached there as an own
* data property. One accessor per constructor rather than one per instance, because an own accessor
* puts every instance after the first into v8 dictionary mode. The key doubles as the sentinel.
*/
function installLazyProp(inst, key, make, enumerable) {
	const proto = claim(inst, key);
	if (!proto) return;
	Object.defineProperty(proto, key, {
		configurable: true,
		get() {
			const desc = {
				configurable: true,
				writable: true,
				enumerable,
				value: void 0
			};
			Object.defineProperty(this, key, desc);
			desc.value = make(this);
			Object.defineProperty(this, key, desc);
			return desc.value;
		},
		set(value) {
			Object.defineProperty(this, key, {
				configurable: true,
				writable: true,
				enumerable,
				value
			});
		}
	});
}
// node_modules/zod/v4/core/core.js
var _a;
var _zodDesc = {
	value: void 0,
	enumerable: false
};
var _E = "captureStackTrace" in Error ? Error : null;
function newError(Definition) {
	const E = _E;
	if (E) {
		const saved = E.stackTraceLimit;
		if (typeof saved === "number") {
			try {
				E.stackTraceLimit = 0;
			} catch {
				_E = null;
				return new Definition();
			}
			try {
				return new Definition();
			} finally {
				E.stackTraceLimit = saved;
			}
		}
	}
	return new Definition();
}
/* @__NO_SIDE_EFFECTS__ */
function $constructor(name, initializer, proto, params) {
	const zodProto = {};
	function Internals(def) {
		this.def = def;
		this.constr = _;
		this.traits = /* @__PURE__ */ new Set();
	}
	Internals.prototype = zodProto;
	const protoMembers = proto;
	const initialized = protoMembers && /* @__PURE__ */ new WeakSet();
	function init(inst, def) {
		if (!inst._zod) {
			_zodDesc.value = new Internals(def);
			try {
				Object.defineProperty(inst, "_zod", _zodDesc);
			} finally {
				_zodDesc.value = void 0;
			}
		} else if (inst._zod.traits.has(name)) return;
		inst._zod.traits.add(name);
		initializer(inst, def);
		if (initialized) {
			const own = Object.getPrototypeOf(inst);
			const ctorProto = inst._zod.constr.prototype;
			let up = own;
			while (up && up !== ctorProto) up = Object.getPrototypeOf(up);
			const target = up ?? own;
			if (!initialized.has(target)) {
				initialized.add(target);
				members(target, protoMembers);
			}
		}
		const proto = _.prototype;
		for (const k in proto) {
			if (!Object.prototype.hasOwnProperty.call(proto, k)) continue;
			if (!(k in inst)) inst[k] = proto[k].bind(inst);
		}
	}
	const Parent = params?.Parent ?? Object;
	class Definition extends Parent {}
	Object.defineProperty(Definition, "name", { value: name });
	function _(def) {
		const inst = params?.Parent ? newError(Definition) : this;
		init(inst, def);
		const deferred = inst._zod.deferred;
		if (deferred) {
			for (const fn of deferred) fn();
			inst._zod.deferred = void 0;
		}
		const pp = globalThis.__zod_globalConfig?.postProcessor;
		if (pp) pp(inst);
		return inst;
	}
	Object.defineProperty(_, "init", { value: init });
	Object.defineProperty(_, Symbol.hasInstance, { value: (inst) => {
		if (params?.Parent && inst instanceof params.Parent) return true;
		return inst?._zod?.traits?.has(name);
	} });
	Object.defineProperty(_, "name", { value: name });
	return _;
}
var $ZodAsyncError = class extends Error {
	constructor() {
		super(`Encountered Promise during synchronous parse. Use .parseAsync() instead.`);
	}
};
var $ZodEncodeError = class extends Error {
	constructor(name) {
		super(`Encountered unidirectional transform during encode: ${name}`);
		this.name = "ZodEncodeError";
	}
};
(_a = globalThis).__zod_globalConfig ?? (_a.__zod_globalConfig = {});
var globalConfig = globalThis.__zod_globalConfig;
function config(newConfig) {
	if (newConfig) Object.assign(globalConfig, newConfig);
	return globalConfig;
}
// node_modules/zod/v4/core/errors.js
function _getMessage() {
	const internals = this._zod;
	internals.message ?? (internals.message = JSON.stringify(internals.def, jsonStringifyReplacer, 2));
	return internals.message;
}
function _setMessage(value) {
	this._zod.message = value;
}
var _messageDesc = {
	get: _getMessage,
	set: _setMessage,
	enumerable: true,
	configurable: true
};
var _issuesDesc = {
	value: void 0,
	enumerable: false
};
var _installedToString = /* @__PURE__ */ new WeakSet([Object.prototype, Error.prototype]);
var initializer = (inst, def) => {
	inst.name = "$ZodError";
	_issuesDesc.value = def;
	Object.defineProperty(inst, "issues", _issuesDesc);
	_issuesDesc.value = void 0;
	Object.defineProperty(inst, "message", _messageDesc);
	const proto = Object.getPrototypeOf(inst);
	if (!_installedToString.has(proto)) {
		_installedToString.add(proto);
		Object.defineProperty(proto, "toString", {
			configurable: true,
			enumerable: false,
			get() {
				const value = () => this.message;
				Object.defineProperty(this, "toString", {
					value,
					configurable: true,
					writable: true
				});
				return value;
			},
			set(value) {
				Object.defineProperty(this, "toString", {
					value,
					configurable: true,
					writable: true
				});
			}
		});
	}
};
var $ZodRealError = /* @__PURE__ */ $constructor("$ZodError", initializer, void 0, { Parent: Error });
// node_modules/zod/v4/core/parse.js
var _parse = (_Err) => {
	const fn = (schema, value, _ctx, _params) => {
		const ctx = _ctx ? {
			..._ctx,
			async: false
		} : { async: false };
		const result = schema._zod.run({
			value,
			issues: []
		}, ctx);
		if (result instanceof Promise) throw new $ZodAsyncError();
		if (result.issues.length) {
			const e = new ((_params?.Err) ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
			captureStackTrace(e, _params?.callee ?? fn);
			throw e;
		}
		return result.value;
	};
	return fn;
};
var parse$1 = /* @__PURE__*/ _parse($ZodRealError);
var _parseAsync = (_Err) => {
	const fn = async (schema, value, _ctx, params) => {
		const ctx = _ctx ? {
			..._ctx,
			async: true
		} : { async: true };
		let result = schema._zod.run({
			value,
			issues: []
		}, ctx);
		if (result instanceof Promise) result = await result;
		if (result.issues.length) {
			const e = new ((params?.Err) ?? _Err)(result.issues.map((iss) => finalizeIssue(iss, ctx, config())));
			captureStackTrace(e, params?.callee ?? fn);
			throw e;
		}
		return result.value;
	};
	return fn;
};
var parseAsync = /* @__PURE__*/ _parseAsync($ZodRealError);
var _safeParse = (_Err) => (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		async: false
	} : { async: false };
	const result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) throw new $ZodAsyncError();
	return result.issues.length ? failure(_Err, result.issues, ctx) : {
		success: true,
		data: result.value
	};
};
var safeParse = /* @__PURE__*/ _safeParse($ZodRealError);
function failure(Err, issues, ctx) {
	let error;
	return {
		success: false,
		get error() {
			if (!error) {
				error = new Err(issues.map((iss) => finalizeIssue(iss, ctx, config())));
				issues = void 0;
				ctx = void 0;
			}
			return error;
		},
		set error(e) {
			error = e;
			issues = void 0;
			ctx = void 0;
		}
	};
}
var _safeParseAsync = (_Err) => async (schema, value, _ctx) => {
	const ctx = _ctx ? {
		..._ctx,
		async: true
	} : { async: true };
	let result = schema._zod.run({
		value,
		issues: []
	}, ctx);
	if (result instanceof Promise) result = await result;
	return result.issues.length ? failure(_Err, result.issues, ctx) : {
		success: true,
		data: result.value
	};
};
var safeParseAsync = /* @__PURE__*/ _safeParseAsync($ZodRealError);
// node_modules/zod/v4/core/regexes.js
/** Returns a regex for validating an RFC 9562/4122 UUID.
*
* @param version Optionally specify a version 1-8. If no version is specified, all versions are supported. */
var uuid$1 = (version) => {
	if (!version) return /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$/;
	return new RegExp(`^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-${version}[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12})$`);
};
/** Practical email validation */
var email$1 = /^(?:[A-Za-z0-9_'+\-]+\.)*[A-Za-z0-9_'+\-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$/;
var anyString = /^[\s\S]{0,}$/;
var number$1 = /^-?\d+(?:\.\d+)?$/;
var boolean$1 = /^(?:true|false)$/i;
// node_modules/zod/v4/core/checks.js
var $ZodCheck = /*@__PURE__*/ $constructor("$ZodCheck", (inst, def) => {
	var _a;
	inst._zod ?? (inst._zod = {});
	inst._zod.def = def;
	(_a = inst._zod).onattach ?? (_a.onattach = []);
});
/** Default `when` for length-based checks: run only on non-nullish values with a `length`. */
var _whenHasLength = (payload) => {
	const val = payload.value;
	return !nullish(val) && val.length !== void 0;
};
var $ZodCheckNumberFormat = /*@__PURE__*/ $constructor("$ZodCheckNumberFormat", (inst, def) => {
	$ZodCheck.init(inst, def);
	def.format = def.format || "float64";
	const isInt = def.format?.includes("int");
	const origin = isInt ? "int" : "number";
	const [minimum, maximum] = NUMBER_FORMAT_RANGES[def.format];
	inst._zod.check = (payload) => {
		const input = payload.value;
		if (isInt) {
			if (!Number.isInteger(input)) {
				payload.issues.push({
					expected: origin,
					format: def.format,
					code: "invalid_type",
					continue: false,
					input,
					inst
				});
				return;
			}
			if (!Number.isSafeInteger(input)) {
				if (input > 0) payload.issues.push({
					input,
					code: "too_big",
					maximum: Number.MAX_SAFE_INTEGER,
					note: "Integers must be within the safe integer range.",
					inst,
					origin,
					inclusive: true,
					continue: !def.abort
				});
				else payload.issues.push({
					input,
					code: "too_small",
					minimum: Number.MIN_SAFE_INTEGER,
					note: "Integers must be within the safe integer range.",
					inst,
					origin,
					inclusive: true,
					continue: !def.abort
				});
				return;
			}
		}
		if (input < minimum) payload.issues.push({
			origin: "number",
			input,
			code: "too_small",
			minimum,
			inclusive: true,
			inst,
			continue: !def.abort
		});
		if (input > maximum) payload.issues.push({
			origin: "number",
			input,
			code: "too_big",
			maximum,
			inclusive: true,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckMaxLength = /*@__PURE__*/ $constructor("$ZodCheckMaxLength", (inst, def) => {
	var _a;
	$ZodCheck.init(inst, def);
	(_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
	inst._zod.check = (payload) => {
		const input = payload.value;
		const units = input.length;
		if ((typeof input === "string" && units > def.maximum ? codePointLength(input) : units) <= def.maximum) return;
		const origin = getLengthableOrigin(input);
		payload.issues.push({
			origin,
			code: "too_big",
			maximum: def.maximum,
			inclusive: true,
			input,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckMinLength = /*@__PURE__*/ $constructor("$ZodCheckMinLength", (inst, def) => {
	var _a;
	$ZodCheck.init(inst, def);
	(_a = inst._zod.def).when ?? (_a.when = _whenHasLength);
	inst._zod.check = (payload) => {
		const input = payload.value;
		const units = input.length;
		if ((typeof input === "string" && units >= def.minimum && units < def.minimum * 2 ? codePointLength(input) : units) >= def.minimum) return;
		const origin = getLengthableOrigin(input);
		payload.issues.push({
			origin,
			code: "too_small",
			minimum: def.minimum,
			inclusive: true,
			input,
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckStringFormat = /*@__PURE__*/ $constructor("$ZodCheckStringFormat", (inst, def) => {
	var _a, _b;
	$ZodCheck.init(inst, def);
	if (def.pattern) (_a = inst._zod).check ?? (_a.check = (payload) => {
		def.pattern.lastIndex = 0;
		if (def.pattern.test(payload.value)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: def.format,
			input: payload.value,
			...def.pattern ? { pattern: def.pattern.toString() } : {},
			inst,
			continue: !def.abort
		});
	});
	else (_b = inst._zod).check ?? (_b.check = () => {});
});
var $ZodCheckRegex = /*@__PURE__*/ $constructor("$ZodCheckRegex", (inst, def) => {
	$ZodCheckStringFormat.init(inst, def);
	inst._zod.check = (payload) => {
		def.pattern.lastIndex = 0;
		if (def.pattern.test(payload.value)) return;
		payload.issues.push({
			origin: "string",
			code: "invalid_format",
			format: "regex",
			input: payload.value,
			pattern: def.pattern.toString(),
			inst,
			continue: !def.abort
		});
	};
});
var $ZodCheckOverwrite = /*@__PURE__*/ $constructor("$ZodCheckOverwrite", (inst, def) => {
	$ZodCheck.init(inst, def);
	inst._zod.check = (payload) => {
		payload.value = def.tx(payload.value);
	};
});
// node_modules/zod/v4/core/versions.js
var version = {
	major: 4,
	minor: 6,
	patch: 7
};
// node_modules/zod/v4/core/schemas.js
var $ZodType = /*@__PURE__*/ $constructor("$ZodType", (inst, def) => {
	var _a;
	inst ?? (inst = {});
	inst._zod.def = def;
	inst._zod.bag = inst._zod.bag || {};
	inst._zod.version = version;
	const defChecks = inst._zod.def.checks;
	const checks = inst._zod.traits.has("$ZodCheck") ? [inst, ...defChecks ?? []] : defChecks?.length ? [...defChecks] : [];
	for (const ch of checks) for (const fn of ch._zod.onattach) fn(inst);
	if (checks.length === 0) {
		(_a = inst._zod).deferred ?? (_a.deferred = []);
		inst._zod.deferred?.push(() => {
			inst._zod.run = inst._zod.parse;
		});
	} else {
		const runChecks = (payload, checks, ctx) => {
			if (payload.memo) return payload;
			let isAborted = aborted(payload);
			let asyncResult;
			for (const ch of checks) {
				if (ch._zod.def.when) {
					if (explicitlyAborted(payload)) continue;
					if (!ch._zod.def.when(payload)) continue;
				} else if (isAborted) continue;
				const currLen = payload.issues.length;
				const _ = ch._zod.check(payload);
				if (_ instanceof Promise && ctx?.async === false) throw new $ZodAsyncError();
				if (asyncResult || _ instanceof Promise) asyncResult = (asyncResult ?? Promise.resolve()).then(async () => {
					await _;
					if (payload.issues.length === currLen) return;
					attachSchema(payload.issues, currLen, inst);
					if (!isAborted) isAborted = aborted(payload, currLen);
				});
				else {
					if (payload.issues.length === currLen) continue;
					attachSchema(payload.issues, currLen, inst);
					if (!isAborted) isAborted = aborted(payload, currLen);
				}
			}
			if (asyncResult) return asyncResult.then(() => {
				return payload;
			});
			return payload;
		};
		const handleCanaryResult = (canary, payload, ctx) => {
			if (aborted(canary)) {
				canary.aborted = true;
				return canary;
			}
			const checkResult = runChecks(payload, checks, ctx);
			if (checkResult instanceof Promise) {
				if (ctx.async === false) throw new $ZodAsyncError();
				return checkResult.then((checkResult) => inst._zod.parse(checkResult, ctx));
			}
			return inst._zod.parse(checkResult, ctx);
		};
		inst._zod.run = (payload, ctx) => {
			if (ctx.skipChecks) return inst._zod.parse(payload, ctx);
			if (ctx.direction === "backward") {
				const canary = inst._zod.parse({
					value: payload.value,
					issues: []
				}, {
					...ctx,
					skipChecks: true
				});
				if (canary instanceof Promise) return canary.then((canary) => {
					return handleCanaryResult(canary, payload, ctx);
				});
				return handleCanaryResult(canary, payload, ctx);
			}
			const result = inst._zod.parse(payload, ctx);
			if (result instanceof Promise) {
				if (ctx.async === false) throw new $ZodAsyncError();
				return result.then((result) => runChecks(result, checks, ctx));
			}
			return runChecks(result, checks, ctx);
		};
	}
}, {
	get "~standard"() {
		return hide(this, "~standard", standardProps(this));
	},
	set "~standard"(value) {
		own(this, "~standard", value);
	}
});
/** The Standard Schema surface for `inst`. Shared so wrappers can extend it without forcing it. */
var toStandardResult = (r, ctx) => r.issues.length ? { issues: r.issues.map((iss) => finalizeIssue(iss, ctx, config())) } : { value: r.value };
async function validateAsync(inst, value) {
	const ctx = { async: true };
	return toStandardResult(await inst._zod.run({
		value,
		issues: []
	}, ctx), ctx);
}
function standardProps(inst) {
	return {
		validate: (value) => {
			const ctx = { async: false };
			try {
				const r = inst._zod.run({
					value,
					issues: []
				}, ctx);
				if (!(r instanceof Promise)) return toStandardResult(r, ctx);
			} catch (_) {}
			return validateAsync(inst, value);
		},
		vendor: "zod",
		version: 1
	};
}
var $ZodString = /*@__PURE__*/ $constructor("$ZodString", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.pattern = def.pattern ?? anyString;
	inst._zod.parse = (payload, _) => {
		if (def.coerce) try {
			payload.value = String(payload.value);
		} catch (_) {}
		if (typeof payload.value === "string") return payload;
		payload.issues.push({
			expected: "string",
			code: "invalid_type",
			input: payload.value,
			inst
		});
		return payload;
	};
});
var $ZodStringFormat = /*@__PURE__*/ $constructor("$ZodStringFormat", (inst, def) => {
	$ZodCheckStringFormat.init(inst, def);
	$ZodString.init(inst, def);
});
var $ZodUUID = /*@__PURE__*/ $constructor("$ZodUUID", (inst, def) => {
	if (def.version) {
		const v = {
			v1: 1,
			v2: 2,
			v3: 3,
			v4: 4,
			v5: 5,
			v6: 6,
			v7: 7,
			v8: 8
		}[def.version];
		if (v === void 0) throw new Error(`Invalid UUID version: "${def.version}"`);
		def.pattern ?? (def.pattern = uuid$1(v));
	} else def.pattern ?? (def.pattern = uuid$1());
	$ZodStringFormat.init(inst, def);
});
var $ZodEmail = /*@__PURE__*/ $constructor("$ZodEmail", (inst, def) => {
	def.pattern ?? (def.pattern = email$1);
	$ZodStringFormat.init(inst, def);
});
var $ZodNumber = /*@__PURE__*/ $constructor("$ZodNumber", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.pattern = number$1;
	inst._zod.parse = (payload, _ctx) => {
		if (def.coerce) try {
			payload.value = Number(payload.value);
		} catch (_) {}
		const input = payload.value;
		if (typeof input === "number" && !Number.isNaN(input) && Number.isFinite(input)) return payload;
		const received = typeof input === "number" ? Number.isNaN(input) ? "NaN" : !Number.isFinite(input) ? String(input) : void 0 : void 0;
		payload.issues.push({
			expected: "number",
			code: "invalid_type",
			input,
			inst,
			...received ? { received } : {}
		});
		return payload;
	};
});
var $ZodNumberFormat = /*@__PURE__*/ $constructor("$ZodNumberFormat", (inst, def) => {
	$ZodCheckNumberFormat.init(inst, def);
	$ZodNumber.init(inst, def);
});
var $ZodBoolean = /*@__PURE__*/ $constructor("$ZodBoolean", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.pattern = boolean$1;
	inst._zod.parse = (payload, _ctx) => {
		if (def.coerce) try {
			payload.value = Boolean(payload.value);
		} catch (_) {}
		const input = payload.value;
		if (typeof input === "boolean") return payload;
		payload.issues.push({
			expected: "boolean",
			code: "invalid_type",
			input,
			inst
		});
		return payload;
	};
});
function capSize(inst, size) {
	const caps = sizeCaps(inst._zod.def.checks);
	if (!caps.length) return;
	const cap = Math.min(...caps.map((c) => c[0]));
	const parse = inst._zod.parse;
	inst._zod.parse = (payload, ctx) => {
		const n = size(payload.value);
		if (n > cap && !ctx?.skipChecks && ctx?.direction !== "backward") {
			for (const [max, ch] of sizeCaps(inst._zod.def.checks)) if (n > max && ch._zod.def.when(payload)) {
				const start = payload.issues.length;
				ch._zod.check(payload);
				payload.issues[start].continue = false;
				attachSchema(payload.issues, start, inst);
				return payload;
			}
		}
		return parse(payload, ctx);
	};
}
var arraySize = (input) => Array.isArray(input) ? input.length : -1;
function handleArrayResult(result, final, index) {
	if (result.issues.length) final.issues.push(...prefixIssues(index, result.issues));
	final.value[index] = result.value;
}
var $ZodArray = /*@__PURE__*/ $constructor("$ZodArray", (inst, def) => {
	$ZodType.init(inst, def);
	const memo = globalConfig.memoizer;
	memo?.attach(inst);
	inst._zod.parse = (payload, ctx) => {
		const input = payload.value;
		if (!Array.isArray(input)) {
			payload.issues.push({
				expected: "array",
				code: "invalid_type",
				input,
				inst
			});
			return payload;
		}
		payload.value = memo ? memo.alloc(inst, payload, Array(input.length), ctx) : Array(input.length);
		const proms = [];
		const abortEarly = ctx?.abortEarly;
		for (let i = 0; i < input.length; i++) {
			const item = input[i];
			const result = def.element._zod.run({
				value: item,
				issues: []
			}, ctx);
			if (result instanceof Promise) proms.push(result.then((result) => handleArrayResult(result, payload, i)));
			else {
				handleArrayResult(result, payload, i);
				if (abortEarly && result.issues.length !== 0 && aborted(result)) break;
			}
		}
		if (proms.length) return Promise.all(proms).then(() => payload);
		return payload;
	};
	capSize(inst, arraySize);
});
function handlePropertyResult(result, final, key, input, optin, optout) {
	const isPresent = key in input;
	const isOptionalOut = optout === "optional";
	if (!isPresent && isOptionalOut && optin === "optional") return;
	if (result.issues.length) {
		if (optin !== void 0 && isOptionalOut && !isPresent) return;
		final.issues.push(...prefixIssues(key, result.issues));
	}
	if (!isPresent && optin === void 0) {
		if (!result.issues.length) final.issues.push({
			code: "invalid_type",
			expected: "nonoptional",
			input: void 0,
			path: [key]
		});
		return;
	}
	if (result.value === void 0) {
		if (isPresent || optin === "defaulted" && !isOptionalOut) final.value[key] = void 0;
	} else final.value[key] = result.value;
}
var NO_SYMBOL_KEYS = [];
function normalizeDef(def) {
	const keys = Object.keys(def.shape);
	const ownSymbols = Object.getOwnPropertySymbols(def.shape);
	const symbolKeys = ownSymbols.length ? ownSymbols : NO_SYMBOL_KEYS;
	const allKeys = symbolKeys.length ? [...keys, ...symbolKeys] : keys;
	for (const k of allKeys) if (!def.shape?.[k]?._zod?.traits?.has("$ZodType")) throw new Error(`Invalid element at key "${String(k)}": expected a Zod schema`);
	const okeys = optionalKeys(def.shape);
	return {
		...def,
		allKeys,
		symbolKeys,
		keySet: new Set(keys),
		numKeys: keys.length,
		optionalKeys: new Set(okeys)
	};
}
function handleCatchall(proms, input, payload, ctx, def, inst, abortEarly) {
	const unrecognized = [];
	const keySet = def.keySet;
	const _catchall = def.catchall._zod;
	const t = _catchall.def.type;
	const optin = _catchall.optin;
	const optout = _catchall.optout;
	let seen = 0;
	for (const key in input) {
		if (abortEarly && payload.issues.length !== seen) {
			if (aborted(payload, seen)) break;
			seen = payload.issues.length;
		}
		if (keySet.has(key)) continue;
		if (key === "__proto__") {
			if (t === "never") unrecognized.push(key);
			continue;
		}
		if (t === "never") {
			unrecognized.push(key);
			continue;
		}
		const r = _catchall.run({
			value: input[key],
			issues: []
		}, ctx);
		if (r instanceof Promise) proms.push(r.then((r) => handlePropertyResult(r, payload, key, input, optin, optout)));
		else handlePropertyResult(r, payload, key, input, optin, optout);
	}
	if (unrecognized.length) payload.issues.push({
		code: "unrecognized_keys",
		keys: unrecognized,
		input,
		inst,
		continue: true
	});
	if (!proms.length) return payload;
	return Promise.all(proms).then(() => {
		return payload;
	});
}
var $ZodObject = /*@__PURE__*/ $constructor("$ZodObject", (inst, def) => {
	$ZodType.init(inst, def);
	const desc = Object.getOwnPropertyDescriptor(def, "shape");
	const sh = desc?.get ? desc.get.raw : def.shape ?? {};
	if (sh) {
		const get = () => {
			const newSh = { ...sh };
			Object.defineProperty(def, "shape", { value: newSh });
			get.raw = newSh;
			return newSh;
		};
		get.raw = sh;
		Object.defineProperty(def, "shape", { get });
	}
	const _normalized = cached(() => normalizeDef(def));
	defineLazyInternal(inst, "propValues", (zod) => {
		const shape = zod.def.shape;
		const propValues = {};
		for (const key in shape) {
			const field = shape[key]._zod;
			if (field.values) {
				if (!Object.prototype.hasOwnProperty.call(propValues, key)) assignProp(propValues, key, /* @__PURE__ */ new Set());
				for (const v of field.values) propValues[key].add(v);
				if (field.optin !== void 0) propValues[key].add(void 0);
			}
		}
		return propValues;
	});
	const isObject$1 = isObject;
	const catchall = def.catchall;
	let value;
	const memo = globalConfig.memoizer;
	memo?.attach(inst);
	inst._zod.parse = (payload, ctx) => {
		value ?? (value = _normalized.value);
		const input = payload.value;
		if (!isObject$1(input)) {
			payload.issues.push({
				expected: "object",
				code: "invalid_type",
				input,
				inst
			});
			return payload;
		}
		payload.value = memo ? memo.alloc(inst, payload, {}, ctx) : {};
		const proms = [];
		const shape = value.shape;
		const abortEarly = ctx?.abortEarly;
		let seen = payload.issues.length;
		for (const key of value.allKeys) {
			if (abortEarly && payload.issues.length !== seen) {
				if (aborted(payload, seen)) break;
				seen = payload.issues.length;
			}
			if (key === "__proto__") continue;
			const el = shape[key];
			const optin = el._zod.optin;
			const optout = el._zod.optout;
			const r = el._zod.run({
				value: input[key],
				issues: []
			}, ctx);
			if (r instanceof Promise) proms.push(r.then((r) => handlePropertyResult(r, payload, key, input, optin, optout)));
			else handlePropertyResult(r, payload, key, input, optin, optout);
		}
		if (!catchall) return proms.length ? Promise.all(proms).then(() => payload) : payload;
		return handleCatchall(proms, input, payload, ctx, _normalized.value, inst, abortEarly === true);
	};
});
function handleUnionResults(results, final, inst, ctx) {
	for (const result of results) if (result.issues.length === 0) {
		final.value = result.value;
		return final;
	}
	const nonaborted = results.filter((r) => !aborted(r));
	if (nonaborted.length === 1) {
		final.value = nonaborted[0].value;
		return nonaborted[0];
	}
	final.issues.push({
		code: "invalid_union",
		input: final.value,
		inst,
		errors: results.map((result) => result.issues.map((iss) => finalizeIssue(iss, ctx, config())))
	});
	return final;
}
var $ZodUnion = /*@__PURE__*/ $constructor("$ZodUnion", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.options.some((o) => o._zod.optin === "defaulted") ? "defaulted" : zod.def.options.some((o) => o._zod.optin !== void 0) ? "optional" : void 0);
	defineLazyInternal(inst, "optout", (zod) => zod.def.options.some((o) => o._zod.optout === "optional") ? "optional" : void 0);
	defineLazyInternal(inst, "values", (zod) => {
		if (zod.def.options.every((o) => o._zod.values)) return new Set(zod.def.options.flatMap((option) => Array.from(option._zod.values)));
	});
	defineLazyInternal(inst, "pattern", (zod) => {
		if (zod.def.options.every((o) => o._zod.pattern)) {
			const patterns = zod.def.options.map((o) => o._zod.pattern);
			return new RegExp(`^(${patterns.map((p) => cleanRegex(p.source)).join("|")})$`);
		}
	});
	const first = def.options.length === 1 ? def.options[0]._zod.run : null;
	inst._zod.parse = (payload, ctx) => {
		if (first) return first(payload, ctx);
		let async = false;
		const results = [];
		for (const option of def.options) {
			const result = option._zod.run({
				value: payload.value,
				issues: []
			}, ctx);
			if (result instanceof Promise) {
				results.push(result);
				async = true;
			} else {
				if (result.issues.length === 0) return result;
				results.push(result);
			}
		}
		if (!async) return handleUnionResults(results, payload, inst, ctx);
		return Promise.all(results).then((results) => {
			return handleUnionResults(results, payload, inst, ctx);
		});
	};
});
function discriminatorMap(def) {
	const map = /* @__PURE__ */ new Map();
	for (const option of def.options) {
		const values = option._zod.propValues?.[def.discriminator];
		if (!values || values.size === 0) throw new Error(`Invalid discriminated union option at index "${def.options.indexOf(option)}"`);
		for (const value of values) if (map.has(value)) {
			if (value !== void 0) throw new Error(`Duplicate discriminator value "${String(value)}"`);
			map.set(value, null);
		} else map.set(value, option);
	}
	return map;
}
var $ZodDiscriminatedUnion = /*@__PURE__*/ $constructor("$ZodDiscriminatedUnion", (inst, def) => {
	def.inclusive = false;
	$ZodUnion.init(inst, def);
	const _super = inst._zod.parse;
	defineLazyInternal(inst, "propValues", (zod) => {
		const propValues = {};
		let undefinedCount = 0;
		for (const option of zod.def.options) {
			const pv = option._zod.propValues;
			if (!pv || Object.keys(pv).length === 0) throw new Error(`Invalid discriminated union option at index "${zod.def.options.indexOf(option)}"`);
			if (pv[zod.def.discriminator]?.has(void 0)) undefinedCount++;
			for (const [k, v] of Object.entries(pv)) {
				if (!Object.prototype.hasOwnProperty.call(propValues, k)) assignProp(propValues, k, /* @__PURE__ */ new Set());
				for (const val of v) propValues[k].add(val);
			}
		}
		if (!zod.def.unionFallback && undefinedCount > 1) propValues[zod.def.discriminator]?.delete(void 0);
		return propValues;
	});
	def.options.forEach((option, i) => {
		const propShape = rawShape(option._zod.def);
		if (propShape && !Object.prototype.hasOwnProperty.call(propShape, def.discriminator)) throw new Error(`Invalid discriminated union option at index "${i}"`);
	});
	const disc = cached(() => discriminatorMap(def));
	inst._zod.parse = (payload, ctx) => {
		const input = payload.value;
		if (!isObject(input)) {
			payload.issues.push({
				code: "invalid_type",
				expected: "object",
				input,
				inst
			});
			return payload;
		}
		const value = input?.[def.discriminator];
		const opt = disc.value.get(value);
		if (opt && (value !== void 0 || ctx.direction !== "backward")) return opt._zod.run(payload, ctx);
		if (def.unionFallback || ctx.direction === "backward") return _super(payload, ctx);
		payload.issues.push({
			code: "invalid_union",
			errors: [],
			note: "No matching discriminator",
			discriminator: def.discriminator,
			options: Array.from(disc.value.keys()).filter((value) => disc.value.get(value) !== null),
			input,
			path: [def.discriminator],
			inst
		});
		return payload;
	};
});
var $ZodEnum = /*@__PURE__*/ $constructor("$ZodEnum", (inst, def) => {
	$ZodType.init(inst, def);
	const values = getEnumValues(def.entries);
	const valuesSet = new Set(values);
	inst._zod.values = valuesSet;
	defineLazyInternal(inst, "pattern", (zod) => {
		const patternValues = getEnumValues(zod.def.entries).filter((k) => propertyKeyTypes.has(typeof k));
		return new RegExp(patternValues.length ? `^(${patternValues.map((o) => escapeRegex(o.toString())).join("|")})$` : "^[^\\s\\S]$");
	});
	inst._zod.parse = (payload, _ctx) => {
		const input = payload.value;
		if (valuesSet.has(input)) return payload;
		payload.issues.push({
			code: "invalid_value",
			values,
			input,
			inst
		});
		return payload;
	};
});
var $ZodLiteral = /*@__PURE__*/ $constructor("$ZodLiteral", (inst, def) => {
	$ZodType.init(inst, def);
	const values = new Set(def.values);
	inst._zod.values = values;
	defineLazyInternal(inst, "pattern", (zod) => {
		const vals = zod.def.values;
		return new RegExp(vals.length ? `^(${vals.map((o) => typeof o === "string" ? escapeRegex(o) : o ? escapeRegex(o.toString()) : String(o)).join("|")})$` : "^[^\\s\\S]$");
	});
	inst._zod.parse = (payload, _ctx) => {
		const input = payload.value;
		if (values.has(input)) return payload;
		payload.issues.push({
			code: "invalid_value",
			values: def.values,
			input,
			inst
		});
		return payload;
	};
});
var $ZodTransform = /*@__PURE__*/ $constructor("$ZodTransform", (inst, def) => {
	$ZodType.init(inst, def);
	inst._zod.optin = "optional";
	globalConfig.memoizer?.guard(inst);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") throw new $ZodEncodeError(inst.constructor.name);
		const _out = def.transform(payload.value, payload);
		if (ctx.async) return (_out instanceof Promise ? _out : Promise.resolve(_out)).then((output) => {
			payload.value = output;
			return payload;
		});
		if (_out instanceof Promise) throw new $ZodAsyncError();
		payload.value = _out;
		return payload;
	};
});
function handleOptionalResult(payload, result) {
	payload.value = result.issues.length ? void 0 : result.value;
	return payload;
}
var $ZodOptional = /*@__PURE__*/ $constructor("$ZodOptional", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin === "defaulted" ? "defaulted" : "optional");
	inst._zod.optout = "optional";
	defineLazyInternal(inst, "values", (zod) => {
		const values = zod.def.innerType._zod.values;
		return values ? /* @__PURE__ */ new Set([...values, void 0]) : void 0;
	});
	defineLazyInternal(inst, "pattern", (zod) => {
		const pattern = zod.def.innerType._zod.pattern;
		return pattern ? new RegExp(`^(${cleanRegex(pattern.source)})?$`) : void 0;
	});
	inst._zod.parse = (payload, ctx) => {
		if (payload.value === void 0) {
			if (def.innerType._zod.optin !== "defaulted") return payload;
			const result = def.innerType._zod.run({
				value: payload.value,
				issues: []
			}, ctx);
			if (result instanceof Promise) return result.then((result) => handleOptionalResult(payload, result));
			return handleOptionalResult(payload, result);
		}
		return def.innerType._zod.run(payload, ctx);
	};
});
var $ZodNullable = /*@__PURE__*/ $constructor("$ZodNullable", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "optin", (zod) => zod.def.innerType._zod.optin);
	defineLazyInternal(inst, "optout", (zod) => zod.def.innerType._zod.optout);
	defineLazyInternal(inst, "pattern", (zod) => {
		const pattern = zod.def.innerType._zod.pattern;
		return pattern ? new RegExp(`^(${cleanRegex(pattern.source)}|null)$`) : void 0;
	});
	defineLazyInternal(inst, "values", (zod) => {
		return zod.def.innerType._zod.values ? /* @__PURE__ */ new Set([...zod.def.innerType._zod.values, null]) : void 0;
	});
	inst._zod.parse = (payload, ctx) => {
		if (payload.value === null) return payload;
		return def.innerType._zod.run(payload, ctx);
	};
});
var $ZodPipe = /*@__PURE__*/ $constructor("$ZodPipe", (inst, def) => {
	$ZodType.init(inst, def);
	defineLazyInternal(inst, "values", (zod) => zod.def.in._zod.values);
	defineLazyInternal(inst, "optin", (zod) => zod.def.in._zod.optin);
	defineLazyInternal(inst, "optout", (zod) => zod.def.out._zod.optout);
	defineLazyInternal(inst, "propValues", (zod) => zod.def.in._zod.propValues);
	inst._zod.parse = (payload, ctx) => {
		if (ctx.direction === "backward") {
			const right = def.out._zod.run(payload, ctx);
			if (right instanceof Promise) return right.then((right) => handlePipeResult(right, def.in, ctx));
			return handlePipeResult(right, def.in, ctx);
		}
		const left = def.in._zod.run(payload, ctx);
		if (left instanceof Promise) return left.then((left) => handlePipeResult(left, def.out, ctx));
		return handlePipeResult(left, def.out, ctx);
	};
});
function handlePipeResult(left, next, ctx) {
	if (left.issues.some((iss) => iss.code !== "unrecognized_keys")) {
		left.aborted = true;
		return left;
	}
	return next._zod.run({
		value: left.value,
		issues: left.issues
	}, ctx);
}
var $ZodCustom = /*@__PURE__*/ $constructor("$ZodCustom", (inst, def) => {
	$ZodCheck.init(inst, def);
	$ZodType.init(inst, def);
	inst._zod.parse = (payload, _) => {
		return payload;
	};
	inst._zod.check = (payload) => {
		const input = payload.value;
		const r = def.fn(input);
		if (r instanceof Promise) return r.then((r) => handleRefineResult(r, payload, input, inst));
		handleRefineResult(r, payload, input, inst);
	};
});
function handleRefineResult(result, payload, input, inst) {
	if (!result) {
		const _iss = {
			code: "custom",
			input,
			inst,
			path: [...inst._zod.def.path ?? []],
			continue: !inst._zod.def.abort
		};
		if (inst._zod.def.params) _iss.params = inst._zod.def.params;
		payload.issues.push(issue(_iss));
	}
}
// node_modules/zod/v4/core/api.js
function snapshotChecks(def) {
	if (def.checks) def.checks = [...def.checks];
	return def;
}
// @__NO_SIDE_EFFECTS__
function _string(Class, params) {
	return new Class(snapshotChecks({
		type: "string",
		...normalizeParams(params)
	}));
}
// @__NO_SIDE_EFFECTS__
function _email(Class, params) {
	return new Class({
		type: "string",
		format: "email",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _uuid(Class, params) {
	return new Class({
		type: "string",
		format: "uuid",
		check: "string_format",
		abort: false,
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _number(Class, params) {
	return new Class(snapshotChecks({
		type: "number",
		checks: [],
		...normalizeParams(params)
	}));
}
// @__NO_SIDE_EFFECTS__
function _int(Class, params) {
	return new Class({
		type: "number",
		check: "number_format",
		abort: false,
		format: "safeint",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _boolean(Class, params) {
	return new Class({
		type: "boolean",
		...normalizeParams(params)
	});
}
// @__NO_SIDE_EFFECTS__
function _maxLength(maximum, params) {
	return new $ZodCheckMaxLength({
		check: "max_length",
		...normalizeParams(params),
		maximum
	});
}
// @__NO_SIDE_EFFECTS__
function _minLength(minimum, params) {
	return new $ZodCheckMinLength({
		check: "min_length",
		...normalizeParams(params),
		minimum
	});
}
// @__NO_SIDE_EFFECTS__
function _regex(pattern, params) {
	return new $ZodCheckRegex({
		check: "string_format",
		format: "regex",
		...normalizeParams(params),
		pattern
	});
}
// @__NO_SIDE_EFFECTS__
function _overwrite(tx) {
	return new $ZodCheckOverwrite({
		check: "overwrite",
		tx
	});
}
// @__NO_SIDE_EFFECTS__
function _trim() {
	return /* @__PURE__ */ _overwrite((input) => input.trim());
}
// @__NO_SIDE_EFFECTS__
function _refine(Class, fn, _params) {
	return new Class({
		type: "custom",
		check: "custom",
		fn,
		...normalizeParams(_params)
	});
}
// node_modules/zod/v4/mini/schemas.js
var ZodMiniType = /*@__PURE__*/ $constructor("ZodMiniType", (inst, def) => {
	if (!inst._zod) throw new Error("Uninitialized schema in ZodMiniType.");
	$ZodType.init(inst, def);
	inst.def = def;
	inst.type = def.type;
}, {
	get with() {
		return this.check;
	},
	set with(value) {
		own(this, "with", value);
	},
	parse(data, params) {
		return parse$1(this, data, params, { callee: this.parse });
	},
	parseAsync(data, params) {
		return parseAsync(this, data, params, { callee: this.parseAsync });
	},
	safeParse(data, params) {
		return safeParse(this, data, params);
	},
	safeParseAsync(data, params) {
		return safeParseAsync(this, data, params);
	},
	check(...checks) {
		const def = this.def;
		return this.clone({
			...def,
			checks: [...def.checks ?? [], ...checks.map((ch) => typeof ch === "function" ? { _zod: {
				check: ch,
				def: { check: "custom" },
				onattach: []
			} } : ch)]
		}, { parent: true });
	},
	clone(_def, params) {
		return clone(this, _def, params);
	},
	brand() {
		return this;
	},
	register(reg, meta) {
		reg.add(this, meta);
		return this;
	},
	apply(fn, ...args) {
		return args.length === 0 ? fn(this) : fn(this, ...args);
	}
});
var ZodMiniString = /*@__PURE__*/ $constructor("ZodMiniString", (inst, def) => {
	$ZodString.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function string(params) {
	return /* @__PURE__ */ _string(ZodMiniString, params);
}
var ZodMiniStringFormat = /*@__PURE__*/ $constructor("ZodMiniStringFormat", (inst, def) => {
	$ZodStringFormat.init(inst, def);
	ZodMiniString.init(inst, def);
});
var ZodMiniEmail = /*@__PURE__*/ $constructor("ZodMiniEmail", (inst, def) => {
	$ZodEmail.init(inst, def);
	ZodMiniStringFormat.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function email(params) {
	return /* @__PURE__ */ _email(ZodMiniEmail, params);
}
var ZodMiniUUID = /*@__PURE__*/ $constructor("ZodMiniUUID", (inst, def) => {
	$ZodUUID.init(inst, def);
	ZodMiniStringFormat.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function uuid(params) {
	return /* @__PURE__ */ _uuid(ZodMiniUUID, params);
}
var ZodMiniNumber = /*@__PURE__*/ $constructor("ZodMiniNumber", (inst, def) => {
	$ZodNumber.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function number(params) {
	return /* @__PURE__ */ _number(ZodMiniNumber, params);
}
var ZodMiniNumberFormat = /*@__PURE__*/ $constructor("ZodMiniNumberFormat", (inst, def) => {
	$ZodNumberFormat.init(inst, def);
	ZodMiniNumber.init(inst, def);
});
function int(params) {
	return /* @__PURE__ */ _int(ZodMiniNumberFormat, params);
}
var ZodMiniBoolean = /*@__PURE__*/ $constructor("ZodMiniBoolean", (inst, def) => {
	$ZodBoolean.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function boolean(params) {
	return /* @__PURE__ */ _boolean(ZodMiniBoolean, params);
}
var ZodMiniArray = /*@__PURE__*/ $constructor("ZodMiniArray", (inst, def) => {
	$ZodArray.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function array(element, params) {
	return new ZodMiniArray({
		type: "array",
		element,
		...normalizeParams(params)
	});
}
var ZodMiniObject = /*@__PURE__*/ $constructor("ZodMiniObject", (inst, def) => {
	$ZodObject.init(inst, def);
	ZodMiniType.init(inst, def);
	installLazyProp(inst, "shape", (self) => self._zod.def.shape, false);
});
// @__NO_SIDE_EFFECTS__
function object(shape, params) {
	return new ZodMiniObject({
		type: "object",
		shape: shape ?? {},
		...normalizeParams(params)
	});
}
var ZodMiniUnion = /*@__PURE__*/ $constructor("ZodMiniUnion", (inst, def) => {
	$ZodUnion.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function union(options, params) {
	return new ZodMiniUnion({
		type: "union",
		options,
		...normalizeParams(params)
	});
}
var ZodMiniDiscriminatedUnion = /*@__PURE__*/ $constructor("ZodMiniDiscriminatedUnion", (inst, def) => {
	$ZodDiscriminatedUnion.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function discriminatedUnion(discriminator, options, params) {
	return new ZodMiniDiscriminatedUnion({
		type: "union",
		options,
		discriminator,
		...normalizeParams(params)
	});
}
var ZodMiniEnum = /*@__PURE__*/ $constructor("ZodMiniEnum", (inst, def) => {
	$ZodEnum.init(inst, def);
	ZodMiniType.init(inst, def);
	inst.options = [...inst._zod.values];
});
// @__NO_SIDE_EFFECTS__
function _enum(values, params) {
	return new ZodMiniEnum({
		type: "enum",
		entries: Array.isArray(values) ? Object.fromEntries(values.map((v) => [v, v])) : values,
		...normalizeParams(params)
	});
}
var ZodMiniLiteral = /*@__PURE__*/ $constructor("ZodMiniLiteral", (inst, def) => {
	$ZodLiteral.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function literal(value, params) {
	return new ZodMiniLiteral({
		type: "literal",
		values: Array.isArray(value) ? value : [value],
		...normalizeParams(params)
	});
}
var ZodMiniTransform = /*@__PURE__*/ $constructor("ZodMiniTransform", (inst, def) => {
	$ZodTransform.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function transform(fn) {
	return new ZodMiniTransform({
		type: "transform",
		transform: fn
	});
}
var ZodMiniOptional = /*@__PURE__*/ $constructor("ZodMiniOptional", (inst, def) => {
	$ZodOptional.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function optional(innerType) {
	return new ZodMiniOptional({
		type: "optional",
		innerType
	});
}
var ZodMiniNullable = /*@__PURE__*/ $constructor("ZodMiniNullable", (inst, def) => {
	$ZodNullable.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function nullable(innerType) {
	return new ZodMiniNullable({
		type: "nullable",
		innerType
	});
}
var ZodMiniPipe = /*@__PURE__*/ $constructor("ZodMiniPipe", (inst, def) => {
	$ZodPipe.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function pipe(in_, out) {
	return new ZodMiniPipe({
		type: "pipe",
		in: in_,
		out
	});
}
var ZodMiniCustom = /*@__PURE__*/ $constructor("ZodMiniCustom", (inst, def) => {
	$ZodCustom.init(inst, def);
	ZodMiniType.init(inst, def);
});
// @__NO_SIDE_EFFECTS__
function refine(fn, _params = {}) {
	return /* @__PURE__ */ _refine(ZodMiniCustom, fn, _params);
}
// shared/http.ts
/** Request and answer headers of the two calls that a device may queue. */
var IDEMPOTENCY_KEY_HEADER = "Idempotency-Key";
var EXPECTED_USER_HEADER = "X-Expected-User";
/** The answer of `GET /api/health`; anything else at that address (a captive portal, say) is a failure. */
var healthSchema = /* @__PURE__ */ object({
	status: /* @__PURE__ */ literal("ok"),
	app: /* @__PURE__ */ literal("this-or-that"),
	version: /* @__PURE__ */ string()
});
var pollIdSchema = /* @__PURE__ */ uuid();
/** A whole number in a query string: no number is an error, a number out of range is clamped. */
function clampedInt(options) {
	return /* @__PURE__ */ pipe(/* @__PURE__ */ optional((/* @__PURE__ */ string()).check(/* @__PURE__ */ _regex(/^-?\d+$/, "Must be a whole number"))), /* @__PURE__ */ transform((text) => text === void 0 ? options.fallback : Math.min(options.max, Math.max(options.min, Number(text)))));
}
/** `path` with the parameters that are neither null nor undefined as its query string. */
function withQuery(path, parameters) {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(parameters)) if (value !== null && value !== void 0) query.set(name, String(value));
	const text = query.toString();
	return text === "" ? path : `${path}?${text}`;
}
// sync/client/connection.ts
/** The monitor's rules, pure: what `event` makes of `state`; null when it changes nothing. */
function connectionStep(state, event) {
	switch (event) {
		case "trouble": return state.phase === "connected" || state.phase === "restored" ? {
			state: { phase: "connected" },
			check: true
		} : null;
		case "signal": return {
			state: state.phase === "failed" ? {
				phase: "disconnected",
				attempt: 0
			} : state,
			check: true
		};
		case "reached": return reached(state);
		case "check_failed": return checkFailed(state);
		case "timer":
			if (state.phase === "restored") return { state: { phase: "connected" } };
			return state.phase === "disconnected" ? {
				state,
				check: true
			} : null;
	}
}
function reached(state) {
	switch (state.phase) {
		case "connected":
		case "restored": return null;
		case "checking": return { state: { phase: "connected" } };
		case "disconnected":
		case "failed": return {
			state: { phase: "restored" },
			timerMs: RESTORED_SHOWN_MS
		};
	}
}
function checkFailed(state) {
	if (state.phase === "failed") return null;
	const attempt = state.phase === "disconnected" ? state.attempt + 1 : 1;
	if (attempt >= 5) return { state: { phase: "failed" } };
	return {
		state: {
			phase: "disconnected",
			attempt
		},
		timerMs: HEALTH_INTERVAL_MS
	};
}
// sync/client/observable.ts
function observable(initial) {
	let value = initial;
	const listeners = /* @__PURE__ */ new Set();
	return {
		get: () => value,
		set(next) {
			value = next;
			for (const listener of listeners) listener();
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		}
	};
}
// shared/auth/constants.ts
var USERNAME_PATTERN = /^[A-Za-z0-9_.-]+$/;
/** What is said on the device and by the server alike. */
var VERIFICATION_TOKEN_MISSING = "No verification token provided.";
// shared/auth/schema.ts
/**
* The signed-in user, as only they and administrators see them. `createdAt` is ISO 8601 UTC. `referralPoints` is what
* their referrals have earned; it is absent before the first point, and where nobody looked it up. `epoch` identifies the
* history of the server's database: a UUID made with the database and renewed after a restore from a backup. It is absent
* in lists of users and in answers of servers that do not have one yet.
*/
var userSchema = /* @__PURE__ */ object({
	id: int(),
	username: /* @__PURE__ */ string(),
	email: /* @__PURE__ */ string(),
	points: int(),
	referralCode: /* @__PURE__ */ string(),
	referralPoints: /* @__PURE__ */ optional(int()),
	isAdmin: /* @__PURE__ */ boolean(),
	isSuspended: /* @__PURE__ */ boolean(),
	isVerified: /* @__PURE__ */ boolean(),
	createdAt: /* @__PURE__ */ string(),
	rev: int(),
	epoch: /* @__PURE__ */ optional(/* @__PURE__ */ uuid())
});
var USERNAME_TOO_SHORT = `Username must be at least 3 characters`;
(/* @__PURE__ */ string(USERNAME_TOO_SHORT)).check(/* @__PURE__ */ _trim(), /* @__PURE__ */ _minLength(3, USERNAME_TOO_SHORT), /* @__PURE__ */ _maxLength(30, `Username must be at most 30 characters`), /* @__PURE__ */ _regex(USERNAME_PATTERN, "Use letters, digits, dots, dashes and underscores only"));
function emailSchema(message) {
	return (/* @__PURE__ */ string(message)).check(/* @__PURE__ */ _trim(), /* @__PURE__ */ email(message), /* @__PURE__ */ _maxLength(254, message));
}
var PASSWORD_TOO_SHORT = `Password must be at least 8 characters`;
(/* @__PURE__ */ string(PASSWORD_TOO_SHORT)).check(/* @__PURE__ */ _minLength(8, PASSWORD_TOO_SHORT), /* @__PURE__ */ _maxLength(128, `Password must be at most 128 characters`));
emailSchema("Please enter a valid email");
emailSchema("Please enter a valid email");
emailSchema("Please enter a valid email address");
var RESET_TOKEN_MISSING = "No reset token provided. Please request a new password reset link.";
(/* @__PURE__ */ string(RESET_TOKEN_MISSING)).check(/* @__PURE__ */ _minLength(1, RESET_TOKEN_MISSING));
(/* @__PURE__ */ string(VERIFICATION_TOKEN_MISSING)).check(/* @__PURE__ */ _minLength(1, VERIFICATION_TOKEN_MISSING));
(/* @__PURE__ */ string("Username is required")).check(/* @__PURE__ */ _trim(), /* @__PURE__ */ _minLength(1, "Username is required")), (/* @__PURE__ */ string("Password is required")).check(/* @__PURE__ */ _minLength(1, "Password is required"));
/** The body of every answer with a status of 400 or above. `message` is fit to show to a person. */
var errorBodySchema = /* @__PURE__ */ object({
	message: /* @__PURE__ */ string(),
	code: /* @__PURE__ */ _enum(Object.keys({
		invalid_input: 400,
		invalid_token: 400,
		invalid_key: 400,
		unauthenticated: 401,
		invalid_credentials: 401,
		insufficient_points: 402,
		bad_origin: 403,
		not_admin: 403,
		suspended: 403,
		own_poll: 403,
		protected_account: 403,
		not_found: 404,
		taken: 409,
		already_voted: 409,
		poll_closed: 409,
		id_taken: 409,
		actor_mismatch: 409,
		in_flight: 409,
		too_large: 413,
		unsupported_type: 415,
		undecodable: 422,
		key_reused: 422,
		rate_limited: 429,
		internal: 500,
		unavailable: 503,
		busy: 503
	})),
	requestId: /* @__PURE__ */ string(),
	issues: /* @__PURE__ */ optional(/* @__PURE__ */ array(/* @__PURE__ */ object({
		path: /* @__PURE__ */ string(),
		message: /* @__PURE__ */ string()
	})))
});
// shared/polls/constants.ts
/** What is said of a poll without its question or a picture, on the device and by the server. */
var QUESTION_MISSING = "Please enter a question for your poll";
var RESPONSES_MAX = 1e6;
var FEED_OFFSET_MAX = 1e4;
// shared/polls/schema.ts
var optionSchema = /* @__PURE__ */ union([/* @__PURE__ */ literal(1), /* @__PURE__ */ literal(2)]);
var pollStatusSchema = /* @__PURE__ */ _enum([
	"active",
	"inactive",
	"expired",
	"completed"
]);
var sizeSchema = /* @__PURE__ */ object({
	width: int(),
	height: int()
});
/**
* A poll as one viewer sees it. `votes` holds the viewer's own vote or nothing; `results` (counts) is null
* for those who may not see them yet. Dates are ISO 8601 UTC, `duration` whole days, sizes pixels,
* previews ThumbHash in base64 (null for a placeholder).
*/
var pollSchema = /* @__PURE__ */ object({
	id: pollIdSchema,
	question: /* @__PURE__ */ string(),
	user: /* @__PURE__ */ nullable(/* @__PURE__ */ object({ username: /* @__PURE__ */ string() })),
	option1Image: /* @__PURE__ */ string(),
	option2Image: /* @__PURE__ */ string(),
	option1Caption: /* @__PURE__ */ nullable(/* @__PURE__ */ string()),
	option2Caption: /* @__PURE__ */ nullable(/* @__PURE__ */ string()),
	option1Preview: /* @__PURE__ */ nullable(/* @__PURE__ */ string()),
	option2Preview: /* @__PURE__ */ nullable(/* @__PURE__ */ string()),
	option1Size: /* @__PURE__ */ nullable(sizeSchema),
	option2Size: /* @__PURE__ */ nullable(sizeSchema),
	votesCount: int(),
	commentCount: int(),
	createdAt: /* @__PURE__ */ string(),
	closesAt: /* @__PURE__ */ string(),
	duration: int(),
	active: /* @__PURE__ */ boolean(),
	responsesWanted: int(),
	status: pollStatusSchema,
	votes: /* @__PURE__ */ array(/* @__PURE__ */ object({ option: optionSchema })),
	results: /* @__PURE__ */ nullable(/* @__PURE__ */ object({
		option1: int(),
		option2: int()
	})),
	isMine: /* @__PURE__ */ boolean(),
	isSample: /* @__PURE__ */ boolean(),
	rev: int(),
	votesLast24h: /* @__PURE__ */ optional(int())
});
/** Text with no NUL and no lone surrogate: neither can be stored. */
var storableText = /* @__PURE__ */ refine((text) => !text.includes("\0") && text.isWellFormed(), "Contains characters that cannot be stored");
(/* @__PURE__ */ string()).check(/* @__PURE__ */ _trim(), /* @__PURE__ */ _maxLength(80, `A caption has at most 80 characters`), storableText);
(/* @__PURE__ */ string(QUESTION_MISSING)).check(/* @__PURE__ */ _trim(), /* @__PURE__ */ _minLength(1, QUESTION_MISSING), /* @__PURE__ */ _maxLength(200, `A question has at most 200 characters`), storableText);
clampedInt({
	min: 1,
	max: 100,
	fallback: 24
}), clampedInt({
	min: 0,
	max: FEED_OFFSET_MAX,
	fallback: 0
});
clampedInt({
	min: 1,
	max: 20,
	fallback: 2
}), clampedInt({
	min: 0,
	max: RESPONSES_MAX,
	fallback: 1
});
var feedPageSchema = /* @__PURE__ */ object({
	data: /* @__PURE__ */ array(pollSchema),
	pagination: /* @__PURE__ */ object({
		limit: int(),
		offset: int(),
		hasMore: /* @__PURE__ */ boolean(),
		nextCursor: /* @__PURE__ */ nullable(/* @__PURE__ */ string()),
		total: /* @__PURE__ */ optional(int())
	})
});
var pollListSchema = /* @__PURE__ */ array(pollSchema);
/**
* The answer to a vote and to a creation: the poll and the viewer as they are now.
* `poll` is null when a replayed call's poll is gone since.
*/
var mutationAnswerSchema = /* @__PURE__ */ object({
	poll: /* @__PURE__ */ nullable(pollSchema),
	user: userSchema
});
// sync/client/cache.ts
/**
* `incoming` as it may be stored over `cached`: never an older revision, and never without a vote of one's own
* that the server has confirmed before.
*/
function mergePoll(cached, incoming) {
	if (cached === void 0) return incoming;
	if (incoming.rev < cached.rev) {
		if (incoming.votes.length === 0 || cached.votes.length > 0) return cached;
		return {
			...cached,
			votes: incoming.votes,
			results: cached.results ?? incoming.results
		};
	}
	if (incoming.votes.length > 0 || cached.votes.length === 0) return incoming;
	return {
		...incoming,
		votes: cached.votes,
		results: incoming.results ?? cached.results
	};
}
/** Stores polls, each unless the cache holds a newer revision. Runs in the caller's transaction. */
async function putPolls(db, polls) {
	const ids = [...new Set(polls.map((poll) => poll.id))];
	const cached = await db.polls.bulkGet(ids);
	const merged = new Map(ids.map((id, index) => [id, cached[index]]));
	for (const poll of polls) merged.set(poll.id, mergePoll(merged.get(poll.id), poll));
	await db.polls.bulkPut([...merged.values()].filter((poll) => poll !== void 0));
}
/** Stores the user unless the cache holds a newer revision. What referrals have earned is not in every answer. */
async function putUser(db, user) {
	await db.transaction("rw", db.user, async () => {
		const cached = await db.user.get(user.id);
		if (cached !== void 0 && user.rev < cached.rev) return;
		const hasNewerPoints = (cached?.pointsRev ?? 0) > user.rev;
		await db.user.put({
			...cached,
			...user,
			points: hasNewerPoints && cached ? cached.points : user.points
		});
	});
}
/** Stores one poll. */
async function putPoll(db, poll) {
	await db.transaction("rw", db.polls, () => putPolls(db, [poll]));
}
/** Forgets polls that are gone on the server. */
async function dropPolls(db, pollIds) {
	await db.transaction("rw", db.polls, db.feed, db.mine, db.trending, async () => {
		for (const table of [
			db.polls,
			db.feed,
			db.mine,
			db.trending
		]) await table.bulkDelete([...pollIds]);
	});
}
// sync/client/cached-lists.ts
/** Rows of polls beyond this number that no list and no op refers to are let go. */
var POLLS_KEPT = 600;
/** So many polls of the feed stay on the device from one load of page 1 to the next: ten pages. */
var FEED_KEPT = 240;
/** A read that starts this long after a poll was acknowledged has to know it. */
var READ_AFTER_ACK_MS = 2e3;
/**
* Replaces a list by what a read that started at `startedAt` brought. A poll of one's own that was acknowledged later
* than that (or just before, since reads are buffered on the server) keeps its place at the top.
*/
async function replaceList(list, polls, startedAt) {
	const known = new Set(polls.map((poll) => poll.id));
	const newer = (await list.orderBy("position").toArray()).filter(({ pollId, ackedAt }) => ackedAt !== void 0 && startedAt < ackedAt + READ_AFTER_ACK_MS && !known.has(pollId));
	await list.clear();
	await list.bulkPut(newer.map((entry, index) => ({
		...entry,
		position: index - newer.length
	})));
	await list.bulkPut(polls.map((poll, position) => ({
		pollId: poll.id,
		position
	})));
}
/** What a change of the feed may touch: rows that nothing else refers to go with it. */
function feedTables(db) {
	return [
		db.polls,
		db.feed,
		db.mine,
		db.trending,
		db.ops,
		db.listMeta
	];
}
/** Puts a poll of one's own that was acknowledged at `ackedAt` at the top of a list, unless it is in it. */
async function putFirst(list, pollId, ackedAt) {
	if (await list.get(pollId) !== void 0) return;
	const first = await list.orderBy("position").first();
	await list.put({
		pollId,
		position: (first?.position ?? 0) - 1,
		ackedAt
	});
}
/** Replaces `mine` or `trending` by what a read that started at `startedAt` brought. */
async function putList(db, list, polls, startedAt) {
	await db.transaction("rw", db.polls, db[list], db.listMeta, async () => {
		await putPolls(db, polls);
		await replaceList(db[list], polls, startedAt);
		await db.listMeta.put({
			list,
			fetchedAt: startedAt,
			etag: null,
			nextCursor: null,
			hasMore: false
		});
	});
}
/** Replaces the stored feed by its first page. */
async function putFirstPage(db, page, options) {
	await db.transaction("rw", feedTables(db), async () => {
		await putPolls(db, page.data);
		await replaceList(db.feed, page.data, options.startedAt);
		await collectGarbage(db);
		const { nextCursor, hasMore } = page.pagination;
		await db.listMeta.put({
			list: "feed",
			fetchedAt: options.startedAt,
			etag: options.etag,
			nextCursor,
			hasMore
		});
	});
}
/**
* Appends the page that `cursor` asked for, without repeating a poll. A page that was asked for before the
* list was replaced is dropped: it would leave a gap.
*/
async function appendPage(db, page, cursor) {
	await db.transaction("rw", db.polls, db.feed, db.listMeta, async () => {
		const meta = await db.listMeta.get("feed");
		if (meta === void 0 || meta.nextCursor !== cursor) return;
		await putPolls(db, page.data);
		const known = new Set(await db.feed.toCollection().primaryKeys());
		const next = ((await db.feed.orderBy("position").last())?.position ?? -1) + 1;
		const fresh = page.data.filter((poll) => !known.has(poll.id));
		await db.feed.bulkPut(fresh.map((poll, index) => ({
			pollId: poll.id,
			position: next + index
		})));
		const { nextCursor, hasMore } = page.pagination;
		await db.listMeta.put({
			...meta,
			nextCursor,
			hasMore
		});
	});
}
/**
* Page 1 is what it was: the stored list stays, but for pages that are far down and for polls of one's own that the
* page, asked for at `startedAt`, should have shown by now.
*/
async function keepFirstPage(db, startedAt) {
	await db.transaction("rw", feedTables(db), async () => {
		const meta = await db.listMeta.get("feed");
		if (meta === void 0) return;
		await db.listMeta.put({
			...meta,
			fetchedAt: startedAt
		});
		await db.feed.filter(({ ackedAt }) => ackedAt !== void 0 && startedAt >= ackedAt + READ_AFTER_ACK_MS).delete();
		await trimFeed(db, FEED_KEPT);
	});
}
/** Lets go of the feed behind its first `kept` polls; of their rows too, unless something else refers to them. */
async function trimFeed(db, kept) {
	await db.transaction("rw", feedTables(db), async () => {
		const old = await db.feed.orderBy("position").offset(kept).primaryKeys();
		const meta = await db.listMeta.get("feed");
		if (old.length === 0 || meta === void 0) return;
		await db.feed.bulkDelete(old);
		await db.listMeta.put({
			...meta,
			nextCursor: null,
			hasMore: true
		});
		const referredTo = await pollsReferredTo(db);
		await db.polls.bulkDelete(old.filter((id) => !referredTo.has(id)));
	});
}
async function collectGarbage(db) {
	if (await db.polls.count() <= POLLS_KEPT) return;
	const referredTo = await pollsReferredTo(db);
	await db.polls.filter((poll) => !referredTo.has(poll.id)).delete();
}
async function pollsReferredTo(db) {
	const lists = [
		db.feed,
		db.mine,
		db.trending
	];
	const ids = await Promise.all(lists.map((list) => list.toCollection().primaryKeys()));
	const ops = await db.ops.toArray();
	return /* @__PURE__ */ new Set([...ids.flat(), ...ops.map((op) => op.entityId)]);
}
// sync/client/pull.ts
var PULL_TIMEOUT_MS = 15e3;
/** One GET; null when nothing usable came back. */
async function get(transport, path, headers = {}) {
	try {
		return await transport({
			method: "GET",
			path,
			headers: {
				Accept: "application/json",
				...headers
			},
			body: null,
			timeoutMs: PULL_TIMEOUT_MS
		});
	} catch {
		return null;
	}
}
/** The code of the API's own error; null for anything else, whatever its status. */
function codeOf({ status, body }) {
	const error = status < 400 ? null : errorBodySchema.safeParse(body);
	return error?.success ? error.data.code : null;
}
/** Who the server says is signed in: the user, null for nobody, `unreachable` when it did not say. */
async function fetchUser(transport, onAnswer) {
	const answer = await get(transport, "/api/user");
	onAnswer(answer);
	if (answer !== null && codeOf(answer) === "unauthenticated") return null;
	const user = userSchema.safeParse(answer?.body);
	return answer?.status === 200 && user.success ? user.data : "unreachable";
}
/**
* Fetches `path` for the context's user and hands a well-formed body to `store`. Nothing is stored when the
* session turns out to be somebody else's.
*/
async function pull(context, path, schema, store, headers = {}) {
	const answer = await get(context.transport, path, {
		[EXPECTED_USER_HEADER]: String(context.userId),
		...headers
	});
	context.onAnswer(answer);
	if (answer === null) return "unreachable";
	if (answer.status === 304) return "unchanged";
	if (answer.body === null) return "unreachable";
	const code = codeOf(answer);
	if (code === "unauthenticated" || code === "actor_mismatch") return "signed_out";
	if (code === "not_found") return "gone";
	const body = safeParse(schema, answer.body);
	if (answer.status !== 200 || !body.success) return "failed";
	await store(body.data, answer);
	return "updated";
}
/** Page 1 of the feed, replacing the stored list; a 304 keeps it. */
async function pullFeed(context) {
	const { db, nowMs } = context;
	const startedAt = nowMs();
	const meta = await db.listMeta.get("feed");
	const result = await pull(context, withQuery("/api/questions", {
		limit: 24,
		offset: 0,
		includeCount: true
	}), feedPageSchema, (page, answer) => putFirstPage(db, page, {
		etag: answer.headers.get("ETag"),
		startedAt
	}), meta?.etag ? { "If-None-Match": meta.etag } : {});
	if (result === "unchanged") await keepFirstPage(db, startedAt);
	return result;
}
/** The page after the last stored one, appended. */
async function pullMoreFeed(context) {
	const { db } = context;
	const meta = await db.listMeta.get("feed");
	if (meta === void 0 || !meta.hasMore) return "unchanged";
	return pull(context, withQuery("/api/questions", {
		limit: 24,
		offset: await db.feed.count(),
		includeCount: true,
		cursor: meta.nextCursor
	}), feedPageSchema, (page) => appendPage(db, page, meta.nextCursor));
}
async function pullTrending(context) {
	const startedAt = context.nowMs();
	return pull(context, withQuery("/api/trending", {
		limit: 2,
		metrics: true,
		minVotes: 1
	}), pollListSchema, (polls) => {
		const top = polls.toSorted((a, b) => b.votesCount - a.votesCount).slice(0, 2);
		return putList(context.db, "trending", top, startedAt);
	});
}
async function pullMine(context) {
	const startedAt = context.nowMs();
	return pull(context, "/api/user/questions", pollListSchema, (polls) => putList(context.db, "mine", polls, startedAt));
}
/** One poll; it is forgotten when the server does not know it any more. */
async function pullPoll(context, pollId) {
	const result = await pull(context, `/api/questions/${pollId}`, pollSchema, (poll) => putPoll(context.db, poll));
	if (result === "gone") await dropPolls(context.db, [pollId]);
	return result;
}
// sync/client/connection-monitor.ts
/**
* Starts with one health check. `onRestored` is called when the server can be reached after it could not. A health
* answer counts only if it is the server's own JSON: the page of a captive portal is a failure.
*/
function createConnectionMonitor(capabilities, onRestored) {
	const { transport, clock, isOnline } = capabilities;
	const state = observable({ phase: "checking" });
	let cancelTimer = () => {};
	let checking = false;
	function tell(event) {
		const step = connectionStep(state.get(), event);
		if (step === null) return;
		if (step.state !== state.get() || step.timerMs !== void 0) cancelTimer();
		const isNew = step.state !== state.get();
		if (isNew) state.set(step.state);
		if (step.timerMs !== void 0) cancelTimer = clock.setTimeout(() => tell("timer"), step.timerMs);
		if (isNew && step.state.phase === "restored") onRestored();
		if (step.check) background(check());
	}
	async function check() {
		if (checking) return;
		checking = true;
		const answer = await get(transport, "/api/health");
		checking = false;
		tell(answer?.status === 200 && healthSchema.safeParse(answer.body).success ? "reached" : "check_failed");
	}
	function doubt(times) {
		tell("trouble");
		if (times === 1) return;
		clock.setTimeout(() => {
			if (!isOnline()) doubt(times - 1);
		}, HEALTH_INTERVAL_MS);
	}
	background(check());
	return {
		state,
		tell,
		wentOffline: () => doubt(5)
	};
}
/** `transport`, with the monitor told of every answer and every failure. */
function watchedTransport(transport, { tell }) {
	return async (request) => {
		try {
			const answer = await transport(request);
			tell((answer.body !== null || answer.status === 304 || answer.status === 204) && answer.status < 500 ? "reached" : "trouble");
			return answer;
		} catch (error) {
			tell("trouble");
			throw error;
		}
	};
}
// sync/client/db.ts
/** Opens (and on first use creates) the database of one user. `prefix` begins the names of all databases. */
function openUserDb(prefix, userId) {
	const db = new Dexie(`${prefix}-user-${userId}`, { chromeTransactionDurability: "strict" });
	db.version(1).stores({
		ops: "++seq, &opId, state, entityId",
		opBlobs: "[opId+slot], opId",
		polls: "id",
		feed: "pollId, position",
		mine: "pollId, position",
		trending: "pollId, position",
		listMeta: "list",
		user: "id"
	});
	db.on("versionchange", ({ newVersion }) => {
		if (newVersion !== null) return;
		db.close();
		return false;
	});
	db.on("blocked", ({ newVersion }) => newVersion !== null);
	return db;
}
function openDeviceDb(prefix) {
	const db = new Dexie(`${prefix}-device`);
	db.version(1).stores({ entries: "key" });
	return db;
}
// sync/client/lease.ts
/** A lease lasts this long and is renewed while answers are awaited, so that a killed tab blocks nobody. */
var LEASE_MS = 3e4;
var LEASE_RENEWAL_MS = 1e4;
/** Held while an op is on its way: then nobody withdraws it. */
var sendLock = (opId) => `send:${opId}`;
/** Changes those of `ops` that are still leased to this owner: about the others somebody else decides by now. */
async function modifyLeased({ db, owner }, ops, changes) {
	await db.ops.where("seq").anyOf(ops.map((op) => op.seq)).and((op) => op.state === "sending" && op.leaseOwner === owner).modify(changes);
}
/** Whether `op` is still there and leased to this owner. */
async function isLeased({ db, owner }, op) {
	const row = await db.ops.get(op.seq);
	return row?.opId === op.opId && row.state === "sending" && row.leaseOwner === owner;
}
/** Puts ops that were leased but not sent back into the queue. */
async function releaseLeases(context, ops) {
	await modifyLeased(context, ops, {
		state: "queued",
		leaseOwner: null
	});
}
/** Keeps the leases alive until the returned function is called. */
function renewLeases(context, ops) {
	const { clock } = context;
	let stopped = false;
	let cancel = () => {};
	const schedule = () => {
		cancel = clock.setTimeout(() => void renew(), LEASE_RENEWAL_MS);
	};
	const renew = async () => {
		try {
			await modifyLeased(context, ops, { leaseUntil: clock.now() + LEASE_MS });
		} catch {
			return;
		}
		if (!stopped) schedule();
	};
	schedule();
	return () => {
		stopped = true;
		cancel();
	};
}
// sync/protocol/op.ts
/**
* What a vote carries. The words are not sent: the outbox page shows them, also when the poll is gone or the
* cache was cleared.
*/
var votePayloadSchema = /* @__PURE__ */ object({
	pollId: pollIdSchema,
	option: optionSchema,
	question: /* @__PURE__ */ optional(/* @__PURE__ */ string()),
	caption: /* @__PURE__ */ optional(/* @__PURE__ */ string())
});
/** What a creation carries besides its two pictures, which wait in their own table. */
var createPollPayloadSchema = /* @__PURE__ */ object({
	pollId: pollIdSchema,
	question: /* @__PURE__ */ string(),
	option1Caption: /* @__PURE__ */ string(),
	option2Caption: /* @__PURE__ */ string(),
	durationDays: int(),
	responsesWanted: int()
});
/**
* The closed registry of what may be queued: lane and newest payload version of each type.
* A lane sends one op at a time; votes never wait for an upload.
*/
var OP_TYPES = {
	vote: {
		lane: "votes",
		schemaVersion: 1,
		timeoutMs: 15e3
	},
	createPoll: {
		lane: "creations",
		schemaVersion: 1,
		timeoutMs: 12e4
	}
};
var LANES = ["votes", "creations"];
/**
* The lane of an op; undefined for one that only a newer version of the app understands (its type or the version of its
* payload): it waits for that version. Payloads of older versions are read as they are, since there is one version yet.
*/
function laneOf({ type, schemaVersion }) {
	const known = OP_TYPES[type];
	return known !== void 0 && schemaVersion <= known.schemaVersion ? known.lane : void 0;
}
// sync/client/overlay.ts
/** Whether nothing more happens to `op` before the person decides. */
function needsDecision(op) {
	return op.state === "rejected" || op.state === "needs_attention";
}
// sync/client/discard.ts
/** Removes an op and its pictures, whatever its state. Runs in the caller's transaction. */
async function removeOp(db, opId) {
	await db.ops.where("opId").equals(opId).delete();
	await db.opBlobs.where("opId").equals(opId).delete();
}
/** Removes an op with its pictures. False for one that is on its way right now: nobody knows what comes of it. */
async function discardOp(db, lock, opId) {
	let isRemoved = false;
	await lock.run(sendLock(opId), async () => {
		isRemoved = await db.transaction("rw", db.ops, db.opBlobs, async () => {
			if ((await db.ops.where("opId").equals(opId).first())?.state === "sending" && !lock.spansTabs) return false;
			await removeOp(db, opId);
			return true;
		});
	});
	return isRemoved;
}
/** Removes every op that waits to be sent, with its pictures; what was refused stays until the person decides. */
async function discardWaiting(db) {
	await db.transaction("rw", db.ops, db.opBlobs, async () => {
		const waiting = await db.ops.filter((op) => !needsDecision(op)).toArray();
		await db.ops.bulkDelete(waiting.map(({ seq }) => seq));
		await db.opBlobs.where("opId").anyOf(waiting.map(({ opId }) => opId)).delete();
	});
}
/** Takes every op back from who is about to send it: nothing of it goes out any more. */
async function takeBackLeased(db) {
	await db.ops.where("state").equals("sending").modify({
		state: "queued",
		leaseOwner: null
	});
}
// sync/client/lock.ts
/** The name of the lock that is held while a lane of a user's is drained. */
function drainLock(userId, lane) {
	return `drain:${userId}:${lane}`;
}
// sync/protocol/outcome.ts
/** The longest wait that a server can ask for with `Retry-After`. */
var RETRY_AFTER_MAX_MS = 6e4;
var UNREACHABLE = {
	kind: "retry",
	scope: "lane",
	retryAfterMs: null,
	error: null
};
var RETRY_STATUS = /* @__PURE__ */ new Set([
	408,
	425,
	429
]);
var REJECTED_STATUS = /* @__PURE__ */ new Set([
	400,
	402,
	404,
	413,
	415,
	422
]);
var REJECTED_CODES = /* @__PURE__ */ new Set([
	"poll_closed",
	"already_voted",
	"own_poll",
	"id_taken"
]);
/**
* Reads the answer to an op. `answer` is null when none came. An answer counts only if it is the API's own
* JSON and echoes the op's id: the 200 of a captive portal is a network failure.
*/
function outcomeOf(opId, answer) {
	if (answer === null) return UNREACHABLE;
	const { status, headers } = answer;
	const isOurs = headers.get(IDEMPOTENCY_KEY_HEADER) === opId;
	if (status >= 500 || RETRY_STATUS.has(status)) {
		const scope = isOurs && status === 500 ? "op" : "lane";
		const error = isOurs ? errorOf(status, answer.body) : null;
		return {
			kind: "retry",
			scope,
			retryAfterMs: retryAfterMs(headers),
			error
		};
	}
	if (!isOurs) return UNREACHABLE;
	if (status === 200 || status === 201) {
		const body = mutationAnswerSchema.safeParse(answer.body);
		if (body.success) return {
			kind: "applied",
			answer: body.data
		};
		return {
			kind: "unclear",
			error: {
				status,
				code: "unknown",
				message: "The answer was not understood."
			}
		};
	}
	const error = errorOf(status, answer.body);
	if (error === null) return UNREACHABLE;
	const { code } = error;
	if (status === 401 || code === "actor_mismatch") return { kind: "blocked_auth" };
	if (code === "in_flight") return {
		kind: "retry",
		scope: "op",
		retryAfterMs: retryAfterMs(headers),
		error
	};
	if (REJECTED_STATUS.has(status) || REJECTED_CODES.has(code)) return {
		kind: "rejected",
		error
	};
	return {
		kind: "unclear",
		error
	};
}
/** The API's own error, or null for a body that is not one. */
function errorOf(status, body) {
	const parsed = errorBodySchema.safeParse(body);
	return parsed.success ? {
		status,
		code: parsed.data.code,
		message: parsed.data.message
	} : null;
}
function retryAfterMs(headers) {
	const seconds = Number(headers.get("Retry-After") ?? NaN);
	if (!Number.isFinite(seconds) || seconds < 0) return null;
	return Math.min(seconds * 1e3, RETRY_AFTER_MAX_MS);
}
// sync/client/retry.ts
var BASE_MS = 1e3;
var CAP_MS = 3e4;
/**
* How long to wait before the next attempt, in milliseconds: full jitter over a doubling window, or what the
* server asked for. `attempts` counts those made so far, `random` is from 0 up to 1.
*/
function retryDelayMs(attempts, retryAfterMs, random) {
	if (retryAfterMs !== null) return Math.min(retryAfterMs, RETRY_AFTER_MAX_MS);
	const windowMs = Math.min(CAP_MS, BASE_MS * 2 ** Math.max(0, attempts - 1));
	return Math.round(random * windowMs);
}
/**
* Whether a stored moment has come. One further off than any wait this engine ever sets was stored by a clock
* that has been put back since, and counts as come.
*/
function isDue(atMs, nowMs, longestWaitMs = RETRY_AFTER_MAX_MS) {
	return atMs <= nowMs || atMs > nowMs + longestWaitMs;
}
// sync/client/blobs.ts
/** SHA-256 of `bytes` in hexadecimal; empty where the browser has no such thing (plain http, not localhost). */
async function sha256Hex(bytes) {
	if (crypto.subtle === void 0) return "";
	const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
	return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
/** Throws when a queued picture is missing or is not what was stored. */
async function checkBlobs(blobs) {
	if (blobs.length !== 2) throw new Error("A picture is missing");
	for (const { bytes, sha256 } of blobs) if (sha256 !== "" && sha256 !== await sha256Hex(bytes)) throw new Error("A picture is damaged");
}
/** The multipart body of a queued poll; every attempt carries the same bytes. */
function pollForm(payload, blobs) {
	const form = new FormData();
	form.set("id", payload.pollId);
	form.set("question", payload.question);
	form.set("option1Caption", payload.option1Caption);
	form.set("option2Caption", payload.option2Caption);
	form.set("duration", String(payload.durationDays));
	form.set("responsesWanted", String(payload.responsesWanted));
	for (const { slot, bytes, mime } of blobs) form.set(`option${slot}Image`, new Blob([bytes], { type: mime }), `option${slot}`);
	return form;
}
// sync/client/send.ts
/**
* Sends one leased op and reads the answer; no answer is an outcome too. An op that cannot be put into a request (its
* row or a picture is damaged) is as unclear as an answer that nobody understands: after some tries the person is asked.
* Null, and nothing is sent, when the op was withdrawn since it was leased, by its person or by a log out, or when
* somebody else has it by now.
*/
async function sendOp(context, op) {
	let request = null;
	try {
		request = await requestOf(context.db, op);
	} catch {
		request = null;
	}
	if (!await isLeased(context, op)) return null;
	if (request === null) return {
		kind: "unclear",
		error: {
			status: 0,
			code: "unknown",
			message: "What was stored on this device can no longer be read."
		}
	};
	let answer = null;
	try {
		answer = await context.transport(request);
	} catch {
		answer = null;
	}
	context.onAnswer(answer);
	return outcomeOf(op.opId, answer);
}
async function requestOf(db, op) {
	const { timeoutMs } = OP_TYPES[op.type];
	const headers = {
		Accept: "application/json",
		[IDEMPOTENCY_KEY_HEADER]: op.opId,
		[EXPECTED_USER_HEADER]: String(op.userId)
	};
	if (op.type === "vote") {
		const { pollId, option } = votePayloadSchema.parse(op.payload);
		return {
			method: "POST",
			path: `/api/questions/${pollId}/vote`,
			headers: {
				...headers,
				"Content-Type": "application/json"
			},
			body: JSON.stringify({ option }),
			timeoutMs
		};
	}
	const payload = createPollPayloadSchema.parse(op.payload);
	const blobs = await db.opBlobs.where("opId").equals(op.opId).sortBy("slot");
	await checkBlobs(blobs);
	return {
		method: "POST",
		path: "/api/questions",
		headers,
		body: pollForm(payload, blobs),
		timeoutMs
	};
}
// sync/client/storage.ts
/** Room that stays free for everything else of the app, in bytes. */
var RESERVE_BYTES = 10485760;
/** This device has no room for what should be kept. */
var StorageFullError = class extends Error {
	name = "StorageFullError";
};
/** Whether `bytes` more fit, as far as the browser tells. */
async function hasRoomFor(storage, bytes) {
	const freeBytes = await storage.freeBytes();
	return freeBytes === null || freeBytes - RESERVE_BYTES >= bytes;
}
/**
* Runs `store`; when the device is full it lets go of old pictures and tries again, then of old pages of the
* feed. What waits to be sent is never let go. Throws `StorageFullError` when that was not enough.
*/
async function withRoom(storage, db, store) {
	const reliefs = [() => storage.dropPictures(), () => trimFeed(db, 24)];
	for (;;) try {
		return await store();
	} catch (error) {
		if (!isQuotaError(error)) throw error;
		const relieve = reliefs.shift();
		if (relieve === void 0) throw new StorageFullError("No room left on this device", { cause: error });
		await relieve();
	}
}
/** Whether something was not stored because the device is full, be it by the browser's refusal or its estimate. */
function isQuotaError(error) {
	if (!(error instanceof Error)) return false;
	if (error instanceof StorageFullError || error.name === "QuotaExceededError") return true;
	return "inner" in error && isQuotaError(error.inner);
}
// sync/client/settle.ts
/** After so many refusals that this version does not understand, the person is asked. */
var UNCLEAR_REFUSALS_MAX = 5;
/** What an outcome means for the rest of its lane; takes note of a server in trouble. */
function stepAfter(context, lane, { op, outcome }) {
	const before = context.trouble[lane];
	if (!(outcome.kind === "retry" && outcome.scope === "lane")) {
		const behindSeq = op.seq === before.behindSeq ? 0 : before.behindSeq;
		context.trouble[lane] = {
			times: 0,
			behindSeq,
			notBeforeMs: 0
		};
		return outcome.kind === "blocked_auth" ? "blocked" : "go_on";
	}
	context.trouble[lane] = {
		times: before.times + 1,
		behindSeq: op.seq,
		notBeforeMs: 0
	};
	const pauseMs = delayMs(context, op, outcome.retryAfterMs);
	if (outcome.retryAfterMs !== null) context.trouble[lane].notBeforeMs = context.clock.now() + pauseMs;
	return { pauseMs };
}
/**
* Stores what the answers mean, all in one transaction, and then says so. On a device without any room left an
* acknowledged op leaves the queue all the same, and its answer is asked for again later.
*/
async function settle(context, answers) {
	const { db, storage } = context;
	const events = await withRoom(storage, db, () => storeAnswers(context, answers, storeApplied)).catch((error) => {
		if (!(error instanceof StorageFullError)) throw error;
		return storeAnswers(context, answers, removeApplied);
	});
	for (const event of events) context.emit(event);
	if (answers.some(({ outcome }) => outcome.kind === "blocked_auth")) context.onBlocked();
}
async function storeAnswers(context, answers, storeAll) {
	const { db } = context;
	const tables = [
		db.ops,
		db.opBlobs,
		db.polls,
		db.user,
		db.feed,
		db.mine,
		db.trending,
		db.listMeta
	];
	return db.transaction("rw", tables, async () => {
		const isFirst = await storeAll(context, answers.filter(isApplied));
		const said = [];
		for (const { op, outcome } of answers) if (outcome.kind !== "applied") said.push(...await store(context, op, outcome));
		else if (isFirst.has(op.seq)) said.push({
			type: "applied",
			op,
			poll: outcome.answer.poll
		});
		return said;
	});
}
function isApplied(answered) {
	return answered.outcome.kind === "applied";
}
/**
* Takes ops out of the queue in the transaction that stores the server's answers to them. Returns the `seq` of those
* that were still in it: another tab may have got the same answer before.
*/
async function storeApplied(context, applied) {
	const { db, clock } = context;
	const polls = [];
	const gone = [];
	for (const { op, outcome } of applied) {
		const { poll } = outcome.answer;
		if (poll === null) gone.push(op.entityId);
		else polls.push(poll);
	}
	const newestUser = applied.map(({ outcome }) => outcome.answer.user).reduce((newest, user) => newest !== null && newest.rev >= user.rev ? newest : user, null);
	if (newestUser !== null) await putUser(db, newestUser);
	await putPolls(db, polls);
	if (gone.length > 0) await dropPolls(db, gone);
	for (const { op, outcome } of applied) {
		if (op.type !== "createPoll") continue;
		const { poll } = outcome.answer;
		if (poll !== null) await putFirst(db.mine, poll.id, clock.now());
		if (poll?.active) await putFirst(db.feed, poll.id, clock.now());
	}
	return removeApplied(context, applied);
}
async function removeApplied({ db }, applied) {
	const opIds = applied.map(({ op }) => op.opId);
	const removed = await db.ops.where("opId").anyOf(opIds).primaryKeys();
	await db.ops.bulkDelete(removed);
	await db.opBlobs.where("opId").anyOf(opIds).delete();
	return new Set(removed);
}
async function store(context, op, outcome) {
	switch (outcome.kind) {
		case "rejected": return reject(context, op, outcome.error);
		case "blocked_auth":
			await blockQueue(context, op);
			return [];
		case "unclear":
			await storeUnclear(context, op, outcome.error);
			return [];
		case "retry":
			await postpone(context, op, outcome.retryAfterMs, outcome.error);
			return op.attempts === 0 ? [{
				type: "delayed",
				op
			}] : [];
	}
}
/** Says nothing when another tab has stored this refusal already. */
async function reject({ db }, op, error) {
	const changed = await db.ops.where("seq").equals(op.seq).and((row) => row.state !== "rejected").modify({
		state: "rejected",
		lastError: error,
		leaseOwner: null
	});
	if (op.type === "vote" && error.code === "not_found") await dropPolls(db, [op.entityId]);
	return changed > 0 ? [{
		type: "rejected",
		op,
		error
	}] : [];
}
async function storeUnclear(context, op, error) {
	const refusals = (op.refusals ?? 0) + 1;
	await modifyLeased(context, [op], { refusals });
	if (refusals < UNCLEAR_REFUSALS_MAX) return postpone(context, op, null, error);
	return modifyLeased(context, [op], {
		state: "needs_attention",
		lastError: error,
		leaseOwner: null,
		attempts: op.attempts + 1
	});
}
/** The session is over or another's: everything waits until this user is signed in again. No attempt is counted. */
async function blockQueue(context, op) {
	await modifyLeased(context, [op], {
		state: "blocked_auth",
		leaseOwner: null
	});
	await context.db.ops.where("state").equals("queued").modify({ state: "blocked_auth" });
}
async function postpone(context, op, retryAfterMs, error) {
	const nextAttemptAt = context.clock.now() + delayMs(context, op, retryAfterMs);
	const changes = {
		state: "queued",
		attempts: op.attempts + 1,
		nextAttemptAt
	};
	await modifyLeased(context, [op], {
		...changes,
		lastError: error,
		leaseOwner: null
	});
}
function delayMs(context, op, retryAfterMs) {
	const lane = laneOf(op);
	return retryDelayMs(Math.max(op.attempts + 1, lane === void 0 ? 0 : context.trouble[lane].times), retryAfterMs, context.random());
}
// sync/client/drain.ts
/** Somebody else drains this lane; whatever they leave is looked at after this. */
var LOCK_RETRY_MS = 500;
/** So many ops are leased together: a transaction for each would take longer than the sending. */
var BATCH_OPS = {
	votes: 100,
	creations: 1
};
/** So many of a batch are on their way at a time: correctness does not depend on the order, and each waits alone. */
var IN_FLIGHT_MAX = 3;
/**
* Answers are stored together too, but none waits longer than this while the next op is on its way: each storing makes
* every open tab read its lists again.
*/
var SETTLE_WITHIN_MS = 1500;
/**
* Sends what is due in one lane, lowest number first, one creation or a few votes at a time, until nothing is due, the
* server cannot be reached, or the user is not signed in any more. Returns the wait until the lane should be looked at again in
* milliseconds, or null when nothing in it waits. Runs once at a time for a user and lane across all tabs; when another
* one holds the lock it sends nothing.
*/
async function drainLane(context, lane) {
	let pauseMs = 0;
	if (!await context.lock.run(drainLock(context.userId, lane), async () => {
		for (;;) {
			pauseMs = pauseLeftMs(context, lane);
			if (pauseMs > 0 || !await context.isSignedIn()) return;
			const ops = await withRoom(context.storage, context.db, () => claimDue(context, lane));
			if (ops.length === 0) return;
			const next = await sendBatch(context, lane, ops);
			if (next === "go_on") continue;
			pauseMs = next === "blocked" ? 0 : next.pauseMs;
			return;
		}
	})) pauseMs = LOCK_RETRY_MS;
	const waitMs = await waitUntilDueMs(context, lane);
	return waitMs === null ? null : Math.max(waitMs, pauseMs);
}
/** How long the server still wants to be left alone, in milliseconds. */
function pauseLeftMs({ clock, trouble }, lane) {
	const { notBeforeMs } = trouble[lane];
	return isDue(notBeforeMs, clock.now()) ? 0 : notBeforeMs - clock.now();
}
/**
* Sends leased ops, lowest number first: one alone, and when the server took it well the rest a few at a time. Those
* that are not reached go back to the queue.
*/
async function sendBatch(context, lane, ops) {
	const stopRenewal = renewLeases(context, ops);
	const settlement = createSettlement(context);
	const rest = [...ops];
	let next = "go_on";
	async function sendNext() {
		const op = rest.shift();
		const outcome = op === void 0 ? null : await sendLocked(context, op);
		if (op === void 0 || outcome === null) return;
		const answered = {
			op,
			outcome
		};
		if (next === "go_on") next = stepAfter(context, lane, answered);
		settlement.add(answered);
	}
	async function sendRest() {
		try {
			while (next === "go_on" && rest.length > 0) await sendNext();
		} catch (error) {
			rest.length = 0;
			throw error;
		}
	}
	try {
		await sendNext();
		const broken = (await Promise.allSettled(Array.from({ length: IN_FLIGHT_MAX }, sendRest))).find((each) => each.status === "rejected");
		if (broken !== void 0) throw broken.reason;
		await releaseLeases(context, rest);
		await settlement.finish();
	} finally {
		stopRenewal();
	}
	return next;
}
/** Sends an op while nobody can withdraw it; null for one that was withdrawn before. */
async function sendLocked(context, op) {
	let outcome = null;
	await context.lock.run(sendLock(op.opId), async () => {
		outcome = await sendOp(context, op);
	});
	return outcome;
}
/** Collects answers and stores them together, none later than `SETTLE_WITHIN_MS` after it came. */
function createSettlement(context) {
	let answers = [];
	let settling = Promise.resolve();
	let cancelTimer = null;
	function flush() {
		cancelTimer?.();
		cancelTimer = null;
		const batch = answers;
		answers = [];
		if (batch.length > 0) settling = settling.then(() => settle(context, batch));
		return settling;
	}
	return {
		add(answered) {
			answers.push(answered);
			cancelTimer ??= context.clock.setTimeout(() => background(flush()), SETTLE_WITHIN_MS);
		},
		finish: flush
	};
}
async function waitUntilDueMs({ db, clock, owner }, lane) {
	const now = clock.now();
	const waiting = await db.ops.where("state").anyOf("queued", "sending").filter((op) => laneOf(op) === lane).toArray();
	if (waiting.length === 0) return null;
	const moments = waiting.map((op) => {
		if (isSendable(op, lane, owner, now)) return now;
		return op.state === "sending" ? op.leaseUntil : op.nextAttemptAt;
	});
	return Math.max(0, Math.min(...moments) - now);
}
function isSendable(op, lane, owner, nowMs) {
	if (laneOf(op) !== lane) return false;
	if (op.state === "queued") return isDue(op.nextAttemptAt, nowMs);
	if (op.state === "sending" && op.leaseOwner === owner) return true;
	return op.state === "sending" && isDue(op.leaseUntil, nowMs, 3e4);
}
/** Under a lock that spans all tabs nobody else can be sending: whoever leased it is gone (a reload, a crash). */
function isLeftOver(op, lane) {
	return op.state === "sending" && laneOf(op) === lane;
}
/** Leases the lowest ops that are due; those behind one that has just met trouble come first. */
async function claimDue(context, lane) {
	const { db, clock, lock, owner, trouble } = context;
	const { behindSeq } = trouble[lane];
	return db.transaction("rw", db.ops, async () => {
		const now = clock.now();
		const due = await db.ops.orderBy("seq").filter((op) => isSendable(op, lane, owner, now) || lock.spansTabs && isLeftOver(op, lane)).toArray();
		const behind = due.filter((op) => op.seq > behindSeq);
		const before = due.filter((op) => op.seq <= behindSeq);
		const leased = [...behind, ...before].slice(0, BATCH_OPS[lane]).map((op) => ({
			...op,
			state: "sending",
			leaseOwner: owner,
			leaseUntil: now + LEASE_MS
		}));
		await db.ops.bulkPut(leased);
		return leased;
	});
}
// sync/client/lane-trouble.ts
/** Lanes that have met no trouble. */
function noTrouble() {
	const none = {
		times: 0,
		behindSeq: 0,
		notBeforeMs: 0
	};
	return {
		votes: none,
		creations: none
	};
}
/** The queue holds as many polls as it may. */
var OutboxFullError = class extends Error {
	name = "OutboxFullError";
};
function envelope(type, userId, entityId, nowMs) {
	return {
		opId: v4(),
		userId,
		schemaVersion: OP_TYPES[type].schemaVersion,
		entityId,
		state: "queued",
		attempts: 0,
		nextAttemptAt: 0,
		leaseOwner: null,
		leaseUntil: 0,
		lastError: null,
		createdAt: nowMs
	};
}
async function addOp(db, op) {
	await db.ops.add(op);
}
/**
* Queues a vote; a vote on the same poll that waits already makes this one void. Resolves when the vote is
* stored for good.
*/
async function queueVote(db, vote, nowMs) {
	const { userId, pollId, option } = vote;
	await db.transaction("rw", db.ops, db.polls, async () => {
		const votes = (await db.ops.where("entityId").equals(pollId).toArray()).filter((op) => op.type === "vote");
		if (votes.some((op) => op.state !== "rejected")) return;
		await db.ops.bulkDelete(votes.map((op) => op.seq));
		const poll = await db.polls.get(pollId);
		const caption = (option === 1 ? poll?.option1Caption : poll?.option2Caption) ?? void 0;
		await addOp(db, {
			...envelope("vote", userId, pollId, nowMs),
			type: "vote",
			payload: {
				pollId,
				option,
				question: poll?.question,
				caption
			}
		});
	});
}
/**
* Queues a poll with its two pictures and returns the poll's id. Resolves when all of it is stored for good.
* Throws `OutboxFullError` when too many polls wait already.
*/
async function queuePoll(db, userId, draft, nowMs, { replacesOpId } = {}) {
	const newId = v7();
	const op = {
		...envelope("createPoll", userId, newId, nowMs),
		type: "createPoll",
		payload: {
			pollId: newId,
			question: draft.question.trim(),
			option1Caption: draft.option1Caption.trim(),
			option2Caption: draft.option2Caption.trim(),
			durationDays: draft.durationDays,
			responsesWanted: draft.responsesWanted
		}
	};
	const blobs = [];
	for (const [index, picture] of draft.pictures.entries()) {
		const slot = index === 0 ? 1 : 2;
		blobs.push({
			opId: op.opId,
			slot,
			...picture,
			sha256: await sha256Hex(picture.bytes)
		});
	}
	return db.transaction("rw", db.ops, db.opBlobs, async () => {
		const pollId = await takeReplaced(db, replacesOpId) ?? newId;
		if (await db.ops.filter((other) => other.type === "createPoll").count() >= 20) throw new OutboxFullError();
		await addOp(db, {
			...op,
			entityId: pollId,
			payload: {
				...op.payload,
				pollId
			}
		});
		await db.opBlobs.bulkPut(blobs);
		return pollId;
	});
}
/**
* Removes the refused op `opId` and gives the poll's id for the one that takes its place: the same one, so that
* a poll that did arrive is never made twice. Null when there is none to keep, or it was the id that was refused.
*/
async function takeReplaced(db, opId) {
	if (opId === void 0) return null;
	const op = await db.ops.where("opId").equals(opId).first();
	if (op === void 0 || !needsDecision(op)) return null;
	await removeOp(db, opId);
	return op.lastError?.code === "id_taken" ? null : op.entityId;
}
/** Queues a refused op again under a new id (and a new poll id, where the old one was taken). */
async function requeueOp(db, opId) {
	await db.transaction("rw", db.ops, db.opBlobs, async () => {
		const op = await db.ops.where("opId").equals(opId).first();
		if (op === void 0 || !needsDecision(op)) return;
		const { seq: _seq, ...rest } = op;
		const fresh = freshCopy(rest);
		const blobs = await db.opBlobs.where("opId").equals(opId).toArray();
		await removeOp(db, opId);
		await addOp(db, fresh);
		await db.opBlobs.bulkPut(blobs.map((blob) => ({
			...blob,
			opId: fresh.opId
		})));
	});
}
function freshCopy(op) {
	const renewed = {
		opId: v4(),
		state: "queued",
		attempts: 0,
		nextAttemptAt: 0,
		leaseOwner: null,
		leaseUntil: 0,
		lastError: null
	};
	if (op.type !== "createPoll" || op.lastError?.code !== "id_taken") return {
		...op,
		...renewed
	};
	const pollId = v7();
	return {
		...op,
		...renewed,
		entityId: pollId,
		payload: {
			...op.payload,
			pollId
		}
	};
}
/** Moves every op from one state to another, due at once. */
async function moveOps(db, from, to) {
	await db.ops.where("state").equals(from).modify({
		state: to,
		nextAttemptAt: 0
	});
}
/**
* Makes every op due now that waits only because nobody answered: the server can be reached again. One that the
* server itself put off keeps its time.
*/
async function resetBackoff(db) {
	await db.ops.where("state").equals("queued").and((op) => op.lastError === null).modify({
		nextAttemptAt: 0,
		attempts: 0
	});
}
// sync/client/drainer.ts
/** While somebody is signed in, the queue is looked at at least this often. */
var WATCHDOG_MS = 3e4;
/** The shortest pause between two looks, so that no mistake can make a tab spin. */
var SHORTEST_PAUSE_MS = 50;
function createDrainer(context) {
	const { clock, session } = context;
	const trouble = noTrouble();
	/** Drains under way and asked for once more, by user and lane: one user's slow upload holds up no other user. */
	const running = /* @__PURE__ */ new Set();
	const again = /* @__PURE__ */ new Set();
	const timers = /* @__PURE__ */ new Map();
	/** A call during a drain makes it look once more. */
	function drain(lane) {
		const current = session.get();
		if (current.status !== "user" || current.needsLogin) return;
		const key = `${current.user.id}:${lane}`;
		if (running.has(key)) {
			again.add(key);
			return;
		}
		running.add(key);
		background(drainOnce(lane, current).then((waitMs) => {
			running.delete(key);
			if (again.delete(key)) drain(lane);
			else schedule(lane, waitMs);
		}));
	}
	async function drainOnce(lane, { db, user }) {
		const userId = user.id;
		const onBlocked = () => context.onBlocked(userId);
		const isSignedIn = async () => {
			const now = session.get();
			return now.status === "user" && now.db === db && !now.needsLogin;
		};
		try {
			const waitMs = await drainLane({
				...context,
				db,
				userId,
				trouble,
				isSignedIn,
				onBlocked
			}, lane);
			const after = session.get();
			if (after.status !== "user" || after.db !== db || !after.needsLogin) return waitMs;
			await moveOps(db, "queued", "blocked_auth");
			return null;
		} catch {
			return WATCHDOG_MS;
		}
	}
	/** With nothing waiting too: another tab may leave something behind that it cannot send any more. */
	function schedule(lane, waitMs) {
		timers.get(lane)?.();
		const delayMs = Math.min(Math.max(waitMs ?? WATCHDOG_MS, SHORTEST_PAUSE_MS), WATCHDOG_MS);
		timers.set(lane, clock.setTimeout(() => drain(lane), delayMs));
	}
	return {
		drain,
		drainAll() {
			for (const lane of LANES) drain(lane);
		}
	};
}
// sync/client/emitter.ts
/** Hands outcomes of ops to who listens; an op is said to be delayed once. */
function createEmitter() {
	const listeners = /* @__PURE__ */ new Set();
	const delayed = /* @__PURE__ */ new Set();
	return {
		onEvent(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		emit(event) {
			if (event.type === "delayed") {
				if (delayed.has(event.op.opId)) return;
				delayed.add(event.op.opId);
			}
			for (const listener of listeners) listener(event);
		}
	};
}
// sync/client/types.ts
/** No user's database is open. */
var SignedOutError = class extends Error {
	name = "SignedOutError";
};
var NetworkFailure = class extends Error {
	name = "NetworkFailure";
};
// sync/client/puller.ts
/** The pulls of one tab. Who asks for one that is under way already gets its result. */
function createPuller(context) {
	const running = /* @__PURE__ */ new Map();
	async function pull(name, run) {
		const current = context.session.get();
		if (current.status !== "user") throw new SignedOutError();
		const userId = current.user.id;
		const key = `${userId}:${name}`;
		const underWay = running.get(key);
		if (underWay !== void 0) return underWay;
		const started = run({
			...context,
			db: current.db,
			userId
		}).then(async (result) => {
			if (result === "signed_out") await context.onSignedOut(userId);
			return result;
		}).finally(() => running.delete(key));
		running.set(key, started);
		return started;
	}
	return {
		pullFeed: () => pull("feed", pullFeed),
		pullMoreFeed: () => pull("more", pullMoreFeed),
		pullTrending: () => pull("trending", pullTrending),
		pullMine: () => pull("mine", pullMine),
		pullPoll: (pollId) => pull(`poll:${pollId}`, (one) => pullPoll(one, pollId))
	};
}
// sync/client/server-clock.ts
/** The header has whole seconds: the middle of its second is the best guess. */
var HEADER_HALF_STEP_MS = 500;
/** A change of the offset that is worth remembering for the next start. */
var DRIFT_REMEMBERED_MS = 2e3;
/** `remember` is called with an offset that is worth keeping. */
function createServerClock(clock, remember) {
	let offset = 0;
	const listeners = /* @__PURE__ */ new Set();
	let isExact = false;
	function change(next) {
		const driftMs = Math.abs(next - offset);
		offset = next;
		if (driftMs <= DRIFT_REMEMBERED_MS) return;
		remember(offset);
		for (const listener of listeners) listener();
	}
	return {
		now: () => clock.now() + offset,
		onChange(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
		set(offsetMs) {
			offset = offsetMs;
		},
		learn(headers) {
			const date = Date.parse(headers.get("Date") ?? "");
			if (Number.isNaN(date)) return;
			const guess = date + HEADER_HALF_STEP_MS - clock.now();
			if (isExact && Math.abs(guess - offset) <= 2 * HEADER_HALF_STEP_MS) return;
			isExact = false;
			change(guess);
		},
		learnExactly(serverMs, roundTripMs) {
			isExact = true;
			change(serverMs + roundTripMs / 2 - clock.now());
		}
	};
}
// sync/client/session.ts
var LOGOUT_TIMEOUT_MS = 1e4;
/** The database of a user. A tab that deletes it has logged out: this one follows, whether or not it was told. */
function openDatabase(context, userId) {
	const db = openUserDb(context.databasePrefix, userId);
	db.on("versionchange", () => background(followOtherTab(context)));
	return db;
}
/** Shows the last user's cache at once, if this device has one. */
async function openLastUser(context) {
	const { device, session } = context;
	if (await device.entries.get("signedOut") !== void 0) return;
	const last = await device.entries.get("lastUserId");
	if (last === void 0) return;
	const db = openDatabase(context, last.value);
	const user = await db.user.get(last.value);
	if (user === void 0) db.close();
	else session.set({
		status: "user",
		user,
		db,
		needsLogin: false
	});
}
/**
* Asks the server who is signed in and follows its answer; an unreachable server changes nothing. False when it could
* not be asked.
*/
async function checkUser(context) {
	const { generation, session } = context;
	const isHeard = await finishLogOut(context);
	if (context.generation !== generation) return true;
	if (!isHeard) {
		session.set({ status: "visitor" });
		return false;
	}
	const user = await fetchUser(context.transport, context.onAnswer);
	if (context.generation !== generation) return true;
	const current = session.get();
	if (user === "unreachable") {
		if (current.status === "loading") session.set({ status: "visitor" });
		return false;
	}
	if (user !== null) await openUser(context, user);
	else if (current.status === "user") await endSession(context);
	else session.set({ status: "visitor" });
	return true;
}
/** After a login or registration: `user` is the one whom this app belongs to. */
async function enter(context, user) {
	context.generation += 1;
	await context.device.entries.delete("signedOut");
	await openUser(context, user);
	context.tabs.announce();
}
/** Opens the database of `user`; their waiting changes may go out again. */
async function openUser(context, user) {
	const { device, generation, session } = context;
	const current = session.get();
	const isSame = current.status === "user" && current.user.id === user.id;
	const db = isSame ? current.db : openDatabase(context, user.id);
	await putUser(db, user);
	await moveOps(db, "blocked_auth", "queued");
	await resetBackoff(db);
	await device.entries.put({
		key: "lastUserId",
		value: user.id
	});
	if (context.generation !== generation) {
		if (session.get().status === "visitor") await device.entries.delete("lastUserId");
		if (!isSame) db.close();
		return;
	}
	session.set({
		status: "user",
		user,
		db,
		needsLogin: false
	});
	if (isSame) return;
	context.tabs.announce();
	if (current.status === "user") current.db.close();
}
/** Another tab logged in or out: this one follows. False when the server should have been asked and could not. */
async function followOtherTab(context) {
	const { device, session } = context;
	const current = session.get();
	const last = await device.entries.get("lastUserId");
	const isSame = current.status === "user" && current.user.id === last?.value;
	if (isSame && !current.needsLogin) return true;
	context.generation += 1;
	if (current.status === "user" && !isSame) {
		session.set({ status: last === void 0 ? "visitor" : "loading" });
		current.db.close();
	}
	if (last === void 0) return true;
	if (!isSame) await openLastUser(context);
	return checkUser(context);
}
/** The session is over on the server: cache and queue stay and wait for the user to log in again. */
async function endSession({ session }) {
	const current = session.get();
	if (current.status !== "user") return;
	await moveOps(current.db, "queued", "blocked_auth");
	session.set({
		...current,
		needsLogin: true
	});
}
/**
* Logs out: the cache goes at once, waiting ops are kept for this account or discarded, and the server is told
* now or, when it cannot be reached, before anything else is asked of it.
*/
async function logOut(context, waiting) {
	const { device, session } = context;
	const current = session.get();
	context.generation += 1;
	await device.entries.put({
		key: "signedOut",
		value: 1
	});
	await device.entries.delete("lastUserId");
	session.set({ status: "visitor" });
	context.tabs.announce();
	if (current.status === "user") await clearCache(current.db, waiting);
	await finishLogOut(context);
}
/** Tells the server about a log out that it has not heard of yet. False while it cannot be told. */
async function finishLogOut({ transport, device }) {
	if (await device.entries.get("signedOut") === void 0) return true;
	try {
		const { status } = await transport({
			method: "POST",
			path: "/api/logout",
			headers: { Accept: "application/json" },
			body: null,
			timeoutMs: LOGOUT_TIMEOUT_MS
		});
		if (status !== 204) return false;
	} catch {
		return false;
	}
	await device.entries.delete("signedOut");
	return true;
}
/**
* Forgets what the server can tell again; ops that are kept stay with their pictures, and with them the database: what
* waits if it is to be kept, and what was refused in any case, since about that the person has not decided.
* It is emptied before it is deleted, which another tab can put off for as long as it reads.
*/
async function clearCache(db, waiting) {
	if (await db.transaction("rw", db.tables, async () => {
		await takeBackLeased(db);
		if (waiting === "discard") await discardWaiting(db);
		const emptied = db.tables.filter(({ name }) => name !== "ops" && name !== "opBlobs");
		await Promise.all(emptied.map((table) => table.clear()));
		return await db.ops.count() > 0;
	})) db.close();
	else background(db.delete());
}
// sync/client/session-check.ts
/** Nobody could say who is signed in, and this tab works for nobody: it asks again after this. */
var ASK_AGAIN_MS = 1e4;
/**
* Asks who is signed in, or runs `check` instead, and then calls `onChecked`. A tab that works for nobody asks again
* until it has been told: one lost answer never leaves it outside.
*/
function createSessionCheck(context, clock, onChecked) {
	let cancel = () => {};
	return async function ask(check = checkUser) {
		cancel();
		const isKnown = await check(context);
		const current = context.session.get();
		const isWorking = current.status === "user" && !current.needsLogin;
		if (!isKnown && !isWorking) {
			cancel();
			cancel = clock.setTimeout(() => background(ask()), ASK_AGAIN_MS);
		}
		onChecked();
	};
}
// shared/live/constants.ts
/** Names, in the query of the upgrade, whom the device believes to be signed in. */
var LIVE_USER_PARAMETER = "user";
var PING_INTERVAL_MS = 3e4;
var RECONNECT_DELAY_MS = 5e3;
/**
* Why the server closes a socket. `REPLACED`: the user opened one too many elsewhere. `SESSION_ENDED`: whoever
* logs in again gets another one.
*/
var CLOSE_CODES = {
	GOING_AWAY: 1001,
	POLICY: 1008,
	REPLACED: 4001,
	SESSION_ENDED: 4401
};
// shared/live/schema.ts
/** A ping's timestamp comes back as it is: a number or a short text, whatever the client likes. */
var stampSchema = /* @__PURE__ */ union([/* @__PURE__ */ number(), (/* @__PURE__ */ string()).check(/* @__PURE__ */ _maxLength(64))]);
/** Everything that the server sends over `/ws`. */
var liveMessageSchema = /* @__PURE__ */ discriminatedUnion("type", [
	/* @__PURE__ */ object({
		type: /* @__PURE__ */ literal("pong"),
		timestamp: stampSchema,
		serverTime: /* @__PURE__ */ number()
	}),
	/* @__PURE__ */ object({
		type: /* @__PURE__ */ literal("poll.votes"),
		id: pollIdSchema,
		votesCount: int(),
		status: pollStatusSchema,
		rev: int()
	}),
	/* @__PURE__ */ object({
		type: /* @__PURE__ */ literal("poll.created"),
		id: pollIdSchema
	}),
	/* @__PURE__ */ object({
		type: /* @__PURE__ */ literal("poll.removed"),
		id: pollIdSchema
	}),
	/* @__PURE__ */ object({
		type: /* @__PURE__ */ literal("user"),
		points: int(),
		rev: int()
	})
]);
// sync/client/live.ts
/** A connection that has not opened, or a ping that has no pong, after this time is none any more. */
var ANSWER_WITHIN_MS = 1e4;
var LOST = 1006;
function createLive(context) {
	const { clock, session } = context;
	let state = { phase: "none" };
	let isStarted = false;
	let isVisible = false;
	let hasBeenOpen = false;
	let hasDoubted = false;
	/** Whose socket there should be. */
	function wantedUser() {
		const current = session.get();
		return isStarted && current.status === "user" && !current.needsLogin ? current.user.id : null;
	}
	function userOf() {
		if (state.phase === "none") return null;
		return state.phase === "connected" ? state.connection.userId : state.userId;
	}
	function follow() {
		const userId = wantedUser();
		if (userOf() !== null && userOf() !== userId) leave();
		if (state.phase === "none" && userId !== null && isVisible) open(userId);
	}
	function leave() {
		const left = state;
		state = { phase: "none" };
		hasDoubted = false;
		if (left.phase === "waiting") left.cancel();
		if (left.phase === "connected") end(left.connection);
	}
	function end({ socket, timers }) {
		for (const cancel of timers.values()) cancel();
		socket.close();
	}
	function open(userId) {
		const isCurrent = () => state.phase === "connected" && state.connection === connection;
		const connection = {
			userId,
			socket: context.openSocket(`/ws?${LIVE_USER_PARAMETER}=${userId}`, {
				opened: () => isCurrent() && opened(connection),
				heard: (text) => isCurrent() && hear(connection, text),
				closed: (code) => isCurrent() && closed(connection, code)
			}),
			isOpen: false,
			pingedAt: 0,
			timers: /* @__PURE__ */ new Map()
		};
		state = {
			phase: "connected",
			connection
		};
		later(connection, "answer", ANSWER_WITHIN_MS, () => closed(connection, LOST));
	}
	function later(connection, name, delayMs, run) {
		connection.timers.get(name)?.();
		connection.timers.set(name, clock.setTimeout(run, delayMs));
	}
	function opened(connection) {
		connection.isOpen = true;
		connection.pingedAt = clock.now();
		connection.timers.get("answer")?.();
		later(connection, "ping", PING_INTERVAL_MS, () => ping(connection));
		const isAgain = hasBeenOpen;
		hasBeenOpen = true;
		hasDoubted = false;
		context.onOpen(isAgain);
	}
	function ping(connection) {
		connection.pingedAt = clock.now();
		connection.socket.send(JSON.stringify({
			type: "ping",
			timestamp: connection.pingedAt
		}));
		later(connection, "answer", ANSWER_WITHIN_MS, () => closed(connection, LOST));
		later(connection, "ping", PING_INTERVAL_MS, () => ping(connection));
	}
	function hear(connection, text) {
		const message = parse(text);
		if (message === null) return;
		if (message.type !== "pong") {
			context.onNews(message);
			return;
		}
		connection.timers.get("answer")?.();
		const roundTripMs = clock.now() - connection.pingedAt;
		if (message.timestamp === connection.pingedAt && roundTripMs >= 0) context.onServerTime(message.serverTime, roundTripMs);
	}
	function closed(connection, code) {
		const { userId, isOpen } = connection;
		state = {
			phase: "replaced",
			userId
		};
		end(connection);
		if (code === CLOSE_CODES.REPLACED) return;
		state = {
			phase: "waiting",
			userId,
			cancel: clock.setTimeout(() => {
				state = { phase: "none" };
				follow();
			}, RECONNECT_DELAY_MS)
		};
		if (code === CLOSE_CODES.SESSION_ENDED) context.onDoubt();
		else if (isOpen) context.onTrouble();
		else if (!hasDoubted) {
			hasDoubted = true;
			context.onDoubt();
		}
	}
	session.subscribe(follow);
	return {
		start() {
			isStarted = true;
			follow();
		},
		setVisible(next) {
			isVisible = next;
			if (!isVisible) return;
			if (state.phase === "replaced") state = { phase: "none" };
			follow();
			if (state.phase !== "connected" || !state.connection.isOpen) return;
			if (clock.now() - state.connection.pingedAt >= 3e4) ping(state.connection);
		}
	};
}
/** Null for anything that this version does not know. */
function parse(text) {
	try {
		return liveMessageSchema.parse(JSON.parse(text));
	} catch {
		return null;
	}
}
// sync/client/cached-news.ts
/**
* Whether a poll is shown with results that it has not: news bring the total alone, and what a closed poll shows
* to everyone has to be fetched.
*/
function lacksResults({ results, status, votesCount }) {
	return results === null ? status !== "active" : results.option1 + results.option2 !== votesCount;
}
/**
* Brings what this device knows up to date, where the news are newer. Most are about polls that it does not have,
* or are known already: then nothing is written, since every write makes each tab read its lists again.
* True when points came that no answer to this device has told: what else is known of the user is old then.
*/
async function storeNews(db, userId, news) {
	if ((await newerPolls(db, news)).length > 0) await db.transaction("rw", db.polls, async () => {
		await db.polls.bulkPut(await newerPolls(db, news));
	});
	const { points, removed } = news;
	const user = points === null ? void 0 : await db.user.get(userId);
	const isNewer = ({ rev, pointsRev = 0 }) => (points?.rev ?? 0) > Math.max(rev, pointsRev);
	const hasNewPoints = points !== null && user !== void 0 && isNewer(user);
	if (hasNewPoints) {
		const changes = {
			points: points.points,
			pointsRev: points.rev
		};
		await db.user.where("id").equals(userId).and(isNewer).modify(changes);
	}
	const gone = (await db.polls.bulkGet([...removed])).flatMap((poll) => poll?.id ?? []);
	if (gone.length > 0) await dropPolls(db, gone);
	return hasNewPoints;
}
/** Whether a change of this user's is on its way, from whichever tab. */
async function isSending(db) {
	return await db.ops.where("state").equals("sending").count() > 0;
}
async function newerPolls(db, { votes }) {
	return (await db.polls.bulkGet([...votes.keys()])).flatMap((poll) => {
		const told = poll === void 0 ? void 0 : votes.get(poll.id);
		if (poll === void 0 || told === void 0 || told.rev <= poll.rev) return [];
		const { votesCount, status, rev } = told;
		return {
			...poll,
			votesCount,
			status,
			rev,
			active: status !== "inactive"
		};
	});
}
/** Which of these polls this device knows, or is about to make. */
async function knownPolls(db, ids) {
	return db.transaction("r", db.polls, db.ops, async () => {
		const polls = await db.polls.bulkGet([...ids]);
		const ops = await db.ops.where("entityId").anyOf(ids).toArray();
		return /* @__PURE__ */ new Set([...polls.flatMap((poll) => poll?.id ?? []), ...ops.map(({ entityId }) => entityId)]);
	});
}
// sync/client/watched-polls.ts
var PULLED_EVERY_MS = 5e3;
/** All who look at a poll hear of a vote in the same moment; their questions are spread over this time. */
var SPREAD_MS$1 = 2e3;
function createWatchedPolls(context) {
	const { clock, random } = context;
	const watchers = /* @__PURE__ */ new Map();
	const due = /* @__PURE__ */ new Set();
	const pulledAt = /* @__PURE__ */ new Map();
	async function lookAt(pollId, isOld) {
		if (!watchers.has(pollId) || due.has(pollId)) return;
		const poll = await context.read(pollId);
		if (poll !== void 0 && isOld(poll) && !due.has(pollId)) schedule(pollId);
	}
	function schedule(pollId) {
		due.add(pollId);
		const restMs = Math.max(0, (pulledAt.get(pollId) ?? 0) + PULLED_EVERY_MS - clock.now());
		clock.setTimeout(() => {
			due.delete(pollId);
			if (watchers.has(pollId)) background(pull(pollId));
		}, restMs + random() * SPREAD_MS$1);
	}
	async function pull(pollId) {
		pulledAt.set(pollId, clock.now());
		clock.setTimeout(() => pulledAt.delete(pollId), 7e3);
		if (await context.pull(pollId) === "updated") await lookAt(pollId, lacksResults);
	}
	return {
		watch(pollId) {
			watchers.set(pollId, (watchers.get(pollId) ?? 0) + 1);
			background(lookAt(pollId, lacksResults));
			let isWatching = true;
			return () => {
				if (!isWatching) return;
				isWatching = false;
				const left = (watchers.get(pollId) ?? 1) - 1;
				if (left === 0) watchers.delete(pollId);
				else watchers.set(pollId, left);
			};
		},
		look(pollIds) {
			for (const pollId of pollIds) background(lookAt(pollId, lacksResults));
		},
		lookAgain() {
			for (const pollId of watchers.keys()) background(lookAt(pollId, () => true));
		}
	};
}
// sync/client/news.ts
/**
* News wait this long for more: they are stored together, and what this device did itself comes with the answer to
* it, before the news of it do (a point would be counted twice for a moment, as earned and as expected).
*/
var GATHER_MS = 600;
/** While changes of this user's are on their way the news wait on, but not for a long upload. */
var HOLDS_MAX = 8;
/** The questions of a user's tabs and devices, which all hear the same, are spread over this time. */
var SPREAD_MS = 2e3;
/** More than one is enough for a dot. */
var UNSEEN_MAX = 100;
function createNewsDesk(context) {
	const { clock, random, session, puller } = context;
	const hasNewPolls = observable(false);
	const unseen = /* @__PURE__ */ new Set();
	let batch = null;
	let userId = null;
	let isUserDue = false;
	const db = () => {
		const current = session.get();
		return current.status === "user" ? current.db : null;
	};
	const watched = createWatchedPolls({
		clock,
		random,
		read: async (pollId) => db()?.polls.get(pollId),
		pull: puller.pullPoll
	});
	function showDot() {
		if (hasNewPolls.get() !== unseen.size > 0) hasNewPolls.set(unseen.size > 0);
	}
	/** What was meant for one user is nothing for the next. */
	session.subscribe(() => {
		const current = session.get();
		const next = current.status === "user" ? current.user.id : null;
		if (next === userId) return;
		userId = next;
		batch = null;
		unseen.clear();
		showDot();
	});
	function gather() {
		if (batch !== null) return batch;
		const started = {
			votes: /* @__PURE__ */ new Map(),
			created: /* @__PURE__ */ new Set(),
			removed: /* @__PURE__ */ new Set(),
			points: null
		};
		batch = started;
		storeLater(started, HOLDS_MAX);
		return started;
	}
	function storeLater(gathered, holdsLeft) {
		clock.setTimeout(() => background(storeWhenQuiet(gathered, holdsLeft)), GATHER_MS);
	}
	async function storeWhenQuiet(gathered, holdsLeft) {
		const current = db();
		const isBusy = current !== null && holdsLeft > 0 && await isSending(current);
		if (batch !== gathered) return;
		if (isBusy) return storeLater(gathered, holdsLeft - 1);
		batch = null;
		await store(gathered);
	}
	async function store(news) {
		const current = session.get();
		if (current.status !== "user") return;
		if (await storeNews(current.db, current.user.id, news)) askForUser();
		const known = await knownPolls(current.db, [...news.created]);
		for (const id of news.created) if (!known.has(id) && unseen.size < UNSEEN_MAX) unseen.add(id);
		for (const id of news.removed) unseen.delete(id);
		showDot();
		watched.look(news.votes.keys());
	}
	/** Points that came from elsewhere may be a friend's doing: what friends have earned is told with the user alone. */
	function askForUser() {
		if (isUserDue) return;
		isUserDue = true;
		clock.setTimeout(() => {
			isUserDue = false;
			if (session.get().status === "user") background(context.checkSession());
		}, random() * SPREAD_MS);
	}
	return {
		hasNewPolls,
		watchPoll: watched.watch,
		look: watched.look,
		lookAgain: watched.lookAgain,
		take(news) {
			const { votes, created, removed } = gather();
			switch (news.type) {
				case "poll.votes":
					if ((votes.get(news.id)?.rev ?? 0) < news.rev) votes.set(news.id, news);
					break;
				case "poll.created":
					created.add(news.id);
					break;
				case "poll.removed":
					created.delete(news.id);
					removed.add(news.id);
					break;
				case "user": if ((gather().points?.rev ?? 0) < news.rev) gather().points = news;
			}
		},
		async pullFeed() {
			const before = [...unseen];
			const result = await puller.pullFeed();
			const current = db();
			if (current === null || result !== "updated" && result !== "unchanged") return result;
			const arrived = await knownPolls(current, [...unseen]);
			for (const id of [...before, ...arrived]) unseen.delete(id);
			showDot();
			return result;
		}
	};
}
// sync/client/updates.ts
/** What was read when the page was loaded is old when its first socket opens later than this. */
var FRESH_MS = 1e4;
function createUpdates(context) {
	const { clock, connection, serverClock } = context;
	let startedAt = 0;
	const { take, lookAgain, ...news } = createNewsDesk(context);
	const live = createLive({
		...context,
		onOpen(isAgain) {
			const before = connection.state.get();
			connection.tell("reached");
			if (!isAgain && clock.now() - startedAt < FRESH_MS) return;
			lookAgain();
			if (connection.state.get() === before) background(context.refresh());
		},
		onNews: take,
		onServerTime: serverClock.learnExactly,
		onTrouble: () => connection.tell("trouble"),
		onDoubt: () => background(context.checkSession())
	});
	return {
		...news,
		...live,
		start() {
			startedAt = clock.now();
			live.start();
		}
	};
}
// sync/client/engine.ts
/** An op that has no answer by then is said to be saved on this device. */
var DELAYED_AFTER_MS = 1e3;
/** The sync engine of one tab. */
function createEngine(capabilities) {
	const { clock, databasePrefix, storage, tabs } = capabilities;
	const device = openDeviceDb(databasePrefix);
	const session = observable({ status: "loading" });
	const serverClock = createServerClock(clock, (value) => background(device.entries.put({
		key: "clockOffsetMs",
		value
	})));
	const { emit, onEvent } = createEmitter();
	const onAnswer = (answer) => {
		if (answer?.body) serverClock.learn(answer.headers);
	};
	const connection = createConnectionMonitor(capabilities, () => background(refresh()));
	const transport = watchedTransport(capabilities.transport, connection);
	const sessionContext = {
		transport,
		device,
		session,
		tabs,
		databasePrefix,
		generation: 0,
		onAnswer
	};
	function signedIn() {
		const current = session.get();
		if (current.status !== "user") throw new SignedOutError();
		return {
			db: current.db,
			userId: current.user.id
		};
	}
	/** The server took somebody else, or nobody, for `userId`: asks it whom, unless this tab has moved on. */
	async function followSession(userId) {
		const current = session.get();
		if (current.status !== "user" || current.user.id !== userId) return;
		await endSession(sessionContext);
		await askWho();
	}
	const drainer = createDrainer({
		...capabilities,
		transport,
		owner: v4(),
		session,
		emit,
		onAnswer,
		onBlocked: (userId) => background(followSession(userId))
	});
	const askWho = createSessionCheck(sessionContext, clock, () => drainer.drainAll());
	const puller = createPuller({
		transport,
		nowMs: clock.now,
		onAnswer,
		session,
		onSignedOut: followSession
	});
	const { start: startUpdates, look, ...updates } = createUpdates({
		...capabilities,
		session,
		puller,
		connection,
		serverClock,
		refresh,
		checkSession: askWho
	});
	onEvent(({ type, op }) => {
		if (type === "rejected" && op.type === "vote") background(puller.pullPoll(op.entityId));
		if (type === "applied") look([op.entityId]);
	});
	let hasAskedToPersist = false;
	/** From the first op on there is something that must not be lost. */
	function keepSafe() {
		capabilities.requestBackgroundDrain();
		if (hasAskedToPersist) return;
		hasAskedToPersist = true;
		background(storage.persist());
	}
	/** The server can be reached again: it hears of a log out, says who is signed in, and gets what waits. */
	async function refresh() {
		await askWho();
		await sendWaiting();
	}
	/** Makes what waits due at once, except what the server itself has put off. */
	async function sendWaiting() {
		const current = session.get();
		if (current.status !== "user" || current.needsLogin) return;
		await moveOps(current.db, "blocked_auth", "queued");
		await resetBackoff(current.db);
		drainer.drainAll();
	}
	/** Announces an op that still waits after a moment. */
	function announceIfDelayed(db, entityId) {
		clock.setTimeout(() => {
			background(db.ops.where("entityId").equals(entityId).and((op) => op.state === "queued" || op.state === "sending").each((op) => emit({
				type: "delayed",
				op
			})));
		}, DELAYED_AFTER_MS);
	}
	return {
		session,
		connection: connection.state,
		onEvent,
		async start() {
			const offset = await device.entries.get("clockOffsetMs");
			if (offset !== void 0) serverClock.set(offset.value);
			tabs.listen(() => background(askWho(followOtherTab)));
			await openLastUser(sessionContext);
			drainer.drainAll();
			await askWho();
			startUpdates();
		},
		async signedIn(user) {
			await enter(sessionContext, user);
			drainer.drainAll();
			background(askWho());
		},
		refreshUser: () => askWho(),
		finishLogOut: () => finishLogOut(sessionContext),
		logOut: (waiting) => logOut(sessionContext, waiting),
		async castVote(pollId, option) {
			const { db, userId } = signedIn();
			await withRoom(storage, db, () => queueVote(db, {
				userId,
				pollId,
				option
			}, clock.now()));
			keepSafe();
			drainer.drain("votes");
		},
		async createPoll(draft, replacesOpId) {
			const { db, userId } = signedIn();
			const bytes = draft.pictures.reduce((sum, picture) => sum + picture.bytes.byteLength, 0);
			const pollId = await withRoom(storage, db, async () => {
				if (!await hasRoomFor(storage, bytes)) throw new StorageFullError();
				return queuePoll(db, userId, draft, clock.now(), { replacesOpId });
			});
			keepSafe();
			drainer.drain("creations");
			announceIfDelayed(db, pollId);
			return pollId;
		},
		discard: (opId) => discardOp(signedIn().db, capabilities.lock, opId),
		async tryAgain(opId) {
			await requeueOp(signedIn().db, opId);
			drainer.drainAll();
		},
		...puller,
		...updates,
		serverNow: serverClock.now,
		onServerClock: serverClock.onChange,
		drain: () => background(sendWaiting()),
		wentOffline: connection.wentOffline,
		tryConnection() {
			connection.tell("signal");
			background(sendWaiting());
		}
	};
}
// sync/client/transport.ts
/** `fetch` as a transport. A time-out, a broken connection and a body cut short are `NetworkFailure`. */
function fetchTransport(baseUrl = "") {
	return async ({ method, path, headers, body, timeoutMs }) => {
		try {
			const response = await fetch(baseUrl + path, {
				method,
				headers,
				body,
				credentials: "same-origin",
				cache: "no-store",
				redirect: "error",
				signal: AbortSignal.timeout(timeoutMs)
			});
			const text = await response.text();
			return {
				status: response.status,
				headers: response.headers,
				body: parseJson(response.headers, text)
			};
		} catch (error) {
			throw new NetworkFailure("No answer from the server", { cause: error });
		}
	};
}
function parseJson(headers, text) {
	if (!(headers.get("Content-Type") ?? "").includes("application/json")) return null;
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
export { createEngine, fetchTransport };
