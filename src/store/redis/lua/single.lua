-- Decides checks of one limit each, all of one algorithm, in order.
--
-- KEYS[i]:     the key of check i
-- ARGV[1]:     the time in us, or '' for the server's
-- ARGV[i + 1]: id of the counter (8) · cost (7) · how many such checks (4) ·
--              look or take (1) · the limit, as its algorithm has it
-- returns:     the time (7) · one answer of 32 bytes for each check
local decide = algorithm.decide
local answers = {pack('<I7', now)}
for i = 1, #KEYS do
    local key, args = KEYS[i], ARGV[i + 1]
    local value = load(key)
    if value then
        local id = sub(args, 1, 8)
        local cost, count, mode = unpack('<I7I4I1', args, 9)
        local body, others = '', false
        if value ~= '' then body, others = find_block(value, id) end
        -- A damaged value, whatever decide() makes of it, must not end the call for all others.
        local whole, granted, next, as_new_us, used, reset, moment, retry =
            pcall(decide, args, 21, body, cost, count, mode)
        if not whole then granted, next, as_new_us, used = FAILED, nil, nil, nil end
        if next then
            local written = block(id, next)
            if others then
                local kept, last_us = other_blocks(value, {[id] = true})
                written, as_new_us = written .. kept, max(as_new_us, last_us)
            end
            store(key, written, as_new_us)
        end
        answers[i + 1] = answer(granted, used or 0, reset or 0, moment or 0, retry or 0)
    else
        answers[i + 1] = answer(FAILED, 0, 0, 0, 0)
    end
end
return concat(answers)
