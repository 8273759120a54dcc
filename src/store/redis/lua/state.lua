-- The value of a key: one block for each limit of its rule, and one for its
-- ban, each with the id of its counter:
--
--   id (8 bytes) · length of the body (3) · body
--
-- All numbers are little-endian. A body begins with the time at which its
-- counter is as if never used (7). A block that this call knows nothing of
-- belongs to a server with other rules and is kept until then.
--
-- What every check calls is named here: a global name is looked up each time.
local pack, unpack, sub, format, concat = struct.pack, struct.unpack, string.sub, string.format, table.concat
local max, min, floor, ceil = math.max, math.min, math.floor, math.ceil
local redis_call, redis_pcall = redis.call, redis.pcall

local HEADER = 11
local BLOCKS_MAX = 32 -- more are garbage of many changes of the rules

-- Numbers of 0 to 8 bytes: 256^width, the format, and the width that holds one.
local RANGE, FORMAT = {}, {}
for width = 0, 8 do
    RANGE[width] = 256 ^ width
    FORMAT[width] = width == 0 and '' or '<I' .. width
end
local function width_of(number)
    local width = 1
    while number >= RANGE[width] do width = width + 1 end
    return width
end

-- Returns: the body of the block with this id, '' if there is none; and
-- whether the value holds other blocks. Nil: the value is not made of blocks.
local function find_block(value, id)
    if sub(value, 1, 8) == id and #value >= HEADER and #value == HEADER + unpack('<I3', value, 9) then
        return sub(value, HEADER + 1), false
    end
    local body, others, at = '', false, 1
    while at + HEADER <= #value + 1 do
        local size = unpack('<I3', value, at + 8)
        if sub(value, at, at + 7) == id then
            body = sub(value, at + HEADER, at + HEADER + size - 1)
        else
            others = true
        end
        at = at + HEADER + size
    end
    if at ~= #value + 1 then return nil end
    return body, others
end

local function block(id, body)
    return id .. pack('<I3', #body) .. body
end

-- The time of this call: the server's, or one from outside (tests and tools),
-- whose states then live at least an hour, since Redis expires by its own clock.
local now = tonumber(ARGV[1])
local ttl_least_ms = 1
if now then
    ttl_least_ms = 3600000
else
    local time = redis_call('TIME')
    now = time[1] * 1000000 + time[2]
end

-- Returns: when a body that counts still does so no more; nil: it counts no more.
local function still_counts(body)
    if #body < 7 then return nil end
    local as_new_us = unpack('<I7', body) + 1 -- a bucket's rest lasts into the next us
    return as_new_us > now and as_new_us or nil
end

-- Returns: the blocks of `value` whose ids are not in `known`, as they are; and
-- when the last of them counts no more. Those that count no more are left out
-- if `known` is all that the rule has; the rule's own stay, as the clock may step back.
local function other_blocks(value, known, is_all)
    local kept, last_us, at = {}, 0, 1
    while at + HEADER <= #value + 1 and #kept < BLOCKS_MAX do
        local next = at + HEADER + unpack('<I3', value, at + 8)
        if next > #value + 1 then break end
        if not known[sub(value, at, at + 7)] then
            local as_new_us = still_counts(sub(value, at + HEADER, next - 1))
            if as_new_us or not is_all then kept[#kept + 1] = sub(value, at, next - 1) end
            last_us = max(last_us, as_new_us or 0)
        end
        at = next
    end
    return concat(kept), last_us
end

-- Writes a value that is as new at `as_new_us`, and expires then.
local function store(key, value, as_new_us)
    local ttl_ms = max(ttl_least_ms, ceil((as_new_us - now) / 1000))
    redis_call('SET', key, value, 'PX', format('%d', ttl_ms))
end

-- Returns: the key's value, '' if it has none; nil if it is not ours to read.
local function load(key)
    local value = redis_pcall('GET', key)
    if value == false then return '' end
    if type(value) == 'string' then return value end
    return nil
end

-- How a limit's body is read and written; a plain counter has ways of its own.
local packed = {}

-- Returns: the body, '' if there is none, nil if the value is not ours to read;
-- and the value, if it holds other blocks.
function packed.load(key, args)
    local value = load(key)
    if not value or value == '' then return value end
    local body, others = find_block(value, sub(args, 1, 8))
    return body, others and value or nil
end

function packed.save(key, next, as_new_us, args, value)
    local id = sub(args, 1, 8)
    local written = block(id, next)
    if value then
        local kept, last_us = other_blocks(value, {[id] = true}, true)
        written, as_new_us = written .. kept, max(as_new_us, last_us)
    end
    store(key, written, as_new_us)
end

-- How many checks of one kind a limit is asked for, and what it may do.
local LOOK, TAKE, CHARGE = 0, 1, 2 -- change nothing; consume what fits; consume also what does not fit
local NEVER, COUNT_DENIED = 1, 2   -- flags of a limit: the cost can never pass; a denial consumes too

-- Where counts stop.
local COUNT_MAX = 4294967295

-- Returns: how many of `count` checks pass where `used` of `limit` is gone, and the units that `mode` consumes.
local function grant(flags, limit, used, cost, count, mode)
    local granted = 0
    if cost == 0 then
        granted = count
    elseif flags % 2 ~= NEVER then
        granted = min(count, floor(max(0, limit - used) / cost))
    end
    if mode == CHARGE or (mode == TAKE and granted == 0 and flags >= COUNT_DENIED) then return granted, cost end
    return granted, mode == TAKE and granted * cost or 0
end

-- What a limit answers is 32 bytes: the checks granted, then what is used and
-- the rest as the algorithm says. Two numbers of granted are no counts.
local ANSWER = '<I4I7I7I7I7'
local ASK_AGAIN, FAILED = 4294967295, 4294967294
local function answer(granted, used, reset, moment, retry)
    return pack(ANSWER, granted, used, reset, moment, retry)
end
