-- Decides checks of one limit each, all of one algorithm, in order.
--
-- KEYS[i]:     the key of check i
-- ARGV[1]:     the time in us, or '' for the server's
-- ARGV[i + 1]: id of the counter (8) · cost (7) · how many such checks (4) ·
--              look or take (1) · the limit, as its algorithm has it
-- returns:     the time (7) · one answer of 32 bytes for each check
local decide = algorithm.decide
local load_body, save_body = algorithm.load or packed.load, algorithm.save or packed.save
local LIMIT_AT = 21
local function judge(key, args)
    local cost, count, mode = unpack('<I7I4I1', args, 9)
    local body, rest = load_body(key, args, LIMIT_AT, mode == LOOK or cost == 0)
    return rest, decide(args, LIMIT_AT, body, cost, count, mode)
end

local answers = {pack('<I7', now)}
for i = 1, #KEYS do
    local key, args = KEYS[i], ARGV[i + 1]
    -- A damaged value, whatever becomes of it, must not end the call for all others.
    local whole, rest, granted, next, as_new_us, used, reset, moment, retry = pcall(judge, key, args)
    if whole then
        if next then save_body(key, next, as_new_us, args, rest) end
        answers[i + 1] = answer(granted, used or 0, reset or 0, moment or 0, retry or 0)
    else
        answers[i + 1] = answer(FAILED, 0, 0, 0, 0)
    end
end
return concat(answers)
