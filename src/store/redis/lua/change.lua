-- Refunds a grant, ends or renews a lease, or forgets a key.
--
-- KEYS[1]: the key
-- ARGV[1]: the time in us, or '' for the server's
-- ARGV[2]: id of the counter (8) · algorithm (1) · 1: refund, 2: release, 3: renew, 4: reset ·
--          refund: moment (7) · units (7) · the limit, as its algorithm has it
--          release, renew: id of the lease (8)
-- returns: 1 if something was given back, or the lease was held, else 0
local key, args = KEYS[1], ARGV[2]
if unpack('<I1', args, 10) == 4 then return redis_call('DEL', key) end
if algorithms[unpack('<I1', args, 9)] == plain_counter then
    local moment, units, at = unpack('<I7I7', args, 11)
    return plain_counter.refund(key, args, at, moment, units) and 1 or 0
end
local value = load(key)
if not value or value == '' then return 0 end
local id = sub(args, 1, 8)
local kind, action = unpack('<I1I1', args, 9)
local body, others = find_block(value, id)
if not body then return redis.error_reply('ERR the key holds what is not of stint') end

local next, as_new_us, held
if action == 1 then
    local moment, units, at = unpack('<I7I7', args, 11)
    next, as_new_us = algorithms[kind].refund(args, at, body, moment, units)
    held = next ~= nil
else
    next, as_new_us, held = concurrency.change(body, sub(args, 11, 18), action == 3)
end
if next == nil then return 0 end

local kept, last_us = '', 0
if others then kept, last_us = other_blocks(value, {[id] = true}, false) end
local written = (next ~= '' and block(id, next) or '') .. kept
if written == '' then
    redis_call('DEL', key)
else
    store(key, written, max(as_new_us, last_us))
end
return held and 1 or 0
